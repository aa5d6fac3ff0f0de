// Limited: lets a message through at most once per interval, or so many times, and counts those it
// held back. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "model/clock.h"

namespace rocktune::daemon {

class Limited {
 public:
  explicit Limited(Nanoseconds interval, std::uint64_t most = 1)
      : interval_(interval), most_(most) {}

  // How many were held back since the last one, if this one may pass.
  std::optional<std::uint64_t> pass(Nanoseconds now) {
    if (!began_ || now - *began_ >= interval_) {
      began_ = now;
      passed_ = 0;
    }
    if (passed_ == most_) {
      ++held_back_;
      return std::nullopt;
    }
    ++passed_;
    const std::uint64_t held = held_back_;
    held_back_ = 0;
    return held;
  }
  // What may pass did not after all: `held` is what pass() gave, and counts for the next one.
  void give_back(std::uint64_t held) {
    held_back_ += held;
    if (--passed_ == 0) began_.reset();
  }

 private:
  Nanoseconds interval_;
  std::uint64_t most_, passed_ = 0;
  std::optional<Nanoseconds> began_;
  std::uint64_t held_back_ = 0;
};

}  // namespace rocktune::daemon
