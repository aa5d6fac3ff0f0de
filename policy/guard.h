// Guard: the only place for limits. Every proposal gets a verdict with its reason.
//
// Checked in this order; the first that holds or rejects decides, clamps add up:
//   stale     the features are not fresh, or two due samples in a row were missed     -> held
//   known     the knob is in the catalogue and in the sample, and changeable          -> rejected
//   manual    somebody else set it                                                    -> held
//   believed  the proposal's `from` is not the value read back                        -> rejected
//   range     catalogue, agent and budget ranges                                      -> clamped
//   relation  RocksDB's unchecked relations (jobs >= 2, cache <= available memory ...)-> clamped
//   step      largest step of the knob                                                -> clamped
//   dwell     least time since its last change                                        -> held
//   budget    changes per hour                                                        -> held
//   oscillation  the knob reversed its direction too often (three times in 10 minutes; raising
//             the limiter, and moving another knob towards the value found, is always free) -> held
//   no_change what is left after clamping moves nothing                               -> held
// A clamp may stop a change, never turn it round. Held and rejected proposals leave no trace here.
// Deterministic; not thread-safe; one per target.
#pragma once

#include <memory>
#include <vector>

#include "model/decision.h"
#include "model/objective.h"
#include "policy/guard_scope.h"

namespace rocktune {

class Guard {
 public:
  // Under kHardLimits step, dwell, budget and oscillation are left out.
  explicit Guard(Budget budget, GuardScope scope = GuardScope::kAll);
  ~Guard();
  Guard(Guard&&) noexcept;
  Guard& operator=(Guard&&) noexcept;

  // Called once per sample, in order, also when there is nothing to judge.
  void observe(const Features& features);
  Verdict judge(const Proposal& proposal, const Features& features);
  // A change that was allowed but failed frees its dwell and its share of the budget.
  void failed(const Proposal& proposal);
  void reset();  // another database: dwell and oscillation begin anew, the change budget stays

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktune
