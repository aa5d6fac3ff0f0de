#include "model/heads/evidence.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>
#include <string>

namespace rocktune {
namespace {

// Less than this on the log odds changes nothing.
constexpr double kLeastWeight = 0.05;

Value known(double value) {
  return std::isfinite(value) ? Value(value) : std::nullopt;
}

Value probability_input(const Seen& seen, HeadInput input) {
  const Value odds = known(seen.inputs.get(input));
  return odds ? Value(probability_of(*odds)) : std::nullopt;
}

Value operations_per_second(const Features& f) {
  if (!f.reads_per_second && !f.writes_per_second) return std::nullopt;
  return f.reads_per_second.value_or(0) + f.writes_per_second.value_or(0) +
         f.seeks_per_second.value_or(0);
}

struct InputFeature {
  std::string_view name;
  Value (*value)(const Seen& seen);
};

template <Value Features::* value>
Value feature(const Seen& seen) {
  return seen.features.*value;
}

// The features of head_input_specs(), in the order in which they come there.
constexpr std::array<InputFeature, 23> kInputFeatures{{
    {kForecastFeature, [](const Seen&) { return Value(); }},
    {"seconds_since_event", [](const Seen& seen) { return seen.episodes.seconds_since_event(); }},
    {"seconds_since_onset", [](const Seen& seen) { return seen.episodes.seconds_since_onset(); }},
    {"l0_files", feature<&Features::l0_files>},
    {"l0_peak_files",
     [](const Seen& seen) { return seen.l0 ? Value(seen.l0->peak_files) : Value(); }},
    {"running_compactions", feature<&Features::running_compactions>},
    {"l0_compaction_begins_seconds",
     [](const Seen& seen) { return seen.l0 ? seen.l0->l0_compaction_begins_seconds : Value(); }},
    {"flush_bytes_per_second", feature<&Features::flush_bytes_per_second>},
    {"compaction_write_bytes_per_second", feature<&Features::compaction_write_bytes_per_second>},
    {"pending_bytes", feature<&Features::pending_bytes>},
    {"immutable_memtables", feature<&Features::immutable_memtables>},
    {"stalled_ratio", feature<&Features::stalled_ratio>},
    {"device_load",
     [](const Seen& seen) { return known(seen.inputs.get(HeadInput::kDeviceLoad)); }},
    {"device_queue", feature<&Features::device_queue>},
    {"device_read_await_ms", feature<&Features::device_read_await_ms>},
    {"io_pressure_ratio", feature<&Features::io_pressure_ratio>},
    {"read_p99_us", feature<&Features::read_p99_us>},
    {"write_p99_us", feature<&Features::write_p99_us>},
    {"operations_per_second",
     [](const Seen& seen) { return operations_per_second(seen.features); }},
    {"p99", [](const Seen& seen) { return probability_input(seen, HeadInput::kP99Physical); }},
    {"compaction_backlog",
     [](const Seen& seen) { return probability_input(seen, HeadInput::kBacklogPhysical); }},
    {"device_saturation",
     [](const Seen& seen) { return probability_input(seen, HeadInput::kDevicePhysical); }},
    {"cache_misses_per_second", feature<&Features::cache_misses_per_second>},
}};
constexpr std::size_t kForecast = 0;  // its place

// Where each input's feature stands among them.
const std::array<std::size_t, kHeadInputs>& feature_places() {
  static const std::array<std::size_t, kHeadInputs> kPlaces = [] {
    std::array<std::size_t, kHeadInputs> places{};
    for (std::size_t i = 0; i < kHeadInputs; ++i) {
      const auto found = std::find_if(
          kInputFeatures.begin(), kInputFeatures.end(),
          [&](const auto& one) { return one.name == head_input_specs().at(i).feature; });
      assert(found != kInputFeatures.end());
      places.at(i) = static_cast<std::size_t>(found - kInputFeatures.begin());
    }
    return places;
  }();
  return kPlaces;
}

constexpr std::size_t kMostPhysical = 16;  // twice as many as the most that an assessor looks at

// What physics looks at and what was learnt, on the stack.
struct Candidates {
  std::array<Candidate, kMostPhysical + kInputFeatures.size()> all;
  std::size_t count = 0;

  void add(const Candidate& one) {
    if (count < all.size()) all[count++] = one;
  }
  [[nodiscard]] std::span<Candidate> known() { return std::span(all).first(count); }
};

// Those with the largest weights, of equal ones the first; among them the one that speaks for the
// event the most.
std::vector<Driver> strongest(std::span<const Candidate> drivers) {
  struct Weighed {
    double weight;
    const Candidate* driver;
  };
  std::vector<Weighed> order;
  order.reserve(drivers.size());
  for (const Candidate& one : drivers) order.push_back({one.weight.value_or(0), &one});
  if (order.empty()) return {};
  const auto most =
      *std::max_element(order.begin(), order.end(),
                        [](const Weighed& a, const Weighed& b) { return a.weight < b.weight; });
  const auto end =
      order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kMostDrivers));
  std::partial_sort(order.begin(), end, order.end(), [](const Weighed& a, const Weighed& b) {
    const double one = std::abs(a.weight), other = std::abs(b.weight);
    return one != other ? one > other : a.driver < b.driver;
  });
  const bool is_told = std::any_of(order.begin(), end,
                                   [&](const Weighed& one) { return one.driver == most.driver; });
  if (most.weight > 0 && !is_told) *(end - 1) = most;
  std::vector<Driver> told;
  told.reserve(kMostDrivers);
  for (auto one = order.begin(); one != end; ++one) {
    const Candidate& driver = *one->driver;
    told.push_back({std::string(driver.feature), driver.value, driver.limit, driver.weight});
  }
  return told;
}

}  // namespace

std::vector<Driver> weigh(const std::vector<Candidate>& physical, const HeadVector& contributions,
                          double physical_log_odds, const Seen& seen) {
  const auto& places = feature_places();
  std::array<double, kInputFeatures.size()> weights{};
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    weights.at(places[i]) += static_cast<double>(contributions[i]);
  }
  assert(physical.size() <= kMostPhysical);
  Candidates drivers;
  for (const Candidate& one : physical) drivers.add(one);
  bool learnt = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::abs(weights.at(i)) < kLeastWeight || i == kForecast) continue;
    learnt = true;
    const InputFeature& feature = kInputFeatures.at(i);
    const auto looked_at = drivers.known().first(physical.size());
    const auto known = std::find_if(looked_at.begin(), looked_at.end(), [&](const Candidate& one) {
      return one.feature == feature.name;
    });
    if (known != looked_at.end()) {
      known->weight = weights.at(i);
    } else if (const Value value = feature.value(seen)) {
      drivers.add({feature.name, *value, std::nullopt, weights.at(i)});
    }
  }
  if (learnt) {  // the physical inputs' own weight is a correction of the forecast
    drivers.add({kForecastFeature, probability_of(physical_log_odds), std::nullopt,
                 physical_log_odds + weights.at(kForecast)});
  }
  return strongest(drivers.known());
}

}  // namespace rocktune
