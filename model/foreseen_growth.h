// ForeseenGrowth: how much of what the roll-outs foresaw L0 of a column family to grow by has come
// of late. A roll-out that is off by a tenth foresees a flood where compactions take nearly all of
// the time and L0 stands still; what came of those before says so. Pure; a fixed size.
#pragma once

#include <algorithm>

namespace rocktune {

class ForeseenGrowth {
 public:
  // How far ahead growth is checked: the shortest horizon that is scored.
  static constexpr double kSeconds = 10;

  // Once per sample, before foresee(): the seconds since the last one, L0 now, and its slowdown
  // trigger.
  void see(double passed, double files, double slowdown);
  // L0 is foreseen to reach `peak` files within kSeconds.
  void foresee(double files, double peak);
  // Of growth that is foreseen, the share that is to be expected: 0 to 1.
  [[nodiscard]] double share() const {
    return std::min(1.0, static_cast<double>(share_) / kTrusted);
  }

 private:
  static constexpr double kTrusted = 0.5;  // one that did not come is chance

  // Up to 64 of these are kept for each database.
  float files_ = 0, peak_ = 0;  // peak 0: nothing is waited for
  float waited_ = 0;            // s
  float seen_ = 0;              // the most files since
  float share_ = 1;
};

}  // namespace rocktune
