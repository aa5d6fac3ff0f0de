// What the guard remembers: its allowed changes, for dwell and change budget, what passed the
// limiter lately, and when writes were last held up. Bounded; internal to policy/. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "model/decision.h"
#include "model/features.h"
#include "model/knobs.h"
#include "model/trend.h"
#include "policy/gone_knobs.h"

namespace rocktune {

class GuardHistory {
 public:
  void observe(const Features& features);
  void record(const Proposal& proposal, Nanoseconds now);
  void undo(const Proposal& proposal);  // the newest recorded change of this knob
  void forget(const GoneKnobs& gone);
  void reset();  // keeps the change budget

  // Why the change has to wait; absent when it has not. A raise of the limiter that writes wait for
  // now waits for the next poll only.
  [[nodiscard]] std::optional<std::string> dwell(const Proposal& proposal, const KnobSpec& spec,
                                                 Nanoseconds now) const;
  [[nodiscard]] std::optional<std::string> over_budget(int changes_per_hour, Nanoseconds now);
  // RocksDB delayed or stopped writes within the last 10 s.
  [[nodiscard]] bool stalled_lately(Nanoseconds now) const;
  // Largest throughput of the limiter in the last 30 s; absent when it was not read.
  [[nodiscard]] std::optional<double> limiter_peak() const;
  [[nodiscard]] std::size_t remembered() const { return moves_.size(); }  // knobs

 private:
  struct Change {
    Nanoseconds tick{0};
    KnobId knob;
  };

  std::map<KnobId, std::deque<Nanoseconds>> moves_;
  std::deque<Change> changes_;
  Trend limiter_{Trend::Jumps::kKeep, 0, 30};
  std::optional<Nanoseconds> stalled_;
};

}  // namespace rocktune
