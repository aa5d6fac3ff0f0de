// TimeBins: series over one time, thinned while they stream. Each keeps at most kMostBins points,
// however long the recording is: where they would not do, bins become twice as wide and two of them
// one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "page/page.h"

namespace rocktune::tools {

// What stands for several values in one bin.
enum class Keep { kMean, kMost, kLast };

class TimeBins {
 public:
  // A wide screen has some 2,000 pixels: more points than that nobody sees.
  static constexpr std::size_t kMostBins = 2400;

  // The width to begin with, above zero: the interval at which values are expected.
  explicit TimeBins(double width_seconds) : first_width_(width_seconds), width_(width_seconds) {}

  // A further series; returns its number.
  std::size_t add(Keep keep);
  // A further one that keeps the last, of a value that held until now: it has `value` wherever
  // `like` has any, from `seconds` on.
  std::size_t add_held(double value, double seconds, std::size_t like);
  // Values that are put from now on belong to that moment; below zero counts as zero.
  void move_to(double seconds);
  void put(std::size_t series, double value);

  [[nodiscard]] double width_seconds() const { return width_; }
  [[nodiscard]] bool is_thinned() const { return width_ > first_width_; }
  [[nodiscard]] bool is_empty(std::size_t series) const { return series_[series].values == 0; }
  [[nodiscard]] double most(std::size_t series) const { return series_[series].most; }
  // One for each bin until the last one of any series, absent where there is no value; values are
  // divided by `divisor`.
  [[nodiscard]] std::vector<page::Point> points(std::size_t series, double divisor = 1) const;

 private:
  struct Bin {
    double value = 0;  // the sum, the most or the last one
    std::uint64_t count = 0;
  };
  struct Series {
    Keep keep = Keep::kMean;
    std::vector<Bin> bins;
    std::uint64_t values = 0;
    double most = 0;
  };
  [[nodiscard]] std::size_t bin_of(double seconds) const;
  void widen();

  double first_width_, width_;
  std::size_t bin_ = 0, bins_ = 0;
  std::vector<Series> series_;
};

}  // namespace rocktune::tools
