// The fast cache that a drive's writes go into (SLC, on flash drives) and the slower flash behind
// it: which of the two takes a write that arrives now?
//
// The cache drains all the time at its own rate. Once it is full, writes go around it, at the rate
// behind it, until it has drained: latency jumps after sustained writes, and comes back.
// Time is a parameter; rates may be scaled in the course (degradation). Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/clock.h"
#include "scenario/device/profile.h"

namespace rocktune::bench {

class WriteCache {
 public:
  explicit WriteCache(const scenario::WriteCacheProfile& profile) : profile_(profile) {}

  // True if the cache takes a write of `bytes` at `now`. Times before the last count as the last.
  bool take(std::int64_t bytes, Nanoseconds now, double rates) {
    if (profile_.bytes == 0) return true;
    drain(now, rates);
    if (level_ <= 0) full_ = false;
    if (full_) return false;
    level_ += static_cast<double>(bytes);
    full_ = level_ >= static_cast<double>(profile_.bytes);
    return true;
  }

 private:
  void drain(Nanoseconds now, double rates) {
    if (now <= at_) return;
    level_ =
        std::max(0.0, level_ - profile_.drain_bytes_per_second * rates * seconds_between(at_, now));
    at_ = now;
  }

  scenario::WriteCacheProfile profile_;
  double level_ = 0;  // bytes not yet in the flash behind
  bool full_ = false;
  Nanoseconds at_{0};  // when level_ was last brought up to date
};

}  // namespace rocktune::bench
