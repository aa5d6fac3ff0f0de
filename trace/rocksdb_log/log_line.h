// One line of a RocksDB LOG taken apart:
//   2026/11/21-23:49:36.882975 8265 [WARN] [db/column_family.cc:1129] [default] Stalling writes ...
//   2026/11/21-23:49:36.589103 8265 (Original Log Time 2026/11/21-23:49:36.589029) EVENT_LOG_v1
//   {..}
// The time is the process's local one. Lines without it continue the message before. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace rocktune::trace::rocksdb_log {

using Micros = std::chrono::microseconds;

struct LogLine {
  Micros written{0};        // since 1970, as if the local time were UTC
  Micros at{0};             // when it happened: the original time of a buffered line
  std::string_view thread;  // as written: "7f9cb413a700", "8265"
  std::string_view family;  // of "[default] ...": empty when it names none
  std::string_view text;    // what is left, without level and source
};

// nullopt when it does not begin with a time between 2010 and 2200.
std::optional<LogLine> parse_log_line(std::string_view line);

// What stands between `before` and `after`; nullopt when either is missing. An empty `after` means
// the rest.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after);
// The whole number right after `before`; nullopt when there is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view before);
// A whole number at the beginning, which is taken off.
std::optional<std::uint64_t> take_number(std::string_view& text);
std::string_view trimmed(std::string_view text);

}  // namespace rocktune::trace::rocksdb_log
