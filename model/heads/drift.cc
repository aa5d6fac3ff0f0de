#include "model/heads/drift.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// A block's residual counts up to 3 deviations; 0.5 of it is tolerated, and 10 in all. Chosen: a
// calibrated forecast of independent blocks trips it less than once in ten thousand blocks (the
// test beside it counts), one that is off by two deviations within seven.
constexpr double kMostResidual = 3;
constexpr double kTolerated = 0.5;
constexpr double kLimit = 10;
// The spread of a block whose forecasts are all but certain.
constexpr double kLeastBlockSpread = 0.01;

}  // namespace

bool Drift::add(double probability, bool came) {
  off_ += (came ? 1 : 0) - probability;
  spread_ += probability * (1 - probability);
  if (++count_ < block_) return false;
  const auto count = static_cast<double>(count_);
  const double residual = off_ / count / std::sqrt(std::max(spread_ / count, kLeastBlockSpread));
  count_ = 0;
  off_ = spread_ = 0;
  return step(residual);
}

bool Drift::step(double residual) {
  if (!std::isfinite(residual)) return false;
  const double one = std::clamp(residual, -kMostResidual, kMostResidual);
  up_ = std::max(0.0, up_ + one - kTolerated);
  down_ = std::max(0.0, down_ - one - kTolerated);
  if (up_ < kLimit && down_ < kLimit) return false;
  up_ = down_ = 0;
  return true;
}

}  // namespace rocktune
