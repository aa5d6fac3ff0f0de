// DatabaseEvent: something that happened inside a database between two samples, or that the agent
// did to it, as the agent's event stream tells it. No policy decides by events: they are for the
// record and for people. docs/wire.md lists the kinds with the numbers and words of each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/clock.h"

namespace rocktune {

namespace event {
inline constexpr std::string_view kChange = "change";  // a knob: set, or returned by the agent
inline constexpr std::string_view kStall = "stall";    // writes are delayed, stopped or free again
inline constexpr std::string_view kBackgroundError = "background_error";
inline constexpr std::string_view kErrorRecovery = "error_recovery";
// Ours: `events` in numbers says how many the agent did not keep long enough ("missed"), or how
// many were left out of the trace ("skipped"). `number` is that of the last of them.
inline constexpr std::string_view kMissed = "missed";
inline constexpr std::string_view kSkipped = "skipped";
}  // namespace event

struct DatabaseEvent {
  std::string incarnation;   // of the database's opening, as in Sample
  std::uint64_t number = 0;  // from 1 in each incarnation, rising
  Instant at;                // when the agent saw it
  std::string kind;
  std::string column_family;                    // empty: of the whole database
  std::map<std::string, std::int64_t> numbers;  // "job", "before", "after", ...
  std::map<std::string, std::string> words;     // "knob", "why", "status", ...
  bool operator==(const DatabaseEvent&) const = default;
};

}  // namespace rocktune
