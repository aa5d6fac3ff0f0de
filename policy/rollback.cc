#include "policy/rollback.h"

#include "model/knobs.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kOfferedSeconds = 60;

bool backlog_lasts(const std::vector<Indicator>& indicators) {
  for (const Indicator& indicator : indicators) {
    if (indicator.kind != IndicatorKind::kCompactionBacklog) continue;
    return indicator.state != AlertState::kOk;
  }
  return false;
}

// The value now, if the knob still stands where the change put it.
const KnobReading* unmoved(const Features& features, const Actuation& actuation,
                           const Proposal& proposal) {
  const KnobReading* reading = find_reading(features.knobs, proposal.knob, proposal.column_family);
  return reading != nullptr && reading->value == actuation.after ? reading : nullptr;
}

}  // namespace

Proposal Rollbacks::back(const Wanted& wanted) {
  const Culprit& culprit = wanted.culprit;
  Proposal out;
  out.knob = culprit.proposal.knob;
  out.column_family = culprit.proposal.column_family;
  out.from = culprit.actuation.after;
  out.to = culprit.actuation.before;
  out.rule = kRollbackRule;
  out.reason = culprit.why;
  out.expected = wanted.expected;
  out.evidence = {{wanted.expected.feature, wanted.expected.baseline, wanted.was}};
  return out;
}

void Rollbacks::consider(const Finished& finished, Nanoseconds now) {
  Wanted wanted;
  wanted.since = now;
  wanted.expected = finished.proposal.expected;
  wanted.was = wanted.expected.baseline;
  wanted.expected.baseline = finished.outcome.measured.value_or(wanted.was);
  const std::string finding =
      "decision " + finished.outcome.decision_id + " made things worse: " + finished.outcome.reason;
  if (finished.culprit) {
    wanted.culprit = *finished.culprit;
    wanted.culprit.why = finding + "; decision " + wanted.culprit.id +
                         " came later and is the newest that got worse (" + finished.culprit->why +
                         "): it goes back first";
  } else {
    wanted.culprit = {finished.outcome.decision_id, finished.proposal, finished.actuation, finding};
  }
  const Culprit& culprit = wanted.culprit;
  bool ours_to_undo = (finished.worse_by_far || finished.slo_broken) && !finished.load_changed &&
                      culprit.proposal.rule != kRollbackRule &&
                      culprit.actuation.before != culprit.actuation.after;
  if (!ours_to_undo) return;
  wanted_[{culprit.proposal.knob, culprit.proposal.column_family}] = std::move(wanted);
}

std::vector<Proposal> Rollbacks::propose(const Features& features,
                                         const std::vector<Indicator>& indicators) {
  std::vector<Proposal> out;
  for (auto one = wanted_.begin(); one != wanted_.end();) {
    const Culprit& culprit = one->second.culprit;
    bool expired = seconds_between(one->second.since, features.at.tick) > kOfferedSeconds;
    bool moved = features.fresh && !unmoved(features, culprit.actuation, culprit.proposal);
    bool takes_away = culprit.actuation.before < culprit.actuation.after &&
                      culprit.proposal.knob != knob::kCacheCapacity;
    if (expired || moved) {
      one = wanted_.erase(one);
      continue;
    }
    if (!(takes_away && backlog_lasts(indicators))) out.push_back(back(one->second));
    ++one;
  }
  return out;
}

std::optional<Culprit> Rollbacks::done(const Proposal& proposal) {
  if (proposal.rule != kRollbackRule) return std::nullopt;
  auto wanted = wanted_.extract({proposal.knob, proposal.column_family});
  if (wanted.empty()) return std::nullopt;
  return std::move(wanted.mapped().culprit);
}

}  // namespace rocktune
