// A short fingerprint that tells whether two texts are the same. Not for adversaries.
#pragma once

#include <string>
#include <string_view>

namespace rocktune {

// 64-bit FNV-1a in 16 hexadecimal digits.
std::string digest(std::string_view text);

}  // namespace rocktune
