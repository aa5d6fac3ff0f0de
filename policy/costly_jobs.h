// CostlyJobs: whether a raise of max_background_jobs for a backlog that nobody feels costs what is
// felt. From 20 s after its last step (steps before that are one raise) to 60 s after it the reads
// of 10 s are compared with those of the 10 s before it: where fewer are done and each takes
// longer, with as many in flight, more compactions take the device or the CPUs from them. Not told
// of a raise in a stall or by others, beside other changes of knobs, while writers stall, or while
// the backlog is still near a limit; nor where writers go first. Pure; bounded; internal to
// policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

class CostlyJobs {
 public:
  struct Reads {
    double per_second = 0, deviation = 0, mean_us = 0;
  };
  struct Cost {
    std::int64_t back_to = 0, jobs = 0;
    Reads before, after;
  };
  // Call with every sample. `own`: the loop asked for what rose.
  void observe(const Situation& situation, std::int64_t jobs, bool own);
  // After a raise that cost reads only while writers stall, until its rest is over.
  [[nodiscard]] bool may_raise(const Situation& situation) const;
  // What is to go back; for a minute, or until writers stall: then what stands stays.
  [[nodiscard]] std::optional<Cost> to_go_back(Nanoseconds now) const;

 private:
  static constexpr double kReadingsSeconds = 10;
  struct Raise {
    Nanoseconds tick{0};    // of the last step
    std::int64_t from = 0;  // before the first, as all that follows
    KnobReadings knobs;
    std::optional<Reads> reads;
  };
  void note_change(const Situation& situation, std::int64_t jobs, bool own);
  void judge(const Situation& situation, std::int64_t jobs);
  [[nodiscard]] std::optional<Reads> reads() const;

  std::optional<std::int64_t> jobs_;  // as last seen, as are
  KnobReadings knobs_;
  std::optional<Raise> raise_;  // not judged yet
  std::optional<Cost> cost_;
  bool offered_ = false;  // that it goes back
  GrowingRest rest_;      // since one cost reads
  std::optional<Nanoseconds> stalled_at_;
  // With as many jobs as now, while writers do not stall
  Trend per_second_{Trend::Jumps::kKeep, 0, kReadingsSeconds};
  Trend mean_us_{Trend::Jumps::kKeep, 0, kReadingsSeconds};
};

}  // namespace rocktune
