// Small files of /proc, /sys and the like: read whole, parsed strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::daemon {

// At most `limit` bytes; a larger file is an error, and so is what is no regular file: a path may
// come from a database's host, and opening a device can do things. kNotFound, kPermission or kIo
// otherwise.
Result<std::string> read_text_file(const std::string& path, std::size_t limit = 1 << 20);

// Decimal digits and nothing else: no sign, blank or trailing junk.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

std::vector<std::string_view> split_words(std::string_view text);  // at blanks and newlines
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace rocktune::daemon
