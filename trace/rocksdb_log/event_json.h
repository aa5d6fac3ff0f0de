// The JSON of an EVENT_LOG_v1 line, of which RocksDB may have cut the end off: its buffered lines
// end after 512 bytes. What stands before the cut is kept. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktune::trace::rocksdb_log {

// The outermost object's members: numbers (rounded towards zero), strings, lists of whole numbers.
struct EventJson {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> words;
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> lists;
  bool whole = false;  // false: cut short, or no JSON at all

  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;  // not negative
  [[nodiscard]] std::string word(std::string_view name) const;                     // "" if absent
};

EventJson parse_event_json(std::string_view text);

}  // namespace rocktune::trace::rocksdb_log
