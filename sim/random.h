// Random: the chance in simulated runs, the same on every machine and in every build: <random>'s
// distributions are not, and libm is not asked. Pure.
#pragma once

#include <cstdint>

#include "model/split_mix.h"

namespace rocktune::sim {

class Random {
 public:
  // Streams of one seed are independent: each purpose takes its own, so that asking for one number
  // more here changes nothing there.
  Random(std::uint64_t seed, std::uint64_t stream)
      : state_(split_mix_finish(seed) ^ split_mix_finish(~stream)) {}

  std::uint64_t next() { return split_mix_next(state_); }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Mean 0, deviation 1, within +-6: the sum of twelve uniform numbers.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace rocktune::sim
