#include "model/foreseen_growth.h"

#include <algorithm>

namespace rocktune {
namespace {

// Less is within the saw-tooth of most databases, and tells nothing.
constexpr double kLeastForeseen = 3;  // files
// The weight of one that came short of the share, or beyond it.
constexpr double kDown = 0.4, kUp = 0.5;
// What came long ago says less and less: s, to a third.
constexpr double kFades = 300;

}  // namespace

void ForeseenGrowth::see(double passed, double files, double slowdown) {
  share_ += static_cast<float>((1 - static_cast<double>(share_)) * std::min(1.0, passed / kFades));
  if (!(peak_ > 0)) return;
  waited_ += static_cast<float>(passed);
  seen_ = std::max(seen_, static_cast<float>(files));
  const auto then = static_cast<double>(files_);
  const double growth = std::min<double>(peak_, slowdown) - then;
  const double came =
      growth > 0 ? std::clamp((static_cast<double>(seen_) - then) / growth, 0.0, 1.0) : 1;
  if (came < 1 && static_cast<double>(waited_) < kSeconds) return;
  const auto share = static_cast<double>(share_);
  share_ += static_cast<float>((came < share ? kDown : kUp) * (came - share));
  peak_ = 0;
}

void ForeseenGrowth::foresee(double files, double peak) {
  if (peak_ > 0 || peak - files < kLeastForeseen) return;
  waited_ = 0;
  files_ = seen_ = static_cast<float>(files);
  peak_ = static_cast<float>(peak);
}

}  // namespace rocktune
