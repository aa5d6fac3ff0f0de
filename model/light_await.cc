#include "model/light_await.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

constexpr int kFewestReadings = 10;
// Light load is not the same as none: the shortest fifth of the readings is closest to it.
constexpr double kQuantile = 0.2;
// Each reading moves the logarithm by this times what it says about the quantile: down by 4%, up
// by 1%.
constexpr double kStep = 0.05;

bool usable(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace

std::size_t LightAwait::class_of(double request_bytes) {
  const double octaves = std::round(std::log2(request_bytes / 4096));
  return static_cast<std::size_t>(std::clamp(octaves, 0.0, double{kClasses - 1}));
}

void LightAwait::learn(double request_bytes, double await_ms) {
  if (!usable(request_bytes) || !usable(await_ms)) return;
  Class& known = classes_.at(class_of(request_bytes));
  const double log_ms = std::log(await_ms);
  if (known.readings < kFewestReadings) {
    known.log_ms = known.readings == 0 ? log_ms : std::min(known.log_ms, log_ms);
    ++known.readings;
    return;
  }
  known.log_ms += kStep * (log_ms < known.log_ms ? kQuantile - 1 : kQuantile);
}

void LightAwait::know(double request_bytes, double await_ms) {
  if (!usable(request_bytes) || !usable(await_ms)) return;
  classes_.at(class_of(request_bytes)) = {kFewestReadings, std::log(await_ms)};
}

std::optional<double> LightAwait::ms(double request_bytes) const {
  if (!usable(request_bytes)) return std::nullopt;
  const std::size_t own = class_of(request_bytes);
  for (const std::size_t place : {own, own + 1, own - 1}) {  // below the first: beyond the last
    if (place >= kClasses || classes_.at(place).readings < kFewestReadings) continue;
    return std::exp(classes_.at(place).log_ms);
  }
  return std::nullopt;
}

}  // namespace rocktune
