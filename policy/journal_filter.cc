#include "policy/journal_filter.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

constexpr double kRepeatSeconds = 60;
constexpr double kFirstRetrySeconds = 5;
constexpr Nanoseconds kSentAgainAfter = std::chrono::seconds(1);

bool allowed(const Verdict& verdict) {
  return verdict.kind == VerdictKind::kAllowed || verdict.kind == VerdictKind::kClamped;
}

}  // namespace

bool JournalFilter::wants(const Proposal& proposal, Nanoseconds now) const {
  auto known = knobs_.find({proposal.knob, proposal.column_family});
  if (known == knobs_.end()) return true;
  const Knob& knob = known->second;
  if (knob.retry_at) return now >= *knob.retry_at;
  if (!knob.allowed) return true;
  bool same = knob.allowed->from == proposal.from && knob.allowed->rule == proposal.rule &&
              knob.allowed->up == (proposal.to > proposal.from);
  return !same || seconds_between(knob.allowed->tick, now) >= kRepeatSeconds;
}

bool JournalFilter::admits(const Decision& decision, Nanoseconds now) {
  const Proposal& proposal = decision.proposal;
  Knob& knob = knobs_[{proposal.knob, proposal.column_family}];
  if (allowed(decision.verdict)) {
    knob.allowed = Said{now, proposal.rule, proposal.to > proposal.from, proposal.from};
    knob.retry_at.reset();
    return true;
  }
  std::string what = std::string(to_string(decision.verdict.kind)) + " " + decision.verdict.rule +
                     " " + proposal.rule;
  auto [last, first] = knob.refused.try_emplace(what, now);
  if (!first && seconds_between(last->second, now) < kRepeatSeconds) return false;
  last->second = now;
  return true;
}

void JournalFilter::failed(const Proposal& proposal, Nanoseconds now) {
  Knob& knob = knobs_[{proposal.knob, proposal.column_family}];
  knob.failures = std::min(knob.failures + 1, 8);
  double wait = std::min(kFirstRetrySeconds * std::exp2(knob.failures - 1), kRepeatSeconds);
  knob.retry_at =
      now + std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(wait));
}

void JournalFilter::not_sent(const Proposal& proposal, Nanoseconds now) {
  knobs_[{proposal.knob, proposal.column_family}].retry_at = now + kSentAgainAfter;
}

void JournalFilter::forget(const Proposal& proposal) {
  Knob& knob = knobs_[{proposal.knob, proposal.column_family}];
  knob.failures = 0;
  knob.retry_at.reset();
  // If the knob moved and stands there again, somebody put it back.
  knob.allowed.reset();
}

}  // namespace rocktune
