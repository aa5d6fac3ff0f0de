// LoweredBase: whether a base of the levels was lowered within ten minutes, by whomever: what was
// above it waits for compaction at once. Pure; internal to policy/.
#pragma once

#include <optional>

#include "model/clock.h"
#include "model/features.h"
#include "model/knobs.h"

namespace rocktune {

class LoweredBase {
 public:
  // Call with every sample. One whose knobs were not read tells of none.
  bool update(const Features& f) {
    if (!f.knobs.empty() && !(f.knobs == knobs_)) look(f);
    return lowered_at_ && seconds_between(*lowered_at_, f.at.tick) < kSeconds;
  }

 private:
  static constexpr double kSeconds = 600;
  void look(const Features& f) {
    for (const KnobReading& knob : f.knobs) {
      if (knob.name != knob::kLevelBase) continue;
      const KnobReading* before = knobs_.find(knob.name, knob.column_family);
      if (before != nullptr && knob.value < before->value) lowered_at_ = f.at.tick;
    }
    knobs_ = f.knobs;
  }
  std::optional<Nanoseconds> lowered_at_;
  KnobReadings knobs_;  // as last read
};

}  // namespace rocktune
