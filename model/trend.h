// Trend: the recent course of one value, and how fast it moves. Pure. At most 512 points, in memory
// that grows to what the window needs (at a poll of 500 ms half a kilobyte) and then allocates no
// more.
//
// The slope is a least-squares line over the window. LSM values do not only flow, they also jump:
// L0 falls by a whole compaction's input when that compaction ends, and pending bytes step by
// gigabytes when level targets shrink (facebook/rocksdb issue 9423). A jump says nothing about the
// flow before and after it, so the line is fitted to the increments that are left without it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/clock.h"

namespace rocktune {

class Trend {
 public:
  enum class Jumps {
    kKeep,      // every increment counts
    kFalls,     // falls beyond `fall_limit` between two readings are left out
    kOutliers,  // increments beyond 4 times the 80th percentile of those that are not zero (pending
                // bytes move only when a flush or a compaction ends) are left out, up or down
  };

  explicit Trend(Jumps jumps, double fall_limit = 0, double window_seconds = 15);

  // Values that are not finite, or beyond 1e300, and ticks that do not rise are ignored; so is what
  // comes within a 512th of the window (of 60 s where that is longer) after the point before.
  void add(Nanoseconds tick, double value);
  // add() of a sample's value; expire() where it has none.
  void note(Nanoseconds now, const std::optional<double>& value);
  // Drops what has left the window; call when there was no value to add.
  void expire(Nanoseconds now);
  void clear();

  // Per second; absent with fewer than 6 points or less than 2 seconds of them.
  [[nodiscard]] std::optional<double> slope() const;
  // Over the last `seconds` before the newest point; absent when empty.
  [[nodiscard]] std::optional<double> mean(double seconds) const;
  // Standard deviation; absent with fewer than two points.
  [[nodiscard]] std::optional<double> deviation(double seconds) const;
  [[nodiscard]] std::optional<double> median(double seconds) const;
  [[nodiscard]] std::optional<double> largest(double seconds) const;
  [[nodiscard]] std::optional<double> smallest(double seconds) const;
  [[nodiscard]] std::size_t size() const { return ticks_.size() - first_; }
  [[nodiscard]] double span_seconds() const;
  // Since the newest point; absent when empty.
  [[nodiscard]] std::optional<double> age_seconds(Nanoseconds now) const;

 private:
  // Those in the window, from the oldest on.
  [[nodiscard]] std::span<const Nanoseconds> ticks() const {
    return std::span(ticks_).subspan(first_);
  }
  [[nodiscard]] std::span<const double> values() const {
    return std::span(values_).subspan(first_);
  }
  // The values of the last `seconds`.
  [[nodiscard]] std::span<const double> values_of(double seconds) const;
  void make_room();
  [[nodiscard]] double increment_limit() const;
  [[nodiscard]] bool is_jump(double increment, double limit) const;

  Jumps jumps_;
  double fall_limit_;
  Nanoseconds window_;
  std::vector<Nanoseconds> ticks_;
  std::vector<double> values_;
  std::size_t first_ = 0;  // what is before it has left the window
};

}  // namespace rocktune
