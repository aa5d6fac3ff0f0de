// A fingerprint of a file's bytes, whatever its size: whether two files are the same, or one is
// what it was. Not for adversaries.
#pragma once

#include <string>

#include "model/result.h"

namespace rocktune {

// 16 hexadecimal digits. Errors: kNotFound, kIo.
Result<std::string> file_digest(const std::string& path);

}  // namespace rocktune
