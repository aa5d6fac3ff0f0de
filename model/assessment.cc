#include "model/assessment.h"

#include <algorithm>
#include <utility>

#include "model/probability.h"

namespace rocktune {
namespace {

constexpr std::size_t kMostDrivers = 5;
constexpr double kLevelWeight = 0.7;  // see probability.h

double strength(const Driver& driver) {
  if (driver.limit && *driver.limit > 0) return driver.value / *driver.limit;
  return 0;  // without a limit: context, after those that have one
}

}  // namespace

void add_driver(std::vector<Driver>& drivers, std::string feature, const Value& value,
                const Value& limit) {
  if (value) drivers.push_back({std::move(feature), *value, limit});
}

Assessment assess(IndicatorKind kind, const std::vector<Pressure>& pressures, bool event,
                  std::vector<Driver> drivers, double horizon_seconds) {
  Assessment out;
  const Pressure* strongest = nullptr;
  double probability = -1;
  double weight = kind == IndicatorKind::kCompactionBacklog ? 1 : kLevelWeight;
  for (const Pressure& pressure : pressures) {
    double p = pressure.probability.value_or(
        crossing_probability(pressure.use, pressure.eta_seconds, horizon_seconds, weight));
    bool stronger =
        p > probability || (p == probability && strongest && pressure.use > strongest->use);
    if (!stronger) continue;
    strongest = &pressure;
    probability = p;
  }
  std::stable_sort(drivers.begin(), drivers.end(),
                   [](const Driver& a, const Driver& b) { return strength(a) > strength(b); });
  if (drivers.size() > kMostDrivers) drivers.resize(kMostDrivers);
  Indicator& indicator = out.indicator;
  indicator.kind = kind;
  indicator.horizon_seconds = horizon_seconds;
  indicator.valid = true;
  indicator.event = event;
  indicator.probability = event ? 1 : std::max(probability, 0.0);
  indicator.drivers = std::move(drivers);
  if (strongest != nullptr) {
    indicator.cause = strongest->cause;
    const bool trusted = strongest->probability || strongest->use > kTrustFromUse;
    if (trusted) indicator.eta_seconds = strongest->eta_seconds;
    out.sentence = strongest->sentence;
    if (!event) out.outlook = strongest->outlook;
  }
  if (event) indicator.eta_seconds = 0;
  return out;
}

Assessment unknown(IndicatorKind kind, std::string why, double horizon_seconds) {
  Assessment out;
  out.indicator.kind = kind;
  out.indicator.horizon_seconds = horizon_seconds;
  out.indicator.why_invalid = std::move(why);
  return out;
}

}  // namespace rocktune
