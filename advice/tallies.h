// What evidence is kept in: sums, means, shares and peaks over a recording of any length, each in
// a few numbers. Every one is absent until something was counted. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace rocktune::advice {

using Value = std::optional<double>;

// part / whole; absent when either is, or when the whole is not above zero.
inline Value ratio(const Value& part, const Value& whole) {
  if (!part || !whole || !(*whole > 0)) return std::nullopt;
  const double value = *part / *whole;
  return std::isfinite(value) ? Value(value) : std::nullopt;
}

// An amount, and the seconds over which it was counted.
class Sum {
 public:
  void add(const Value& amount, double seconds) {
    if (!amount) return;
    total_ += *amount;
    seconds_ += seconds;
  }
  [[nodiscard]] Value total() const { return seconds_ > 0 ? Value(total_) : std::nullopt; }
  [[nodiscard]] Value per_second() const { return ratio(total(), seconds_); }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double total_ = 0;
  double seconds_ = 0;
};

// The mean over time.
class Mean {
 public:
  void add(const Value& value, double seconds) {
    if (!value || !(seconds > 0)) return;
    weighted_ += *value * seconds;
    seconds_ += seconds;
    peak_ = std::max(peak_, *value);
  }
  [[nodiscard]] Value mean() const { return ratio(weighted_, seconds_); }
  [[nodiscard]] Value peak() const { return seconds_ > 0 ? Value(peak_) : std::nullopt; }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double weighted_ = 0;
  double seconds_ = 0;
  double peak_ = 0;  // of what cannot be negative
};

// The share of the time that something held.
class Share {
 public:
  void add(std::optional<bool> holds, double seconds) {
    if (!holds || !(seconds > 0)) return;
    held_ += *holds ? seconds : 0;
    seconds_ += seconds;
  }
  [[nodiscard]] Value share() const { return ratio(held_, seconds_); }
  [[nodiscard]] double held_seconds() const { return held_; }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double held_ = 0;
  double seconds_ = 0;
};

}  // namespace rocktune::advice
