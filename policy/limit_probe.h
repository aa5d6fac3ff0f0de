// LimitProbe: whether changes of the limiter are what reads (or writes) waited for. That is open as
// long as nobody has tried: after three steps in a row, each given its time, their P99 has to be 5%
// lower, or it was something else, and where they began is offered back for half a minute. Pure;
// bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/situation.h"

namespace rocktune {

inline constexpr int kProbeSteps = 3;

class LimitProbe {
 public:
  struct Futile {
    std::int64_t from = 0;     // bytes/s, before the first step
    Side side = Side::kReads;  // for whom the last step was
    double p99_us = 0;         // ...as it was then
    bool fresh = false;        // told for the first time
  };
  // The limiter has moved on from there, for them; none begins where their P99 is not known.
  // `felt`: it is a try, and not only a step on the way to what passes.
  void step(const Situation& situation, std::int64_t from, Side side, bool felt = true);
  // Other things have moved it, or are why they are slow.
  void end() { probe_.reset(); }
  // Call with every sample. What gained ends the probe, and what is not taken stays.
  std::optional<Futile> judge(const Situation& situation, const KnobReading& reading,
                              int least_steps = kProbeSteps);
  [[nodiscard]] const std::optional<Nanoseconds>& futile_at() const { return futile_at_; }

 private:
  struct Probe {
    std::int64_t from = 0;
    Value reads_us, writes_us;  // as they were before the first step for them
    int steps = 0;
  };
  [[nodiscard]] bool gained(const Situation& situation) const;

  std::optional<Probe> probe_;
  Side side_ = Side::kReads;  // of the last step
  std::optional<Nanoseconds> stepped_at_, futile_at_;
};

}  // namespace rocktune
