#include "model/probability.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// Later than this is "not approaching": nobody plans for it, and it prints badly.
constexpr double kLongestEtaSeconds = 3600;

}  // namespace

double crossing_probability(double use, std::optional<double> eta_seconds, double horizon_seconds,
                            double weight) {
  double level = 1 / (1 + std::exp(-(use - 0.9) / 0.05));
  double flow = 0;
  if (eta_seconds && horizon_seconds > 0) {
    double horizons = *eta_seconds / horizon_seconds;
    flow = 1 / (1 + horizons * horizons);
  }
  double trust = std::clamp((use - kTrustFromUse) / 0.3, 0.0, 1.0);
  return 1 - (1 - level) * (1 - weight * trust * flow);
}

std::optional<double> time_to_limit(double use, std::optional<double> slope) {
  if (use >= 1) return 0.0;
  if (!slope || !(*slope > 0)) return std::nullopt;
  double eta = (1 - use) / *slope;
  return eta <= kLongestEtaSeconds ? std::optional(eta) : std::nullopt;
}

}  // namespace rocktune
