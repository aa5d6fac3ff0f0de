#include "daemon/schedule.h"

#include <cassert>

namespace rocktune::daemon {

Schedule::Poll Schedule::take(Nanoseconds now) {
  assert(now >= next_);
  Poll poll;
  const auto missed = (now - next_) / interval_;
  poll.missed = static_cast<std::uint64_t>(missed);
  poll.first_missed = next_;
  poll.due = next_ + missed * interval_;
  poll.late = now - poll.due > interval_ / 2 || missed > 0;
  next_ = poll.due + interval_;
  return poll;
}

}  // namespace rocktune::daemon
