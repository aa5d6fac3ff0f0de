// Small text files, read whole.
#pragma once

#include <cstddef>
#include <string>

#include "model/result.h"

namespace rocktune {

// At most `limit` bytes; a larger file is an error, and so is what is no regular file: a path may
// come from a database's host, and opening a device can do things. kNotFound, kPermission or kIo
// otherwise.
Result<std::string> read_text_file(const std::string& path, std::size_t limit = 1 << 20);

}  // namespace rocktune
