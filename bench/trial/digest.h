// A short fingerprint that tells whether two texts or files are the same. Not for adversaries.
#pragma once

#include <string>
#include <string_view>

#include "model/result.h"

namespace rocktune::bench {

// 64-bit FNV-1a in 16 hexadecimal digits.
std::string digest(std::string_view text);
Result<std::string> digest_of_file(const std::string& path);

}  // namespace rocktune::bench
