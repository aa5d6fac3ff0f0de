// Drift: whether forecasts have become wrong in one direction for longer than chance explains. The
// Page-Hinkley test (Page 1954; Hinkley 1971), two-sided, on standardised residuals. Pure.
//
// Forecasts of overlapping horizons are wrong together, so that single seconds would cry drift at
// every surprise: residuals are those of whole blocks, one horizon long.
#pragma once

#include <cstddef>

namespace rocktune {

class Drift {
 public:
  explicit Drift(std::size_t block) : block_(block) {}

  // A resolved forecast. True when it is the one that shows a drift; the test then begins anew.
  bool add(double probability, bool came);
  void clear() { *this = Drift(block_); }

 private:
  bool step(double residual);

  std::size_t block_;
  std::size_t count_ = 0;
  double off_ = 0, spread_ = 0;  // of this block
  double up_ = 0, down_ = 0;     // cumulated, less what is tolerated; not below 0
};

}  // namespace rocktune
