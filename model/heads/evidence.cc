#include "model/heads/evidence.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rocktune {
namespace {

// Less than this on the log odds changes nothing.
constexpr double kLeastWeight = 0.05;

Value probability_input(const HeadInputs& inputs, HeadInput input) {
  const double odds = inputs.get(input);
  return std::isfinite(odds) ? Value(probability_of(odds)) : std::nullopt;
}

// What is no feature of its own, but follows from several samples.
Value derived_value(std::string_view feature, const Seen& seen) {
  if (feature == "p99") return probability_input(seen.inputs, HeadInput::kP99Physical);
  if (feature == "compaction_backlog") {
    return probability_input(seen.inputs, HeadInput::kBacklogPhysical);
  }
  if (feature == "device_saturation") {
    return probability_input(seen.inputs, HeadInput::kDevicePhysical);
  }
  if (feature == "device_load") {
    const double load = seen.inputs.get(HeadInput::kDeviceLoad);
    return std::isfinite(load) ? Value(load) : std::nullopt;
  }
  if (feature == "seconds_since_event") return seen.episodes.seconds_since_event();
  if (feature == "seconds_since_onset") return seen.episodes.seconds_since_onset();
  if (!seen.l0) return std::nullopt;
  if (feature == "l0_peak_files") return seen.l0->peak_files;
  if (feature == "l0_compaction_begins_seconds") return seen.l0->l0_compaction_begins_seconds;
  return std::nullopt;
}

// The features of inputs that physics does not list by itself.
Value feature_value(std::string_view feature, const Features& f) {
  if (feature == "io_pressure_ratio") return f.io_pressure_ratio;
  if (feature == "cache_misses_per_second") return f.cache_misses_per_second;
  if (feature == "flush_bytes_per_second") return f.flush_bytes_per_second;
  if (feature == "compaction_write_bytes_per_second") return f.compaction_write_bytes_per_second;
  if (feature == "running_compactions") return f.running_compactions;
  if (feature == "l0_files") return f.l0_files;
  if (feature == "pending_bytes") return f.pending_bytes;
  if (feature == "immutable_memtables") return f.immutable_memtables;
  if (feature == "stalled_ratio") return f.stalled_ratio;
  if (feature == "device_queue") return f.device_queue;
  if (feature == "device_read_await_ms") return f.device_read_await_ms;
  if (feature == "read_p99_us") return f.read_p99_us;
  if (feature == "write_p99_us") return f.write_p99_us;
  if (feature == "operations_per_second" && (f.reads_per_second || f.writes_per_second)) {
    return f.reads_per_second.value_or(0) + f.writes_per_second.value_or(0) +
           f.seeks_per_second.value_or(0);
  }
  return std::nullopt;
}

struct Weight {
  std::string_view feature;
  double sum = 0;
};

// At most one per input; those of one feature stand next to each other in head_input_specs().
std::size_t add_up(const HeadVector& contributions, std::array<Weight, kHeadInputs>& out) {
  std::size_t count = 0;
  const auto& specs = head_input_specs();
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(count);
    auto found = std::find_if(out.begin(), end, [&](const Weight& weight) {
      return weight.feature == specs.at(i).feature;
    });
    if (found == end) {
      *found = {specs.at(i).feature, 0};
      ++count;
    }
    found->sum += static_cast<double>(contributions.at(i));
  }
  return count;
}

void set_weight(std::vector<Driver>& drivers, const Weight& weight, const Seen& seen) {
  for (Driver& driver : drivers) {
    if (driver.feature != weight.feature) continue;
    driver.weight = weight.sum;
    return;
  }
  Value value = feature_value(weight.feature, seen.features);
  if (!value) value = derived_value(weight.feature, seen);
  if (!value) return;
  drivers.push_back({std::string(weight.feature), *value, std::nullopt, weight.sum});
}

// Among those that are kept is the one that speaks for the event the most.
void keep_strongest_for(std::vector<Driver>& drivers) {
  if (drivers.size() <= kMostDrivers) return;
  const auto end = drivers.begin() + kMostDrivers;
  const auto most = std::max_element(
      drivers.begin(), drivers.end(),
      [](const Driver& a, const Driver& b) { return a.weight.value_or(0) < b.weight.value_or(0); });
  if (most >= end && most->weight.value_or(0) > 0) std::swap(*(end - 1), *most);
}

}  // namespace

void weigh(std::vector<Driver>& drivers, const HeadVector& contributions, double physical_log_odds,
           const Seen& seen) {
  std::array<Weight, kHeadInputs> weights;
  const std::size_t count = add_up(contributions, weights);
  bool learnt = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Weight& weight = weights.at(i);
    if (std::abs(weight.sum) < kLeastWeight || weight.feature == kForecastFeature) continue;
    learnt = true;
    set_weight(drivers, weight, seen);
  }
  if (learnt) {
    const double corrected = physical_log_odds + weights.front().sum;  // the physical inputs' own
    drivers.push_back({std::string(kForecastFeature), probability_of(physical_log_odds),
                       std::nullopt, corrected});
    std::stable_sort(drivers.begin(), drivers.end(), [](const Driver& a, const Driver& b) {
      return std::abs(a.weight.value_or(0)) > std::abs(b.weight.value_or(0));
    });
  }
  keep_strongest_for(drivers);
  if (drivers.size() > kMostDrivers) drivers.resize(kMostDrivers);
}

}  // namespace rocktune
