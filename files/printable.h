// What others gave, as a terminal or a log may show it. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace rocktune {

// Control characters, which could play with the terminal or begin a line of their own, as '?'.
std::string printable(std::string_view text);

}  // namespace rocktune
