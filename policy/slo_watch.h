// SloWatch: whether one service level was kept before a change, and is broken after it. Medians of
// the P99 of intervals, since a single interval's says little. Intervals with next to no operations
// do not count: a health check has no service level. Pure; bounded; internal to policy/.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "model/clock.h"
#include "model/features.h"

namespace rocktune {

class SloWatch {
 public:
  // `p99_us` is the feature of that name, `rate` tells of how many operations a second it is, and
  // `limit_us` is its objective.
  using Rate = Value (*)(const Features&);
  SloWatch(std::string name, Value Features::* p99_us, Rate rate, double limit_us)
      : name_(std::move(name)), p99_us_(p99_us), rate_(rate), limit_(limit_us) {}

  // One change, followed from its beginning.
  struct Watched {
    // The median of the last 10 s, or of five polls; unset: unknown, or not kept.
    std::optional<double> before;
    double threshold = 0;  // above it counts as broken
    int seen = 0, over = 0;
    double seconds = 0;   // of those seen
    double worst_us = 0;  // of those above
  };
  // It was kept before, and three of four intervals since were above.
  struct Broken {
    std::string text;  // what to say
    std::string feature;
    double worst_us = 0, limit_us = 0;
  };

  void observe(const Features& features);
  [[nodiscard]] Watched begin() const;
  void count(Watched& watched, const Features& features) const;
  [[nodiscard]] std::optional<Broken> broken(const Watched& watched) const;
  void reset() { recent_.clear(); }
  [[nodiscard]] const std::string& name() const { return name_; }  // of the feature

 private:
  struct Point {
    Nanoseconds tick{0};
    double p99_us = 0;
  };
  [[nodiscard]] Value p99(const Features& features) const;

  std::string name_;
  Value Features::* p99_us_;
  Rate rate_;
  double limit_;
  std::deque<Point> recent_;
};

}  // namespace rocktune
