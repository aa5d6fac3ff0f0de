#include "model/assessment.h"

#include <algorithm>
#include <utility>

#include "model/probability.h"

namespace rocktune {
namespace {

constexpr double kLevelWeight = 0.7;  // see probability.h

double strength(const Candidate& driver) {
  if (driver.limit && *driver.limit > 0) return driver.value / *driver.limit;
  return 0;  // without a limit: context, after those that have one
}

HorizonProbabilities probabilities_of(const Pressure& pressure, double weight) {
  if (pressure.probabilities) return *pressure.probabilities;
  HorizonProbabilities out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.at(i) =
        crossing_probability(pressure.use, pressure.eta_seconds, kHeadHorizons.at(i), weight);
  }
  return out;
}

}  // namespace

std::vector<Candidate> strongest_first(std::initializer_list<MaybeCandidate> all) {
  std::vector<Candidate> known;
  known.reserve(all.size());
  for (const MaybeCandidate& one : all) {
    if (one.value) known.push_back({one.feature, *one.value, one.limit});
  }
  std::stable_sort(known.begin(), known.end(), [](const Candidate& a, const Candidate& b) {
    return strength(a) > strength(b);
  });
  return known;
}

Assessment assess(IndicatorKind kind, const std::vector<Pressure>& pressures, bool event,
                  double horizon_seconds) {
  Assessment out;
  const Pressure* strongest = nullptr;
  double probability = -1;
  const double weight = kind == IndicatorKind::kCompactionBacklog ? 1 : kLevelWeight;
  const std::size_t horizon = nearest_head_horizon(horizon_seconds);
  for (const Pressure& pressure : pressures) {
    const HorizonProbabilities p = probabilities_of(pressure, weight);
    for (std::size_t i = 0; i < p.size(); ++i) {
      out.physical.at(i) = std::max(out.physical.at(i), p.at(i));
    }
    const bool stronger =
        p.at(horizon) > probability ||
        (p.at(horizon) == probability && strongest && pressure.use > strongest->use);
    if (!stronger) continue;
    strongest = &pressure;
    probability = p.at(horizon);
  }
  Indicator& indicator = out.indicator;
  indicator.kind = kind;
  indicator.horizon_seconds = horizon_seconds;
  indicator.valid = true;
  indicator.event = event;
  if (strongest != nullptr) {
    indicator.cause = strongest->cause;
    out.use = strongest->use;
    const bool trusted = strongest->probabilities || strongest->use > kTrustFromUse;
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
