// What small files of /proc, /sys and the like hold, parsed strictly. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rocktune {

// Decimal digits and nothing else: no sign, blank or trailing junk.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

std::vector<std::string_view> split_words(std::string_view text);  // at blanks and newlines
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace rocktune
