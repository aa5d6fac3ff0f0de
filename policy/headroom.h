// headroom: keeps background work fast enough for what is written, and no faster than reads can
// bear. One loop for each knob or two; docs/control.md gives each one's goal, dead band, steps and
// why it is stable. Internal to policy/: use make_policy().
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "policy/costly_jobs.h"
#include "policy/deferral.h"
#include "policy/duty.h"
#include "policy/full_device.h"
#include "policy/growing_debt.h"
#include "policy/learnt_wait.h"
#include "policy/limit_probe.h"
#include "policy/memory.h"
#include "policy/need_peak.h"
#include "policy/pace.h"
#include "policy/policy.h"
#include "policy/raised_jobs.h"
#include "policy/read_burden.h"
#include "policy/situation.h"
#include "policy/smoothing.h"
#include "policy/spared_jobs.h"
#include "policy/wishes.h"

namespace rocktune {

struct HeadroomParams {
  double limiter_raise_factor = 2;     // per step when a backlog warns; its square for lost time
  double limiter_lower_factor = 0.85;  // per step for disturbed reads; squared for writes
  double limiter_need_margin = 1.3;    // a lowered limit leaves this much more than is needed
  double jobs_return_seconds = 300;    // of comfort before an unused job is given back
  double cache_growth_factor = 1.5;
  double cache_knee_gain_ratio = 0.035;  // a growth that spared fewer of the misses found the knee
};

// After a raise the backlog that caused it has to be gone for good before the limiter is lowered. A
// raise soon after a lowering says that it was not: then the time doubles.
inline constexpr double kLimiterRestSeconds = 60;

// rate_limiter_bytes_per_second
class LimiterLoop {
 public:
  explicit LimiterLoop(const HeadroomParams& params) : params_(params) {}
  std::optional<Proposal> decide(const Situation& situation);
  // Compactions wait for reads, and debt is meant to grow.
  [[nodiscard]] bool defers() const { return deferral_.stage() != Deferral::Stage::kNone; }
  // What flushes and compactions write is made even.
  [[nodiscard]] bool smooths() const { return smoothing_.is_felt(); }
  // It is being raised, and waits for what the last step does.
  [[nodiscard]] bool pauses() const { return pauses_; }

 private:
  std::optional<Proposal> unpace(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> relieve(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> follow_need(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] std::optional<Proposal> defer(const Situation& situation,
                                              const KnobReading& reading) const;
  [[nodiscard]] std::optional<Side> disturbed(const Situation& situation) const;
  std::optional<Proposal> protect(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] std::optional<Proposal> pace(const Situation& situation,
                                             const KnobReading& reading) const;
  [[nodiscard]] std::optional<Proposal> give_back(const Situation& situation,
                                                  const KnobReading& reading) const;
  [[nodiscard]] bool rests(Nanoseconds now, Side side) const;
  [[nodiscard]] Side asked_for() const {
    return asks_for_ == Lowering::kWrites ? Side::kWrites : Side::kReads;
  }
  std::optional<Proposal> judge_lowerings(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> look_and_decide(const Situation& situation, const KnobReading& reading);
  enum class Lowering { kReads, kWrites, kPace, kDefer, kSmooth, kReturn };
  static Lowering lowering_of(std::string_view rule);
  [[nodiscard]] std::optional<Proposal> go_back(const Situation& situation,
                                                const KnobReading& reading) const;
  void note_changes(const KnobReading& reading, const Situation& situation);
  void note_lowering(const KnobReading& reading, const Situation& situation);

  HeadroomParams params_;
  std::optional<std::int64_t> rate_;  // as last seen
  std::optional<Nanoseconds> last_raise_, last_lowering_;
  bool pauses_ = false;
  LearntWait rest_{kLimiterRestSeconds};  // no lowering for so long after a raise
  Held short_of_need_;
  LimitProbe probe_;  // lowerings for reads or writes
  OwnWish wish_, raise_wish_{OwnWish::Way::kUp};
  Pace pace_;
  Lowering asks_for_ = Lowering::kReads;  // the last that was...
  bool asks_for_others_ = false;          // ...while others' reads asked
  FullDevice full_;
  Deferral deferral_;
  Smoothing smoothing_;
  ReadBurden burden_;
  // A pace, a deferral or a smoothing was asked for and made, and the limiter is not back yet: the
  // rate before
  std::optional<std::int64_t> paced_from_;
  bool returns_ = false;  // there, once a division of the device lets it
  GrowingDebt paced_debt_;
  Duty paced_duty_;  // of a paced limit that is all used
  NeedPeak need_peak_;
};

inline constexpr double kLoadedReturnSeconds = 10;

// max_background_jobs
class JobsLoop {
 public:
  explicit JobsLoop(const HeadroomParams& params) : unused_wait_(params.jobs_return_seconds) {}
  // `limiter_first`: the limiter is being raised; more jobs would only share what it lets through.
  std::optional<Proposal> decide(const Situation& situation, bool limiter_first);

 private:
  std::optional<Proposal> relieve(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> give_back(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> give_back_loaded(const Situation& situation, const KnobReading& reading);
  std::optional<Proposal> look_and_decide(const Situation& situation, const KnobReading& reading,
                                          bool limiter_first);
  std::optional<Proposal> smooth(const Situation& situation, const KnobReading& reading);
  void note_changes(const KnobReading& reading, Nanoseconds now);
  void look(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] std::optional<Proposal> give_back_futile(const Situation& situation,
                                                         const KnobReading& reading) const;
  [[nodiscard]] std::optional<Proposal> give_back_costly(const Situation& situation,
                                                         const KnobReading& reading) const;
  [[nodiscard]] std::optional<Proposal> spare(const Situation& situation,
                                              const KnobReading& reading) const;
  [[nodiscard]] std::optional<Proposal> end_sparing(const Situation& situation,
                                                    const KnobReading& reading) const;

  RaisedJobs raised_;
  CostlyJobs costly_;
  SparedJobs spared_;
  LearntWait unused_wait_;  // how long a job has to be unused before it is given back
  // On a loaded device, or where reads lack CPU: how long writers have to go without a stall before
  // the jobs that ended it are. Four times as long after each mistake, a quarter after what was
  // none.
  LearntWait loaded_wait_{kLoadedReturnSeconds, 4};
  std::optional<std::int64_t> jobs_;
  std::optional<std::int64_t> smoothed_from_;  // the jobs before there was one more to smooth
  OwnWish wish_, raise_wish_{OwnWish::Way::kUp}, smooth_wish_{OwnWish::Way::kUp};
  Value limiter_rate_;                         // as last seen
  std::optional<Nanoseconds> limiter_raised_;  // or its loop was waited for
  double unused_seconds_ = 0, loaded_seconds_ = 0;
  Held limiter_first_, unused_, loaded_;
};

// max_subcompactions: one compaction of level 0 runs at a time, and this is what lets it use more
// than one CPU.
class SubcompactionsLoop {
 public:
  std::optional<Proposal> decide(const Situation& situation);

 private:
  std::optional<std::int64_t> threads_;  // as last seen
  std::optional<Nanoseconds> untried_since_;
  Held level0_, unused_;
};

// block_cache_capacity_bytes
class CacheLoop {
 public:
  explicit CacheLoop(const HeadroomParams& params) : params_(params) {}
  // `memory_is_claimed`: it is worth more elsewhere; no growth.
  std::optional<Proposal> decide(const Situation& situation, bool memory_is_claimed);

 private:
  struct HitRatio {
    Value mean;  // of 5 s
    double deviation = 0;
  };
  static HitRatio last_of(const Trend& hit_ratio, Nanoseconds now, double longest_age);
  struct Growth {
    Nanoseconds tick{0};
    std::int64_t from = 0;     // bytes
    HitRatio hits, read_hits;  // before
    bool returns = false;      // to where it stood before: nothing is learnt of more
    double used = 0;           // bytes in it, when it was last seen to fill...
    Nanoseconds filled_at{0};  // ...and when
  };
  // What a growth did to the misses.
  struct Verdict {
    bool gained_little = false, gained = false, other_load = false;  // the latter two: clearly
    bool more_misses = false;                                        // clearly or not
  };
  [[nodiscard]] std::optional<Verdict> compare(bool any_look_ups) const;
  void observe(const Situation& situation, const KnobReading& reading);
  void follow_capacity(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] std::int64_t stood_at(Nanoseconds now) const;
  void judge_growth(const Situation& situation, double hit_ratio);
  void judge_knee(const Situation& situation, double hit_ratio);
  std::optional<Proposal> shrink(const Situation& situation, const KnobReading& reading);
  void note_shrunk(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] bool shows_yet(const Situation& situation);
  [[nodiscard]] std::int64_t next_size(const Situation& situation,
                                       const KnobReading& reading) const;
  std::optional<Proposal> grow(const Situation& situation, const KnobReading& reading) const;

  HeadroomParams params_;
  Trend hit_ratio_{Trend::Jumps::kKeep, 0, 15};
  Trend read_hit_ratio_{Trend::Jumps::kKeep, 0, 15};  // what a change is judged by
  std::optional<std::int64_t> capacity_, found_;
  std::optional<Growth> growth_;              // being judged
  std::optional<Nanoseconds> other_load_at_;  // when it was last seen to miss more by its load
  struct Knee {
    double hit_ratio = 0;  // where growing stopped to pay
    std::int64_t bytes = 0;
    Nanoseconds tick{0};
    double seconds = 0;  // for which it holds
  };
  static constexpr double kFirstKneeSeconds = 3600;
  std::optional<Knee> knee_;
  double knee_seconds_ = kFirstKneeSeconds;  // of the next
  Held fewer_misses_;                        // than at the knee
  // Where it stood before it was made smaller, whoever did that, until it is there again.
  struct Fall {
    Nanoseconds tick{0};
    std::int64_t from = 0;
  };
  std::optional<Fall> fell_;
  // The last that was given up while memory was short, until it is seen what that freed; and how
  // many freed nothing.
  struct Shrunk {
    Nanoseconds tick{0};
    double bytes = 0;
    Value rss;  // before
  };
  std::optional<Shrunk> shrunk_;
  OwnWish shrinks_;
  GrowingRest rest_;  // since it was made smaller for short memory
  int in_vain_ = 0;
  Value lowest_available_;  // when the last step was asked for
  struct Before {
    Value rss, usage;
  };
  Before before_;  // the last sample
};

std::unique_ptr<Policy> make_headroom(const HeadroomParams& params);

}  // namespace rocktune
