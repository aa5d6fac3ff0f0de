#include "policy/drift.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rocktune {
namespace {

const std::optional<double>* own_drift(const KnobSpec& spec, const Budget& budget) {
  const auto own = budget.drift_max_of.find(std::string(spec.name));
  return own == budget.drift_max_of.end() ? nullptr : &own->second;
}

std::optional<double> largest_drift(const KnobSpec& spec, const Budget& budget) {
  if (const auto* own = own_drift(spec, budget)) return *own;
  if (spec.name == knob::kRateLimit) return std::nullopt;
  return budget.drift_max;
}

std::optional<Range> range_within(const Range& allowed, const KnobSpec& spec,
                                  const KnobReading& reading, const Budget& budget) {
  const std::optional<double> most = largest_drift(spec, budget);
  const bool limitless = spec.unit == "bytes/s" && reading.found >= kUnlimitedBytesPerSecond;
  const bool no_measure = reading.found <= 0 || limitless || spec.unit == "switch";
  if (!most || no_measure || allowed.low > allowed.high) return std::nullopt;
  // Of a value that was found out of range the nearest allowed one counts.
  const auto found = static_cast<double>(std::clamp(reading.found, allowed.low, allowed.high));
  constexpr double kLargest = 9e18;
  return Range{static_cast<std::int64_t>(std::ceil(found / *most)),
               static_cast<std::int64_t>(std::min(std::floor(found * *most), kLargest))};
}

}  // namespace

std::optional<Range> drift_range(const LimitInput& input) {
  return range_within(allowed_range(input), input.spec, input.reading, input.budget);
}

std::optional<std::int64_t> least_by_drift(const KnobReading& reading, const Budget& budget) {
  const KnobSpec* spec = find_knob(reading.name);
  if (spec == nullptr) return std::nullopt;
  const Range allowed{std::max(spec->min, reading.min), std::min(spec->max, reading.max)};
  const std::optional<Range> range = range_within(allowed, *spec, reading, budget);
  return range ? std::optional(range->low) : std::nullopt;
}

void apply_drift(const LimitInput& input, Limited& limited) {
  const std::optional<Range> range = drift_range(input);
  if (!range) return;
  const std::string of =
      own_drift(input.spec, input.budget) ? "_of." + std::string(input.spec.name) : "";
  const std::string why = " where " + shown(input.spec, input.reading.found) +
                          " was found (budget.drift_max" + of + ")";
  narrow(limited, range->low, range->high, "drift",
         "it may be no less than " + shown(input.spec, range->low) + why,
         "it may be no more than " + shown(input.spec, range->high) + why);
}

}  // namespace rocktune
