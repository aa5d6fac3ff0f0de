// CostlyJobs: whether a raise of max_background_jobs costs what is felt. From 20 s after its last
// step (steps before that are one raise) to 60 s after it the reads of 10 s are compared with those
// of the 10 s before it: where fewer are done and each takes longer, with as many in flight, more
// compactions take the device or the CPUs from them. After a stall, beside one, or a backlog near a
// limit, reads and writes together have to be fewer, too: who is no longer held up does more. Not
// told of a raise by others, beside other changes of knobs (but of how large single writes are),
// nor where writers go first. Pure; bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/growing_rest.h"
#include "policy/situation.h"

namespace rocktune {

class CostlyJobs {
 public:
  struct Rate {
    double per_second = 0, deviation = 0;
  };
  struct Done {
    Rate reads;
    double read_mean_us = 0;
    std::optional<Rate> all;  // reads and writes
  };
  struct Cost {
    std::int64_t back_to = 0, jobs = 0;
    Done before, after;
    bool in_stall = false;
  };
  // Call with every sample. `own`: the loop asked for what rose.
  void observe(const Situation& situation, std::int64_t jobs, bool own);
  // After a raise that cost reads while nobody stalled only where writers stall, until its rest is
  // over; after one that cost more than it brought in a stall not before.
  [[nodiscard]] bool may_raise(const Situation& situation) const;
  // What is to go back; for a minute, or, where nobody stalled, until writers do: then what stands
  // stays.
  [[nodiscard]] std::optional<Cost> to_go_back(Nanoseconds now) const;

 private:
  static constexpr double kReadingsSeconds = 10;
  struct Raise {
    Nanoseconds tick{0};    // of the last step
    std::int64_t from = 0;  // before the first, as all that follows
    bool in_stall = false;  // or soon after one
    KnobReadings knobs;
    std::optional<Done> done;
  };
  void note_change(const Situation& situation, std::int64_t jobs, bool own);
  void judge(const Situation& situation, std::int64_t jobs);
  [[nodiscard]] std::optional<Done> done() const;

  std::optional<std::int64_t> jobs_;  // as last seen, as are
  KnobReadings knobs_;
  std::optional<Raise> raise_;  // not judged yet
  std::optional<Cost> cost_;
  bool offered_ = false;  // that it goes back
  GrowingRest rest_;      // since one cost reads
  std::optional<Nanoseconds> stalled_at_;
  // With as many jobs as now
  Trend reads_{Trend::Jumps::kKeep, 0, kReadingsSeconds};
  Trend all_{Trend::Jumps::kKeep, 0, kReadingsSeconds};
  Trend mean_us_{Trend::Jumps::kKeep, 0, kReadingsSeconds};
};

// "3000 reads/s are done, ...": what followed the raise, and what was before it.
std::string cost_text(const CostlyJobs::Cost& cost);

}  // namespace rocktune
