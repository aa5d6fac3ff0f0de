#include "model/heads/evidence.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rocktune {
namespace {

constexpr std::string_view kForecast = "forecast";
// Less than this on the log odds changes nothing.
constexpr double kLeastWeight = 0.05;

// The features of inputs that physics does not list by itself.
Value value_of(std::string_view feature, const Features& f) {
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

void set_weight(std::vector<Driver>& drivers, const Weight& weight, const Features& features) {
  for (Driver& driver : drivers) {
    if (driver.feature != weight.feature) continue;
    driver.weight = weight.sum;
    return;
  }
  const Value value = value_of(weight.feature, features);
  if (!value) return;
  drivers.push_back({std::string(weight.feature), *value, std::nullopt, weight.sum});
}

}  // namespace

void weigh(std::vector<Driver>& drivers, const HeadVector& contributions, double physical_log_odds,
           const Features& features) {
  std::array<Weight, kHeadInputs> weights;
  const std::size_t count = add_up(contributions, weights);
  bool learnt = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Weight& weight = weights.at(i);
    if (std::abs(weight.sum) < kLeastWeight || weight.feature == kForecast) continue;
    learnt = true;
    set_weight(drivers, weight, features);
  }
  if (learnt) {
    const double corrected = physical_log_odds + weights.front().sum;  // the physical inputs' own
    drivers.push_back(
        {std::string(kForecast), probability_of(physical_log_odds), std::nullopt, corrected});
    std::stable_sort(drivers.begin(), drivers.end(), [](const Driver& a, const Driver& b) {
      return std::abs(a.weight.value_or(0)) > std::abs(b.weight.value_or(0));
    });
  }
  if (drivers.size() > kMostDrivers) drivers.resize(kMostDrivers);
}

}  // namespace rocktune
