// The text of etc/model.yaml as it was when this was built.
#pragma once

#include <string_view>

namespace rocktune {

std::string_view builtin_prior_text();

}  // namespace rocktune
