// Pause: for how long an agent, or one database of it, is left alone after an answer that was none:
// a second, then twice as long each time, up to a minute, until one is as it should be. What reads
// a broken answer costs everybody's time, and it seldom mends within a poll. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>

#include "model/clock.h"

namespace rocktune::daemon {

class Pause {
 public:
  static constexpr Nanoseconds kFirst = std::chrono::seconds(1);
  static constexpr Nanoseconds kLongest = std::chrono::seconds(60);
  // Why a sample in it was not read, and what the error that began it says besides.
  static constexpr const char* kWhy =
      "left alone for up to a minute, since its last answer was no valid one";
  static constexpr const char* kClause =
      "; it is left alone for a second, then twice as long each time, up to a minute";

  void begin(Nanoseconds now) {
    length_ = length_ == Nanoseconds(0) ? kFirst : std::min(2 * length_, kLongest);
    until_ = now + length_;
  }
  [[nodiscard]] bool lasts(Nanoseconds now) const { return now < until_; }
  void end() { *this = Pause(); }

 private:
  Nanoseconds length_{0}, until_{0};
};

}  // namespace rocktune::daemon
