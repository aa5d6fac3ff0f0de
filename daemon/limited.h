// Limited: lets a message through at most once per interval, and counts those it held back.
#pragma once

#include <cstdint>
#include <optional>

#include "model/clock.h"

namespace rocktune::daemon {

class Limited {
 public:
  explicit Limited(Nanoseconds interval) : interval_(interval) {}

  // How many were held back since the last one, if this one may pass.
  std::optional<std::uint64_t> pass(Nanoseconds now) {
    if (last_ && now - *last_ < interval_) {
      ++held_back_;
      return std::nullopt;
    }
    last_ = now;
    const std::uint64_t held = held_back_;
    held_back_ = 0;
    return held;
  }

 private:
  Nanoseconds interval_;
  std::optional<Nanoseconds> last_;
  std::uint64_t held_back_ = 0;
};

}  // namespace rocktune::daemon
