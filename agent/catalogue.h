// The knob catalogue: every option that a tuner may change while RocksDB runs, as data. Which of
// them an open database has, and whether it can change them, its knob groups say (agent/knob.h).
//
// The ranges are hard: RocksDB checks none of its mutable options, so what is outside is refused
// before it sees it. The order of the entries is that of the table in docs/wire.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rocktune::agent {

enum class Scope : std::uint8_t { kDatabase, kColumnFamily, kCache, kLimiter };
std::string_view to_string(Scope scope);

// What of the machine bounds a value further (agent/machine.h).
enum class Ceiling : std::uint8_t { kNone, kMemory, kQuarterOfMemory, kJobs, kOpenFiles };

// What a smaller or a greater value relieves, in the order in which it matters when values return:
// a lack of memory ends the process, a saturated device stalls every request, a lack of CPU slows.
enum class Relief : std::uint8_t { kMemory, kDevice, kCpu, kNone };

// Values that relate to each other return in one call.
enum class Bundle : std::uint8_t {
  kJobs,
  kFlow,
  kFiles,
  kMemtables,
  kLevel0,
  kPending,
  kShape,
  kTable,
  kUniversal,
  kCapacity,
  kRate
};

struct KnobInfo {
  std::string_view name;
  Scope scope{};
  Bundle bundle{};
  std::string_view type = "integer";  // or "boolean": 0 and 1
  std::string_view unit = {};         // "bytes", "bytes/s", "percent", ...; empty for plain numbers
  std::int64_t min = 0;
  std::int64_t max = 0;
  Ceiling ceiling = Ceiling::kNone;
  Relief when_lowered = Relief::kNone;
  Relief when_raised = Relief::kNone;
  // A value that is accepted outside the range, and what it means.
  std::optional<std::int64_t> special = {};
  std::string_view special_means = {};
  std::string_view relations = {};     // to other options; empty if there are none
  std::string_view cost = {};          // of a change
  std::string_view side_effects = {};  // one sentence; empty if there are none
};

std::span<const KnobInfo> catalogue();

// The name must be in the catalogue.
const KnobInfo& catalogue_entry(std::string_view name);

}  // namespace rocktune::agent
