#include "policy/rollback.h"

#include <optional>

#include "model/knobs.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr std::string_view kRule = "rollback.regression";
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

Proposal back(const Finished& finished) {
  const Expectation& was = finished.proposal.expected;
  Proposal out;
  out.knob = finished.proposal.knob;
  out.column_family = finished.proposal.column_family;
  out.from = finished.actuation.after;
  out.to = finished.actuation.before;
  out.rule = kRule;
  out.reason =
      "decision " + finished.outcome.decision_id + " made things worse: " + finished.outcome.reason;
  out.expected = was;
  out.expected.baseline = finished.outcome.measured.value_or(was.baseline);
  out.evidence = {{was.feature, out.expected.baseline, was.baseline}};
  return out;
}

}  // namespace

void Rollbacks::consider(const Finished& finished, Nanoseconds now) {
  bool ours_to_undo = finished.worse_by_far && !finished.load_changed &&
                      finished.proposal.rule != kRule &&
                      finished.actuation.before != finished.actuation.after;
  if (!ours_to_undo) return;
  wanted_[{finished.proposal.knob, finished.proposal.column_family}] = {finished, now};
}

std::vector<Proposal> Rollbacks::propose(const Features& features,
                                         const std::vector<Indicator>& indicators) {
  std::vector<Proposal> out;
  for (auto one = wanted_.begin(); one != wanted_.end();) {
    const Finished& finished = one->second.finished;
    bool expired = seconds_between(one->second.since, features.at.tick) > kOfferedSeconds;
    bool moved = features.fresh && !unmoved(features, finished.actuation, finished.proposal);
    bool takes_away = finished.actuation.before < finished.actuation.after &&
                      finished.proposal.knob != knob::kCacheCapacity;
    if (expired || moved) {
      one = wanted_.erase(one);
      continue;
    }
    if (!(takes_away && backlog_lasts(indicators))) out.push_back(back(finished));
    ++one;
  }
  return out;
}

void Rollbacks::decided(const Proposal& proposal) {
  if (proposal.rule == kRule) wanted_.erase({proposal.knob, proposal.column_family});
}

}  // namespace rocktune
