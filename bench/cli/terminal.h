// The terminal's width: a line that is to be rewritten must not wrap.
#pragma once

#include <string>

namespace rocktune::bench {

// `line` cut to the width of the terminal that `descriptor` is; whole when it is none.
std::string fit_to_terminal(const std::string& line, int descriptor);

}  // namespace rocktune::bench
