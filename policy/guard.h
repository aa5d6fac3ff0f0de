// Guard: the only place for limits. Every proposal gets a verdict with its reason.
//
// Checked in this order; the first that holds or rejects decides, clamps add up:
//   stale     the features are not fresh, or follow two missed samples, or a gap      -> held
//   known     the knob is in the catalogue and in the sample, and changeable          -> rejected
//   manual    set by an operator or host                                              -> held
//   believed  the proposal's `from` is not the value read back                        -> rejected
//   pin       the configuration pins the knob, and somebody else wants to move it     -> held
//   range     catalogue, agent and budget ranges                                      -> clamped
//   drift     how far from the value found (policy/drift.h)                           -> clamped
//   relation  what RocksDB does not check (jobs >= 2, the order of triggers), and a
//             growth of memory is at most half of what is available                   -> clamped
//   step      largest step of the knob                                                -> clamped
//   dwell     least time since its last change                                        -> held
//   canary    another change of the same loop is not judged yet (policy/canary.h)     -> held
//   blamed    the rule's last such change had to be taken back (policy/blame.h)       -> held
//   budget    changes per hour                                                        -> held
//   oscillation  the knob is moved to and fro (policy/oscillation.h)                  -> held
//   no_change what is left after clamping moves nothing                               -> held
// What relieves a stall never waits for canary or blame while writes are held up, or were in the
// last 10 s; what protects the host waits for none of canary, blame, budget and oscillation
// (policy/urgent.h). A raise of the limiter never waits for a canary. What leads towards the value
// found counts for the budget and never waits for it, nor does a raise of the limiter or of jobs
// from below it. A rollback, a pin and the return of what several databases have in common wait for
// none of these four, what other databases are due (policy/give_back.h) for the budget alone; drift
// does not bind a pin. A clamp may stop a change, never turn it round. Held and rejected proposals
// leave no trace here.
// Deterministic; not thread-safe; one per target.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/device_capacities.h"
#include "model/engine_config.h"
#include "model/objective.h"
#include "policy/guard_scope.h"

namespace rocktune {

class Guard {
 public:
  // Under kHardLimits whatever paces a policy is left out: step, dwell, canary, blamed, budget and
  // oscillation. `device`: what the budget's share of it is a share of.
  explicit Guard(Budget budget, Pins pins = {}, GuardScope scope = GuardScope::kAll,
                 const DeviceCapacities& device = {});
  ~Guard();
  Guard(Guard&&) noexcept;
  Guard& operator=(Guard&&) noexcept;

  // Called once per sample, in order, also when there is nothing to judge.
  void observe(const Features& features);
  Verdict judge(const Proposal& proposal, const Features& features);
  // What became of what was allowed: in this order, and with the decision's id. A change that was
  // allowed but failed frees its dwell and its share of the budget.
  void decided(const Decision& decision, Nanoseconds now);
  void applied(const Decision& decision, Nanoseconds now);
  void advised(const Decision& decision);  // and no more: no knob is moved to and fro by it
  void misread(const Decision& decision);  // the knob took another value
  void failed(const Decision& decision);   // or it was the value already
  void judged(const std::string& decision_id);
  void judged_again(const Decision& decision, Nanoseconds now);  // from now on
  // A change that failed() turns out to have been made: it counts from now on.
  void made_late(const Decision& decision, Nanoseconds now);
  // `culprit`, of the decision `id`, was taken back.
  void blame(const Proposal& culprit, const std::string& id, Nanoseconds now);
  // What was found about knobs since the last call.
  std::vector<GuardNote> take_notes();
  void reset();  // another database: all begins anew, but the change budget stays

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktune
