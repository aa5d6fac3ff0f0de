#include "policy/guard.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/blame.h"
#include "policy/canary.h"
#include "policy/drift.h"
#include "policy/gaps.h"
#include "policy/give_back.h"
#include "policy/gone_knobs.h"
#include "policy/guard_history.h"
#include "policy/guard_limits.h"
#include "policy/in_common.h"
#include "policy/oscillation.h"
#include "policy/pins.h"
#include "policy/sharing.h"
#include "policy/urgent.h"

namespace rocktune {
namespace {

constexpr int kMostMissed = 2;
// How often what is remembered of knobs that are gone is looked for; it may stay for hours.
constexpr double kForgetSeconds = 60;

Verdict verdict(VerdictKind kind, std::int64_t value, std::string_view rule, std::string reason) {
  return Verdict{kind, value, std::string(rule), std::move(reason)};
}

Verdict held(const Proposal& proposal, std::string_view rule, std::string reason) {
  return verdict(VerdictKind::kHeld, proposal.from, rule, std::move(reason));
}

Verdict rejected(const Proposal& proposal, std::string_view rule, std::string reason) {
  return verdict(VerdictKind::kRejected, proposal.from, rule, std::move(reason));
}

std::optional<Verdict> check_known(const Proposal& proposal, const KnobSpec* spec,
                                   const KnobReading* reading) {
  if (spec == nullptr) {
    return rejected(proposal, "known", "there is no knob " + proposal.knob + " in the catalogue");
  }
  if (reading == nullptr) {
    return rejected(proposal, "known", "the agent did not report " + proposal.knob);
  }
  if (!reading->changeable) {
    std::string why = reading->reason.empty() ? "no reason given" : reading->reason;
    return rejected(proposal, "known", proposal.knob + " cannot be changed: " + why);
  }
  return std::nullopt;
}

std::optional<Verdict> check_owner(const Proposal& proposal, const KnobReading& reading) {
  if (reading.owner == KnobOwner::kManual) {
    return held(proposal, "manual",
                proposal.knob + " stands at " + shown(proposal.knob, reading.value) +
                    " by hand, an operator's or the host's: `rocktune release " + proposal.knob +
                    "` hands it back");
  }
  if (reading.value != proposal.from) {
    return rejected(proposal, "believed",
                    proposal.knob + " is " + std::to_string(reading.value) + ", not " +
                        std::to_string(proposal.from) + " as the proposal believes");
  }
  return std::nullopt;
}

// A step back into the range may break a relation, and a relation leave the range: then no value
// keeps all of them. (Without steps nothing else would notice the latter.)
bool consistent(const LimitInput& input, std::int64_t value) {
  Limited again{value, "", ""};
  if (apply_range(input, again) || again.value != value) return false;
  apply_relations(input, again);
  return again.value == value;
}

}  // namespace

struct Guard::State {
  State(Budget wanted, Pins pinned, GuardScope of_policy, const DeviceCapacities& device)
      : budget(std::move(wanted)),
        rate_budget(most_rate(budget, device)),
        pins(std::move(pinned)),
        scope(of_policy) {}

  Budget budget;
  std::optional<std::int64_t> rate_budget;
  Pins pins;
  GuardScope scope;
  GuardHistory history;
  Canaries canaries;
  Blames blames;
  Oscillation oscillation;
  std::optional<std::uint64_t> last_sequence;
  std::uint64_t missed_in_a_row = 0;  // before the last observed sample
  std::uint64_t usually_missed =
      0;                     // ...before the fresh one before: who has its turn now and then
  Gaps gaps;                 // between fresh samples
  bool after_gap = false;    // the last observed features span two missed samples or more
  double blind_seconds = 0;  // ...or so long a time in which nobody asked
  std::optional<Nanoseconds> forgot_at;
  double memory_granted = 0;  // bytes of growth, since the last observed sample

  [[nodiscard]] std::optional<Verdict> check_fresh(const Proposal& proposal,
                                                   const Features& features) const;
  [[nodiscard]] std::optional<Verdict> check_pin(const Proposal& proposal) const;
  std::optional<Verdict> limit(const LimitInput& input, Limited& limited) const;
  std::optional<Verdict> check_time(const LimitInput& input, const Limited& limited);
  void forget_gone(const Features& features);
};

std::optional<Verdict> Guard::State::check_fresh(const Proposal& proposal,
                                                 const Features& features) const {
  if (!features.fresh) return held(proposal, "stale", "the database was not read in this sample");
  if (after_gap) {
    return held(proposal, "stale", "two or more samples in a row were missed just before this one");
  }
  if (blind_seconds > 0) {
    return held(proposal, "stale",
                "nobody looked for " + text::duration(blind_seconds) + " just before this sample");
  }
  return std::nullopt;
}

std::optional<Verdict> Guard::State::check_pin(const Proposal& proposal) const {
  const auto pin = pins.find(proposal.knob);
  const bool above = proposal.rule == kPinRule || proposal.rule == kInCommonRule;
  if (pin == pins.end() || above) return std::nullopt;
  return held(proposal, "pin",
              proposal.knob + " is pinned to " + shown(proposal.knob, pin->second) +
                  " in the configuration");
}

// Range, drift, relations and step.
std::optional<Verdict> Guard::State::limit(const LimitInput& input, Limited& limited) const {
  const Proposal& proposal = input.proposal;
  if (auto impossible = apply_range(input, limited)) {
    return rejected(proposal, "range", *impossible);
  }
  const bool paced = scope == GuardScope::kAll;
  if (proposal.rule != kPinRule) apply_drift(input, limited);
  apply_relations(input, limited);
  if (paced) {
    if (auto unknown = apply_step(input, limited)) return held(proposal, "step", *unknown);
  }
  if (!consistent(input, limited.value)) {
    return held(proposal, "range", "range, relations and step leave no value: " + limited.reason);
  }
  // A clamp may stop a change, never turn it round.
  bool moves = proposal.to > proposal.from
                   ? limited.value > proposal.from
                   : proposal.to < proposal.from && limited.value < proposal.from;
  if (!moves) limited.value = proposal.from;
  return std::nullopt;
}

// Whatever makes a change wait for another time.
std::optional<Verdict> Guard::State::check_time(const LimitInput& input, const Limited& limited) {
  const Proposal& proposal = input.proposal;
  const Nanoseconds now = input.features.at.tick;
  const bool goes_back = is_return(proposal) || is_for_others(proposal);
  const bool relief = relieves_stall(proposal) &&
                      (proposal.knob == knob::kRateLimit || history.stalled_lately(now));
  // What the host lacks is given back whatever came of it before.
  const bool protects = protects_host(proposal, input.spec);
  if (auto why = history.dwell(proposal, input.spec, now)) return held(proposal, "dwell", *why);
  if (!goes_back && !relief && !protects) {
    if (auto why = canaries.blocks(proposal, now)) return held(proposal, "canary", *why);
  }
  if (!goes_back && !protects && !(relief && history.stalled_lately(now))) {
    if (auto why = blames.blocks(proposal, now)) return held(proposal, "blamed", *why);
  }
  // What takes a change back was paid for by that change, and so was what leads towards the value
  // found, and what raises a limiter, or jobs, from below it.
  const std::int64_t found = input.reading.found;
  const bool up = proposal.to > proposal.from;
  const bool works_off =
      proposal.knob == knob::kRateLimit || proposal.knob == knob::kBackgroundJobs;
  const bool lets_go = works_off && up && proposal.from < found;
  const bool homeward = up ? limited.value <= found : limited.value >= found;
  if (!is_return(proposal) && !protects && !lets_go && !homeward) {
    if (auto why = history.over_budget(budget.changes_per_hour, now)) {
      return held(proposal, "budget", *why);
    }
  }
  if (goes_back || protects || limited.value == proposal.from) return std::nullopt;
  if (auto why = oscillation.blocks(proposal, limited.value, input.reading.found, now)) {
    return held(proposal, "oscillation", *why);
  }
  return std::nullopt;
}

void Guard::State::forget_gone(const Features& features) {
  const Nanoseconds now = features.at.tick;
  if (forgot_at && seconds_between(*forgot_at, now) < kForgetSeconds) return;
  forgot_at = now;
  const GoneKnobs gone(features.knobs, now);
  history.forget(gone);
  canaries.forget(gone);
  blames.forget(gone);
  oscillation.forget(gone);
}

Guard::Guard(Budget budget, Pins pins, GuardScope scope, const DeviceCapacities& device)
    : state_(std::make_unique<State>(std::move(budget), std::move(pins), scope, device)) {}
Guard::~Guard() = default;
Guard::Guard(Guard&&) noexcept = default;
Guard& Guard::operator=(Guard&&) noexcept = default;

void Guard::observe(const Features& features) {
  State& s = *state_;
  if (s.last_sequence && features.sequence > *s.last_sequence) {
    s.missed_in_a_row += features.sequence - *s.last_sequence - 1;
  }
  s.last_sequence = features.sequence;
  s.memory_granted = 0;
  s.history.observe(features);
  s.canaries.observe(features.at.tick, features.fresh);
  if (features.fresh) {
    s.after_gap = s.missed_in_a_row >= kMostMissed && s.missed_in_a_row > s.usually_missed + 1;
    s.usually_missed = s.missed_in_a_row;
    s.blind_seconds = s.gaps.look(features.at.tick);
    s.missed_in_a_row = 0;
    s.forget_gone(features);
  } else {
    ++s.missed_in_a_row;
  }
}

Verdict Guard::judge(const Proposal& proposal, const Features& features) {
  State& s = *state_;
  if (auto stop = s.check_fresh(proposal, features)) return *stop;
  const KnobSpec* spec = find_knob(proposal.knob);
  const KnobReading* reading = features.knobs.find(proposal.knob, proposal.column_family);
  if (auto stop = check_known(proposal, spec, reading)) return *stop;
  if (spec == nullptr || reading == nullptr) return rejected(proposal, "known", "unknown knob");
  if (auto stop = check_owner(proposal, *reading)) return *stop;
  if (auto stop = s.check_pin(proposal)) return *stop;

  Limited limited{proposal.to, "", ""};
  const Budget budget = within_share(s.budget, features.shared);
  const bool paced = s.scope == GuardScope::kAll;
  LimitInput input{proposal,         *spec,  *reading,
                   features,         budget, s.history.limiter_peak(),
                   s.memory_granted, paced,  s.rate_budget};
  if (auto stop = s.limit(input, limited)) return *stop;
  if (paced) {
    if (auto stop = s.check_time(input, limited)) return *stop;
  }
  if (limited.value == proposal.from) {
    std::string why = limited.reason.empty() ? "it is the value already" : limited.reason;
    return held(proposal, "no_change", "nothing is left of the change: " + why);
  }
  const auto growth = static_cast<double>(limited.value) - static_cast<double>(proposal.from);
  s.memory_granted += std::max(0.0, growth * bytes_each(input));
  s.history.record(proposal, features.at.tick);
  if (!is_for_others(proposal)) s.oscillation.moved(proposal, features.at.tick);
  if (limited.value == proposal.to) return verdict(VerdictKind::kAllowed, proposal.to, "", "");
  return verdict(VerdictKind::kClamped, limited.value, limited.rule, limited.reason);
}

void Guard::decided(const Decision& decision, Nanoseconds now) {
  state_->canaries.decided(decision, now);
}

void Guard::applied(const Decision& decision, Nanoseconds now) {
  state_->canaries.applied(decision, now);
}

void Guard::advised(const Decision& decision) {
  if (!is_for_others(decision.proposal)) state_->oscillation.undo(decision.proposal);
  state_->canaries.not_applied(decision);
}

void Guard::misread(const Decision& decision) {
  state_->canaries.not_applied(decision);
}

void Guard::failed(const Decision& decision) {
  state_->history.undo(decision.proposal);
  if (!is_for_others(decision.proposal)) state_->oscillation.undo(decision.proposal);
  state_->canaries.not_applied(decision);
}

void Guard::made_late(const Decision& decision, Nanoseconds now) {
  state_->history.record(decision.proposal, now);
  if (!is_for_others(decision.proposal)) state_->oscillation.moved(decision.proposal, now);
  state_->canaries.decided(decision, now);
  state_->canaries.applied(decision, now);
}

void Guard::judged(const std::string& decision_id) {
  state_->canaries.judged(decision_id);
}

void Guard::judged_again(const Decision& decision, Nanoseconds now) {
  state_->canaries.judged_again(decision, now);
}

void Guard::blame(const Proposal& culprit, const std::string& id, Nanoseconds now) {
  state_->blames.blame(culprit, id, now);
}

std::vector<GuardNote> Guard::take_notes() {
  return state_->oscillation.take_notes();
}

void Guard::reset() {
  state_->history.reset();
  state_->canaries.reset();
  state_->blames.reset();
  state_->oscillation.reset();
  state_->missed_in_a_row = 0;
  state_->usually_missed = 0;
  state_->after_gap = false;
  state_->gaps.reset();
  state_->blind_seconds = 0;
}

}  // namespace rocktune
