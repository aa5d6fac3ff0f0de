#include "sim/limiter_tuning.h"

#include <algorithm>
#include <cmath>

namespace rocktune::sim {
namespace {

constexpr double kRefillSeconds = 0.1;                 // RocksDB's default
constexpr double kTuneSeconds = 100 * kRefillSeconds;  // kRefillsPerTune
constexpr double kLowPercent = 50, kHighPercent = 90;
constexpr double kTuneFactor = 1.05;    // kAdjustFactorPct 5
constexpr double kRangeFactor = 20;     // kAllowedRangeFactor
constexpr double kRounding = 1e-9;      // seconds
constexpr double kDrainedShare = 0.98;  // of the rate: somebody waits in every refill

}  // namespace

double LimiterTuning::due() const {
  return std::max(kTuneSeconds - elapsed_, 0.0);
}

void LimiterTuning::pass(double seconds, double written_per_second) {
  elapsed_ += seconds;
  // What one refill holds is there at once: nobody waits before that is used up.
  at_limit_ = written_per_second >= kDrainedShare * rate_ ? at_limit_ + seconds : 0;
  drained_ += std::clamp(at_limit_ - kRefillSeconds, 0.0, seconds);
  // Only who asks for bytes finds that it is time.
  if (due() <= kRounding && written_per_second > 0) tune();
}

void LimiterTuning::tune() {
  const double percent = std::floor(drained_ / elapsed_ * 100);
  const double least = most_ / kRangeFactor;
  if (percent == 0) {
    rate_ = least;
  } else if (percent < kLowPercent) {
    rate_ = std::max(least, rate_ / kTuneFactor);
  } else if (percent > kHighPercent) {
    rate_ = std::min(most_, rate_ * kTuneFactor);
  }
  elapsed_ = drained_ = at_limit_ = 0;
}

}  // namespace rocktune::sim
