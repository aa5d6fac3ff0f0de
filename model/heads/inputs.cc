#include "model/heads/inputs.h"

#include <algorithm>
#include <cmath>

namespace rocktune {

const std::array<HeadInputSpec, kHeadInputs>& head_input_specs() {
  static constexpr std::array<HeadInputSpec, kHeadInputs> kSpecs = {{
      {"physical_10", "forecast"},
      {"physical_30", "forecast"},
      {"physical_60", "forecast"},
      {"quiet", "seconds_since_event"},
      {"just_over", "seconds_since_event"},
      {"due", "seconds_since_onset"},
      {"l0_use", "l0_files"},
      {"l0_above_04", "l0_files"},
      {"l0_above_07", "l0_files"},
      {"l0_slope_15", "l0_files"},
      {"l0_slope_60", "l0_files"},
      {"l0_peak_10", "l0_peak_files"},
      {"l0_peak_30", "l0_peak_files"},
      {"l0_peak_60", "l0_peak_files"},
      {"l0_compaction_runs", "running_compactions"},
      {"l0_compaction_begins_10", "l0_compaction_begins_seconds"},
      {"l0_compaction_begins_30", "l0_compaction_begins_seconds"},
      {"l0_compaction_begins_60", "l0_compaction_begins_seconds"},
      {"compactions_busy", "l0_compaction_begins_seconds"},
      {"job_age", "running_compactions"},
      {"job_input", "running_compactions"},
      {"flush_rate", "flush_bytes_per_second"},
      {"compaction_rate", "compaction_write_bytes_per_second"},
      {"pending_use", "pending_bytes"},
      {"memtable_use", "immutable_memtables"},
      {"stalled", "stalled_ratio"},
      {"device_load", "device_load"},
      {"device_queue", "device_queue"},
      {"device_await", "device_read_await_ms"},
      {"device_await_ratio", "device_read_await_ms"},
      {"device_slope_15", "device_queue"},
      {"device_slope_60", "device_queue"},
      {"io_pressure", "io_pressure_ratio"},
      {"read_use", "read_p99_us"},
      {"read_slope_15", "read_p99_us"},
      {"read_slope_60", "read_p99_us"},
      {"write_use", "write_p99_us"},
      {"write_slope_15", "write_p99_us"},
      {"write_slope_60", "write_p99_us"},
      {"demand", "operations_per_second"},
      {"demand_slope_60", "operations_per_second"},
      {"p99_physical", "p99"},
      {"backlog_physical", "compaction_backlog"},
      {"device_physical", "device_saturation"},
      {"cache_misses", "cache_misses_per_second"},
  }};
  return kSpecs;
}

void HeadInputs::set(HeadInput input, double value) {
  const double bounded = std::clamp(value, -kLargestInput, kLargestInput);
  values_.at(static_cast<std::size_t>(input)) = std::isfinite(value) ? bounded : kNoInput;
}

}  // namespace rocktune
