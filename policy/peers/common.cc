#include "policy/peers/common.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "policy/guard_limits.h"
#include "policy/situation.h"

namespace rocktune::peers {
namespace {

// As many ticks as anybody remembers: a gap of a day does not have to be counted out.
constexpr double kMostTicks = 1000;
constexpr double kLargestValue = 4e18;
// Polls come a little early or late; a tick does not wait another poll for that.
constexpr double kSlackSeconds = 0.05;

}  // namespace

std::optional<Proposal> turn(const Features& features, const KnobReading* reading, double to,
                             Turn why) {
  if (reading == nullptr || !std::isfinite(to)) return std::nullopt;
  const std::int64_t value = std::llround(std::clamp(to, -kLargestValue, kLargestValue));
  if (value == reading->value) return std::nullopt;
  Proposal out = propose(*reading, value, why.rule);
  out.reason = std::move(why.reason);
  const KnobSpec* spec = find_knob(reading->name);
  const double window = spec == nullptr ? 0 : seconds_between({}, spec->evaluation);
  const Value now = feature_of(features, why.feature);
  out.expected = {std::string(why.feature), why.lower_is_better, now.value_or(0), window};
  if (now) out.evidence = {{std::string(why.feature), *now, std::nullopt}};
  return out;
}

void serve_as(const Features& features, const Service& service, std::vector<Proposal>& out) {
  auto set = [&](std::string_view name, std::int64_t to, std::string why,
                 std::string_view feature) {
    auto change = turn(features, changeable_knob(features, name), static_cast<double>(to),
                       {service.rule, std::move(why), feature});
    if (change) out.push_back(*std::move(change));
  };
  const bool limited = service.limits_flushes, alike = service.l0_weight == 1;
  set(knob::kLimitFlushes, limited ? 1 : 0,
      limited ? "flushes wait for the limit, too" : "flushes wait for nobody",
      limited ? "read_p99_us" : "memtable_ratio");
  set(knob::kL0Weight, service.l0_weight,
      alike ? "all compactions are served alike"
            : "compactions out of level 0 go before deeper ones",
      alike ? "pending_bytes" : "l0_ratio");
}

int Tick::due(Nanoseconds now) {
  if (!last_ || now < *last_) {
    last_ = now;
    return 0;
  }
  const double passed = (seconds_between(*last_, now) + kSlackSeconds) / seconds_;
  if (passed < 1) return 0;
  const auto ticks = static_cast<int>(std::min(passed, kMostTicks));
  // From the old due time on, so that lateness does not add up; after a gap from now on.
  const auto due = std::chrono::duration<double>(seconds_);
  last_ = ticks == 1 ? *last_ + std::chrono::duration_cast<Nanoseconds>(due) : now;
  return ticks;
}

void Settings::ask(std::vector<Proposal> wanted, Nanoseconds now, std::vector<Proposal>& out) {
  if (wanted.empty()) return;
  const bool rests =
      last_ && now >= *last_ && seconds_between(*last_, now) + kSlackSeconds < seconds_;
  if (rests) return;
  last_ = now;
  std::move(wanted.begin(), wanted.end(), std::back_inserter(out));
}

void MeanRate::add(const Features& features, const Value& rate) {
  if (!rate || !(features.interval_seconds > 0)) return;
  sum_ += *rate * features.interval_seconds;
  seconds_ += features.interval_seconds;
}

Value MeanRate::take(double least_seconds) {
  const MeanRate taken = std::exchange(*this, MeanRate());
  if (!(taken.seconds_ > 0) || taken.seconds_ < least_seconds) return std::nullopt;
  const double mean = taken.sum_ / taken.seconds_;
  return std::isfinite(mean) ? Value(mean) : std::nullopt;
}

double largest_rate(double param, const KnobReading& limiter, const Objective& objective) {
  if (param > 0) return param;
  if (limiter.found < kUnlimitedBytesPerSecond) return static_cast<double>(limiter.found);
  if (objective.device_capacities.write) return objective.device_capacities.write->bytes_per_second;
  return static_cast<double>(kNearlyUnlimitedBytesPerSecond);
}

bool untouched(const KnobReading& reading) {
  return reading.owner == KnobOwner::kFound;
}

}  // namespace rocktune::peers
