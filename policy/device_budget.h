// DeviceBudget: how much the databases on one device may write in the background, all together.
//
// Open (absent) as long as nobody suffers: then no rate is divided and each engine acts as if
// alone. It closes, at what passed lately, when the device is busy and one member suffers from
// another's background work: its reads are above their SLO without a backlog of its own, or it has
// a backlog while others, who have none, write. While reads suffer it falls in small steps, not
// below what all writes need; a member whose backlog its slice holds up raises it at once: the
// backlog wins, as in each engine. Quiet for a while it rises, and opens where it limits nothing
// any more; so it does where it rises far above all that is written. Each time that trouble comes
// back soon after either, the quiet time doubles. Pure; not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "policy/demand.h"
#include "policy/learnt_wait.h"

namespace rocktune {

// How many times what a database's writes need is kept for it: as the limiter's loop leaves
// (policy/headroom.h).
inline constexpr double kSharedNeedMargin = 1.3;

struct DeviceMember {
  Demand demand;
  double least = 0;               // bytes/s that it is never limited below
  bool held_up = false;           // its rate limit stands at its slice, or above, and is used up
  std::optional<double> at_most;  // of the device, for background work, where that is known
};

class DeviceBudget {
 public:
  // Bytes/s; absent: open. Call at every poll.
  std::optional<double> update(Nanoseconds now, const std::vector<DeviceMember>& members);

 private:
  struct Picture {
    double background = 0, least = 0;
    bool busy = false, reads_hurt = false, writes_hurt = false, held_up = false;
    std::optional<double> at_most;
  };
  static Picture look(const std::vector<DeviceMember>& members);
  void close(const Picture& picture, Nanoseconds now);
  void rise(double factor, const Picture& picture, Nanoseconds now);
  void lower(const Picture& picture, Nanoseconds now);

  static constexpr double kQuietSeconds = 60;

  std::optional<double> budget_;
  Trend background_{Trend::Jumps::kKeep, 0, 60};
  Held hurt_, quiet_;
  Nanoseconds moved_{0};              // last, while there is a budget
  std::optional<Nanoseconds> freed_;  // for a backlog that it did not hold up; it rests then, too
  LearntWait rest_{kQuietSeconds};    // no rise for so long after somebody suffered
};

}  // namespace rocktune
