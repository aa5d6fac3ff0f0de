#include "policy/drift.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rocktune {
namespace {

const std::optional<double>* own_drift(const LimitInput& input) {
  const auto own = input.budget.drift_max_of.find(std::string(input.spec.name));
  return own == input.budget.drift_max_of.end() ? nullptr : &own->second;
}

std::optional<double> largest_drift(const LimitInput& input) {
  if (const auto* own = own_drift(input)) return *own;
  if (input.spec.name == knob::kRateLimit) return std::nullopt;
  return input.budget.drift_max;
}

}  // namespace

std::optional<Range> drift_range(const LimitInput& input) {
  const std::optional<double> most = largest_drift(input);
  const Range allowed = allowed_range(input);
  const bool limitless =
      input.spec.unit == "bytes/s" && input.reading.found >= kUnlimitedBytesPerSecond;
  const bool no_measure = input.reading.found <= 0 || limitless || input.spec.unit == "switch";
  if (!most || no_measure || allowed.low > allowed.high) return std::nullopt;
  // Of a value that was found out of range the nearest allowed one counts.
  const auto found =
      static_cast<double>(std::clamp(input.reading.found, allowed.low, allowed.high));
  constexpr double kLargest = 9e18;
  return Range{static_cast<std::int64_t>(std::ceil(found / *most)),
               static_cast<std::int64_t>(std::min(std::floor(found * *most), kLargest))};
}

void apply_drift(const LimitInput& input, Limited& limited) {
  const std::optional<Range> range = drift_range(input);
  if (!range) return;
  const std::string of = own_drift(input) ? "_of." + std::string(input.spec.name) : "";
  const std::string why = " where " + shown(input.spec, input.reading.found) +
                          " was found (budget.drift_max" + of + ")";
  narrow(limited, range->low, range->high, "drift",
         "it may be no less than " + shown(input.spec, range->low) + why,
         "it may be no more than " + shown(input.spec, range->high) + why);
}

}  // namespace rocktune
