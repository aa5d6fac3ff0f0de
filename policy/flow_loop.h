// The loop of delayed_write_rate: an unavoidable slowdown is to be even, not a stop. Pure; internal
// to policy/.
//
// RocksDB begins a delay at delayed_write_rate and then moves it by a fifth at a time, never above
// it: the knob is a cap, too, so what was found comes back once the backlog is gone. Where that
// is far above what the database can keep up with, level 0 fills through the whole delay up to the
// stop; where it is far below, or has collapsed (facebook/rocksdb issue 1966: 26 KB/s), writers
// wait for no good reason. Either way the right value is what was accepted lately, but no more than
// what was found where pending bytes are what delays: what was accepted made them.
#pragma once

#include <optional>

#include "policy/situation.h"
#include "policy/stop_pattern.h"

namespace rocktune {

class FlowLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation);

 private:
  void look(const Situation& situation);
  [[nodiscard]] bool stops_in_turns(Nanoseconds now) const;
  [[nodiscard]] std::optional<Proposal> give_back(const Situation& situation,
                                                  const KnobReading& reading) const;

  std::optional<std::int64_t> rate_;       // as last seen
  std::optional<Nanoseconds> stop_began_;  // the present one
  // The last short one's end, and that of the one before.
  std::optional<Nanoseconds> stop_ended_, earlier_ended_;
  Trend written_{Trend::Jumps::kKeep, 0, 60};
  StopPattern stops_;
  Trend delayed_{Trend::Jumps::kKeep, 0, 10};
};

}  // namespace rocktune
