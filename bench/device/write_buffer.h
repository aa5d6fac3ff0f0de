// The memory of a drive that takes writes before they are on the flash: a write is acknowledged as
// soon as there is room for it, while its work still stands in the server's queue, where reads wait
// behind it. Without room it waits until enough of the writes before it are done.
// Time is a parameter. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "model/clock.h"

namespace rocktune::bench {

class WriteBuffer {
 public:
  // 0 bytes: there is none, and every write waits until it is done.
  explicit WriteBuffer(std::int64_t bytes) : room_(bytes) {}

  // When a write that arrives at `now` and will be done at `done` has found room. Writes are done
  // in the order in which they arrive.
  Nanoseconds take(std::int64_t bytes, Nanoseconds now, Nanoseconds done) {
    if (room_ == 0) return done;
    while (!held_.empty() && held_.front().done <= now) release();
    held_.push_back({done, bytes});
    in_use_ += bytes;
    Nanoseconds taken = now;
    while (in_use_ > room_) {
      taken = std::max(taken, held_.front().done);
      release();
    }
    return taken;
  }

 private:
  struct Held {
    Nanoseconds done{0};
    std::int64_t bytes = 0;
  };
  void release() {
    in_use_ -= held_.front().bytes;
    held_.pop_front();
  }

  std::int64_t room_;
  std::int64_t in_use_ = 0;
  std::deque<Held> held_;
};

}  // namespace rocktune::bench
