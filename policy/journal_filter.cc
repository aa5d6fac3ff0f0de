#include "policy/journal_filter.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

constexpr double kLongestPauseSeconds = 3600;
constexpr double kFirstRetrySeconds = 5, kLongestRetrySeconds = 60;
constexpr Nanoseconds kSentAgainAfter = std::chrono::seconds(1);
constexpr double kForgottenSeconds = 4 * 3600, kForgetEachSeconds = 60;

}  // namespace

bool JournalFilter::Pause::over(Nanoseconds now) const {
  return seconds_between(said_, now) >= seconds_;
}

void JournalFilter::Pause::say_again(Nanoseconds now) {
  const bool lasts = seconds_between(said_, now) < 2 * seconds_;
  *this = lasts ? Pause(now, std::min(2 * seconds_, kLongestPauseSeconds)) : Pause(now);
}

JournalFilter::Said JournalFilter::said(const Proposal& proposal) {
  return {proposal.rule, proposal.to > proposal.from};
}

bool JournalFilter::wants(const Proposal& proposal, Nanoseconds now) const {
  auto known = knobs_.find(knob_of(proposal));
  if (known == knobs_.end()) return true;
  const Knob& knob = known->second;
  if (knob.retry_at) return now >= *knob.retry_at;
  if (knob.from != proposal.from) return true;
  const auto before = knob.allowed.find(said(proposal));
  return before == knob.allowed.end() || before->second.over(now);
}

void JournalFilter::forget_unused(Nanoseconds now) {
  const std::optional<Nanoseconds>& last = looked_for_unused_;
  if (last && seconds_between(*last, now) < kForgetEachSeconds) return;
  looked_for_unused_ = now;
  std::erase_if(knobs_, [&](const auto& knob) {
    return seconds_between(knob.second.used, now) > kForgottenSeconds;
  });
}

bool JournalFilter::admits(const Decision& decision, Nanoseconds now) {
  forget_unused(now);
  const Proposal& proposal = decision.proposal;
  Knob& knob = knobs_[knob_of(proposal)];
  knob.used = now;
  if (may_be_applied(decision.verdict)) {
    if (knob.from != proposal.from) knob.allowed.clear();
    knob.from = proposal.from;
    const auto [pause, first] = knob.allowed.try_emplace(said(proposal), now);
    if (!first) pause->second.say_again(now);
    knob.retry_at.reset();
    return true;
  }
  std::string what = std::string(to_string(decision.verdict.kind)) + " " + decision.verdict.rule +
                     " " + proposal.rule;
  auto [pause, first] = knob.refused.try_emplace(what, now);
  if (first) return true;
  if (!pause->second.over(now)) return false;
  pause->second.say_again(now);
  return true;
}

void JournalFilter::failed(const Proposal& proposal, Nanoseconds now) {
  Knob& knob = knobs_[knob_of(proposal)];
  knob.failures = std::min(knob.failures + 1, 8);
  double wait = std::min(kFirstRetrySeconds * std::exp2(knob.failures - 1), kLongestRetrySeconds);
  knob.retry_at =
      now + std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(wait));
}

void JournalFilter::not_sent(const Proposal& proposal, Nanoseconds now) {
  knobs_[knob_of(proposal)].retry_at = now + kSentAgainAfter;
}

void JournalFilter::forget(const Proposal& proposal) {
  Knob& knob = knobs_[knob_of(proposal)];
  knob.failures = 0;
  knob.retry_at.reset();
  // If the knob moved and stands there again, somebody put it back.
  knob.allowed.clear();
}

}  // namespace rocktune
