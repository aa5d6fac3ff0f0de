// The knob catalogue: what a policy may turn, as the tuner sees it. What this very database accepts
// right now comes with each sample (KnobReading); the hard checks before RocksDB sees a value are
// the agent's. Both use the same names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/clock.h"

namespace rocktune {

// At or above this a limiter limits nothing: the wire's spelling of "unlimited".
inline constexpr std::int64_t kUnlimitedBytesPerSecond = std::int64_t{1} << 40;

// The most background jobs, and threads of one compaction, that the agent takes
// (agent/catalogue.cc).
inline constexpr std::int64_t kMostJobs = 128;

namespace knob {
inline constexpr std::string_view kRateLimit = "rate_limiter_bytes_per_second";
inline constexpr std::string_view kBackgroundJobs = "max_background_jobs";
inline constexpr std::string_view kCacheCapacity = "block_cache_capacity_bytes";
inline constexpr std::string_view kSubcompactions = "max_subcompactions";
inline constexpr std::string_view kDelayedWriteRate = "delayed_write_rate";
inline constexpr std::string_view kWriteSize = "writable_file_max_buffer_size";
// The agent's own limiter: level 0's weight against deeper compactions, whether flushes wait too.
inline constexpr std::string_view kL0Weight = "rate_limiter_l0_weight";
inline constexpr std::string_view kLimitFlushes = "rate_limiter_limit_flushes";
// One for each column family
inline constexpr std::string_view kWriteBufferSize = "write_buffer_size";
inline constexpr std::string_view kWriteBuffers = "max_write_buffer_number";
inline constexpr std::string_view kL0Trigger = "level0_file_num_compaction_trigger";
inline constexpr std::string_view kL0Slowdown = "level0_slowdown_writes_trigger";
inline constexpr std::string_view kL0Stop = "level0_stop_writes_trigger";
inline constexpr std::string_view kSoftPending = "soft_pending_compaction_bytes_limit";
inline constexpr std::string_view kHardPending = "hard_pending_compaction_bytes_limit";
inline constexpr std::string_view kTargetFileSize = "target_file_size_base";
inline constexpr std::string_view kLevelBase = "max_bytes_for_level_base";
inline constexpr std::string_view kBloomBits = "bloom_bits_per_key";
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

std::span<const KnobSpec> knob_catalogue();
const KnobSpec* find_knob(std::string_view name);  // nullptr when unknown

// "bytes/s", "switch" and so on: of every knob that an agent tells, also of those that no policy
// turns. Empty: it has none, or is not known.
std::string_view knob_unit(std::string_view name);

// A value of this knob for a person: "16 MiB", "unlimited", "on".
std::string shown(const KnobSpec& spec, std::int64_t value);
std::string shown(std::string_view knob, std::int64_t value);  // unknown: the bare value

}  // namespace rocktune
