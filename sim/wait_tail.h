// WaitTail: how long those wait who wait, by mean and variation. The share that waits longer than t
// is exp(-(a t + b t^2)): exponential where the variation is 1, and with ever shorter a tail the
// evener waits are, down to a Rayleigh distribution's; what is more or less uneven than these is
// taken as the nearest of them. Pure.
#pragma once

#include <cmath>

namespace rocktune::sim {

class WaitTail {
 public:
  WaitTail() = default;
  // `variation`: the variance over the mean's square.
  WaitTail(double mean_seconds, double variation);

  [[nodiscard]] double mean_seconds() const { return mean_; }
  [[nodiscard]] double longer_than(double seconds) const {
    return std::exp(-(linear_ + square_ * seconds) * seconds);
  }

 private:
  double mean_ = 0, linear_ = 0, square_ = 0;
};

}  // namespace rocktune::sim
