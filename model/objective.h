// Objective and Budget: what the operator wants of one target, and what the tuner may spend on it.
// The only inputs besides the samples that a model or a policy sees; written to the trace, so that
// a replay judges against what held live.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/device_capacities.h"
#include "model/units.h"

namespace rocktune {

// What gives way last when not everything can be had.
enum class Priority { kReadP99, kWriteP99, kThroughput, kStallSeconds, kWriteAmplification };
std::string_view to_string(Priority priority);  // "read_p99", "write_p99", "throughput", ...
inline constexpr std::array kPriorities = {Priority::kReadP99, Priority::kWriteP99,
                                           Priority::kThroughput, Priority::kStallSeconds,
                                           Priority::kWriteAmplification};

struct Objective {
  double read_p99_seconds = 0.005;   // SLO: P99 of Get over an interval
  double write_p99_seconds = 0.020;  // SLO: P99 of Write over an interval
  Priority first = Priority::kReadP99;
  double horizon_seconds = 60;  // how far ahead a warning looks
  // Device saturation: mean requests in flight per device, and the await that counts as slow.
  double device_queue_limit = 32;
  double device_await_limit_seconds = 0.010;
  // How many false alarms are accepted a day, in the order of IndicatorKind: p99,
  // compaction_backlog, device_saturation.
  std::array<double, 3> false_alarms_per_day = {12, 12, 12};
  // What the device was probed to do: no wish, but what its load is measured against.
  DeviceCapacities device_capacities;
  bool operator==(const Objective&) const = default;
};

struct Budget {
  // Block cache and write buffers (all of every column family, full) together. Unset: what they
  // were found with, together.
  std::optional<Bytes> memory_max;
  std::optional<std::int64_t> jobs_max;  // unset: the usable CPUs, at least 2
  double device_share = 1;               // of the device, for background work
  std::optional<double> write_amplification_max;
  BytesPerSecond rate_limit_min{10.0 * (1 << 20)};  // never limit background I/O below this
  int changes_per_hour = 120;                       // all knobs of the target together
  // How far a knob may be from the value found, as a factor either way; unset: anywhere. Of single
  // knobs their own entry holds; without one the rate limiter may go anywhere.
  std::optional<double> drift_max = 16;
  std::map<std::string, std::optional<double>> drift_max_of = {};
  bool operator==(const Budget&) const = default;
};

}  // namespace rocktune
