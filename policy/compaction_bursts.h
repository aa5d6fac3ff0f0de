// What compactions do to reads and writes: their P99 while compactions work beside it while none
// does. Compactions come in bursts; between them others have the device for themselves. Pure;
// bounded; internal to policy/.
#pragma once

#include "model/features.h"
#include "model/trend.h"
#include "policy/side.h"

namespace rocktune {

class CompactionBursts {
 public:
  // Once per sample; `write_p99_us`: absent where writes stall. Those in which others on the device
  // write more (policy/others_work.h) do not count: what is waited for is theirs.
  void observe(const Features& features, const Value& write_p99_us, bool others_prevail);

  // Means of 30 s, in microseconds; absent with fewer than 3 readings.
  [[nodiscard]] Value p99_us_beside(Side side) const { return mean(of(side).beside); }
  [[nodiscard]] Value p99_us_without(Side side) const { return mean(of(side).without); }
  [[nodiscard]] Value p99_us(Side side) const { return mean(of(side).all); }  // of both
  // So many times as long beside them as without.
  [[nodiscard]] bool slow_down(Side side) const;

 private:
  static constexpr double kBurstsSeconds = 30;
  static Value mean(const Trend& trend) {
    return trend.size() >= 3 ? trend.mean(kBurstsSeconds) : std::nullopt;
  }
  struct Waits {
    Trend beside{Trend::Jumps::kKeep, 0, kBurstsSeconds};
    Trend without{Trend::Jumps::kKeep, 0, kBurstsSeconds};
    Trend all{Trend::Jumps::kKeep, 0, kBurstsSeconds};
    void note(Nanoseconds now, const Value& p99_us, bool works);
    void expire(Nanoseconds now);
  };
  [[nodiscard]] const Waits& of(Side side) const { return side == Side::kReads ? reads_ : writes_; }
  Waits reads_, writes_;
};

}  // namespace rocktune
