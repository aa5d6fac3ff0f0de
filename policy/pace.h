// Pace: compactions that have the time are spread over it: in a burst they take the device from
// reads (or writes, where they come first), and stand still before and after it. docs/control.md,
// "The limiter". Pure; bounded; internal to policy/.
#pragma once

#include <optional>
#include <string>

#include "policy/compaction_bursts.h"
#include "policy/others_work.h"
#include "policy/situation.h"

namespace rocktune {

class Pace {
 public:
  // Call with every sample.
  void observe(const Situation& situation);
  // `need`: the largest that is remembered, bytes/s; `margin`: what a lowered limit leaves of it.
  [[nodiscard]] std::optional<Proposal> lower(const Situation& situation,
                                              const KnobReading& reading, double need,
                                              double margin) const;
  // Who reads, or writes, takes so much longer while compactions run.
  [[nodiscard]] bool slow_down(Side side) const { return bursts_.slow_down(side); }
  [[nodiscard]] std::string bursts_text(Side side) const;  // where they do

 private:
  struct Reason {
    std::string text;
    Expectation expected;
  };
  [[nodiscard]] std::optional<Reason> reason(const Situation& situation, Side side) const;

  OthersWork others_;
  CompactionBursts bursts_;
  Held written_;  // anything at all
  double written_seconds_ = 0;
};

}  // namespace rocktune
