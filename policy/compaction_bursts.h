// What compactions do to reads: the P99 of reads while compactions work beside it while none does.
// Compactions come in bursts; between them reads have the device for themselves. Pure; bounded;
// internal to policy/.
#pragma once

#include "model/features.h"
#include "model/trend.h"

namespace rocktune {

class CompactionBursts {
 public:
  // Once per sample. Those in which others on the device write more (policy/others_work.h) do not
  // count: what reads wait for is theirs.
  void observe(const Features& features, bool others_prevail);

  // Means of 30 s, in microseconds; absent with fewer than 3 readings.
  [[nodiscard]] Value read_p99_us_beside() const { return mean(beside_); }
  [[nodiscard]] Value read_p99_us_without() const { return mean(without_); }
  [[nodiscard]] Value read_p99_us() const { return mean(all_); }  // of both

 private:
  static constexpr double kBurstsSeconds = 30;
  static Value mean(const Trend& trend) {
    return trend.size() >= 3 ? trend.mean(kBurstsSeconds) : std::nullopt;
  }
  Trend beside_{Trend::Jumps::kKeep, 0, kBurstsSeconds};
  Trend without_{Trend::Jumps::kKeep, 0, kBurstsSeconds};
  Trend all_{Trend::Jumps::kKeep, 0, kBurstsSeconds};
};

}  // namespace rocktune
