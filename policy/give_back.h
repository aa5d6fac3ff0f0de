// GiveBack: brings a database's knobs down to its slices of what several share, and back up once
// the others need it no longer. It proposes as a policy does, through the guard; the slices bound
// what a policy raises anyway (policy/sharing.h, within_share()).
//
// - share.jobs, share.memory, share.device: a knob stands above the slice: down to it. Not the rate
//   limit while this database has a backlog itself, or had one lately: that would be paid for
//   twice.
// - share.returned: a knob that was lowered so, and that the policy has not lowered since, goes
//   back towards where it stood, as far as the slice allows; a cache not while memory is low.
//   Jobs that stand below what was found at the first look, or when jobs begin to be shared, are
//   taken for lowered so: by an earlier engine, or by the loop of jobs, which leaves them alone
//   from then on (policy/spared_jobs.h).
//
// Of a peer (GuardScope::kHardLimits) the rate is left alone, and its jobs are taken for lowered so
// at the first look only, by the policy before it: later it is itself who lowers them. Jobs and
// memory have budgets, which hold for it, too.
//
// Pure; deterministic; bounded; one per engine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/guard_scope.h"
#include "policy/memory.h"
#include "policy/policy.h"
#include "policy/situation.h"

namespace rocktune {

// A rate of which the slice is less than this share below it is left: slices follow what others
// need from minute to minute. (Of 0.03, 0.15 and 0.25 the one that brought 60 random pairs in the
// simulator to rest and still divides by weight.)
inline constexpr double kRateShareBand = 0.15;

// Whether it is a proposal of this kind: what others are due is not taken back for being felt.
bool is_for_others(const Proposal& proposal);

class GiveBack {
 public:
  explicit GiveBack(GuardScope scope = GuardScope::kAll) : scope_(scope) {}
  // Once per step, after the policy; merges into what that proposed: where both want to lower a
  // knob the lower value counts, otherwise what lowers.
  void propose(const PolicyInput& input, std::vector<Proposal>& proposals);
  void reset() { *this = GiveBack(scope_); }

 private:
  // `most`: the slice as a value of the knob; absent: there is none.
  std::optional<Proposal> decide(const PolicyInput& input, const KnobReading& reading,
                                 std::optional<std::int64_t> most);
  [[nodiscard]] std::optional<Proposal> lower(const PolicyInput& input, const KnobReading& reading,
                                              std::int64_t most);
  [[nodiscard]] std::optional<Proposal> give_again(const PolicyInput& input,
                                                   const KnobReading& reading,
                                                   std::optional<std::int64_t> most);

  struct Lowered {
    // Where it stood before, the lowest that others brought it to since it last rose, or ask for,
    // and where it stands.
    std::int64_t from = 0, to = 0, seen = 0;
    std::optional<Nanoseconds> asked;  // last
    Held whole_way;                    // the slice allows all of it
  };
  // What others have lowered and not given back.
  void inherit(const PolicyInput& input);

  GuardScope scope_;
  std::map<std::string, Lowered> lowered_;  // by knob
  MemoryWatch memory_;
  std::optional<Nanoseconds> backlog_at_;  // last
  bool inherited_ = false, shared_ = false;
};

}  // namespace rocktune
