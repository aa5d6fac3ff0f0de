// A line names a few of what may be hundreds: knobs of as many column families.
#pragma once

#include <string>
#include <vector>

namespace rocktune::daemon {

// "a, b, c", of more than eight the first ones: "a, b, ..., h and 6 more".
std::string listed(const std::vector<std::string>& names, const std::string& separator = ", ");

}  // namespace rocktune::daemon
