// Lines on a terminal: one that is to be rewritten must not wrap.
#pragma once

#include <string>

namespace rocktune::bench {

// `line` cut to the width of the terminal that `descriptor` is; whole when it is none.
std::string fit_to_terminal(const std::string& line, int descriptor);

// `value` by a printf pattern for one double, of at most 63 characters.
std::string formatted(const char* pattern, double value);

}  // namespace rocktune::bench
