// The knob catalogue: what a policy may turn, as the tuner sees it. What this very database accepts
// right now comes with each sample (KnobReading); the hard checks before RocksDB sees a value are
// the agent's. Both use the same names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/clock.h"

namespace rocktune {

// At or above this a limiter limits nothing: the wire's spelling of "unlimited".
inline constexpr std::int64_t kUnlimitedBytesPerSecond = std::int64_t{1} << 40;

namespace knob {
inline constexpr std::string_view kRateLimit = "rate_limiter_bytes_per_second";
inline constexpr std::string_view kBackgroundJobs = "max_background_jobs";
inline constexpr std::string_view kCacheCapacity = "block_cache_capacity_bytes";
}  // namespace knob

struct KnobSpec {
  std::string_view name;
  std::string_view unit;  // "bytes/s", "jobs", "bytes"
  std::int64_t min;       // absolute range, whatever a policy or a config says
  std::int64_t max;
  double max_step_ratio;     // one change moves it by at most this factor, up or down
  std::int64_t min_step;     // ...or by this much, where the factor allows less (small integers)
  Nanoseconds dwell;         // least time between two changes of it
  Nanoseconds evaluation;    // how long after a change its effect is judged
  bool lower_is_protective;  // lowering it protects the host: memory, device or CPU
};

// Every knob, in the order in which a restore is safest.
const std::array<KnobSpec, 3>& knob_catalogue();
const KnobSpec* find_knob(std::string_view name);  // nullptr when unknown

}  // namespace rocktune
