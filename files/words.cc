#include "files/words.h"

#include <charconv>

namespace rocktune {
namespace {

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t begin = text.find_first_not_of(separators);
  while (begin != std::string_view::npos) {
    const std::size_t end = text.find_first_of(separators, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return parts;
}

}  // namespace

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (text.empty() || error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

std::vector<std::string_view> split_words(std::string_view text) {
  return split_at(text, " \t\n");
}
std::vector<std::string_view> split_lines(std::string_view text) {
  return split_at(text, "\n");
}

}  // namespace rocktune
