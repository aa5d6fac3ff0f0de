// A day of a busy database as a rocktuned in advise mode records it: what `rocktune-bench
// replay-speed` replays. Levels, memtables and jobs are those of the simulated plant (sim/) under
// waves of writes and reads; latencies are counted in the agent's buckets; what the plant does not
// simulate moves plausibly. Every column family, the device and the host change at each poll.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

struct DaySettings {
  std::int64_t samples = 172'800;  // of a poll every half second
  std::int64_t families = 10;
};

// As the trace calls it.
inline constexpr const char* kDayTarget = "busy";
inline constexpr const char* kDayRocksdbVersion = "7.8.3";

// The message of the error that says that a stop was asked for, and of no other one.
inline constexpr const char* kStoppedMessage = "stopped";

// Makes the trace `path`, which may not exist. The same settings make the same rows. Errors: the
// recorder's, and kStoppedMessage once `stop` is set.
Result<void> write_day(const std::string& path, const DaySettings& settings,
                       const std::atomic<bool>& stop);

}  // namespace rocktune::bench
