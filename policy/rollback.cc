#include "policy/rollback.h"

#include <iterator>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/shape_step.h"
#include "policy/situation.h"
#include "policy/urgent.h"

namespace rocktune {
namespace {

constexpr double kOfferedSeconds = 60;
// As windows wait (outcomes.h).
constexpr double kMostAbsentSeconds = kMostUnseenSeconds, kStaleSeconds = kMostUnseenSeconds;

// To take it back would take from what works against the backlog: what was raised, but the cache;
// and compactions of level 0 that begin earlier, not later. A larger base that follows level 0
// saves merges; what was tried with the tree's shape was tried while there was no backlog.
bool relieves_backlog(const Culprit& culprit) {
  const bool raised = culprit.actuation.before < culprit.actuation.after;
  const std::string& knob = culprit.proposal.knob;
  if (knob == knob::kL0Trigger) return !raised;
  return raised && knob != knob::kCacheCapacity && loop_of(culprit.proposal) != "shape";
}

// To take it back would take memory.
bool gave_memory(const Culprit& culprit) {
  const std::string& knob = culprit.proposal.knob;
  const bool memory =
      knob == knob::kCacheCapacity || knob == knob::kWriteBufferSize || knob == knob::kWriteBuffers;
  return memory && culprit.actuation.before > culprit.actuation.after;
}

// `untold`: nobody knows what it leaves pending. `owed`: more than writers bear.
const char* why_not(bool dear, bool untold, bool owed) {
  if (dear) return "memory is low";
  if (untold) return "nobody can tell what would wait for compaction";
  return owed ? "too much would wait for compaction" : "that could not be done in time";
}

std::string stays(const Culprit& culprit, bool gone) {
  return ": " + culprit.proposal.knob + text::in_family(culprit.proposal.column_family) +
         (gone ? " is not there any more" : " stays at " + std::to_string(culprit.actuation.after));
}

}  // namespace

Proposal Rollbacks::back(const Wanted& wanted, std::int64_t to) {
  const Culprit& culprit = wanted.culprit;
  Proposal out;
  out.knob = culprit.proposal.knob;
  out.column_family = culprit.proposal.column_family;
  out.from = culprit.actuation.after;
  out.to = to;
  out.rule = kRollbackRule;
  out.reason = culprit.why;
  out.expected = wanted.expected;
  if (const auto& now = wanted.expected.baseline) {
    out.evidence = {{wanted.expected.feature, *now, wanted.limit}};
  }
  return out;
}

void Rollbacks::consider(const Finished& finished, Nanoseconds now) {
  Wanted wanted;
  wanted.since = now;
  wanted.expected = finished.proposal.expected;
  wanted.limit = wanted.expected.baseline;
  if (finished.outcome.measured) wanted.expected.baseline = finished.outcome.measured;
  if (finished.broken && !finished.worse_by_far) {
    const double window = wanted.expected.window_seconds;
    wanted.expected = {finished.broken->feature, true, finished.broken->value, window};
    if (finished.broken->limit) wanted.limit = finished.broken->limit;
  }
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
                      may_go_back(culprit.proposal) &&
                      culprit.actuation.before != culprit.actuation.after;
  if (!ours_to_undo) return;
  wanted_[knob_of(culprit.proposal)] = std::move(wanted);
}

void Rollbacks::note(const Culprit& culprit, const std::string& why) {
  notes_.push_back({culprit.proposal.knob, culprit.proposal.column_family,
                    "decision " + culprit.id + " is not taken back, since " + why});
}

void Rollbacks::give_up(const Wanted& wanted, bool gone, const char* why) {
  note(wanted.culprit, why + stays(wanted.culprit, gone));
  given_up_.push_back(wanted.culprit);
}

// The backlog got worse in spite of the change: nobody is to blame.
void Rollbacks::keep(const Wanted& wanted, bool gone) {
  note(wanted.culprit, "the backlog that it works against lasts" + stays(wanted.culprit, gone));
}

void Rollbacks::end(const std::string& why) {
  for (const auto& [knob, wanted] : wanted_) {
    note(wanted.culprit, why + stays(wanted.culprit, false));
  }
  wanted_.clear();
}

void Rollbacks::put_off(Wanted& wanted, const KnobReading* reading, const Look& look) {
  const bool absent = look.features.fresh && reading == nullptr;
  const bool frozen = look.features.fresh && reading != nullptr && !reading->changeable;
  const auto& [time, unseen] = look.passed;
  if (unseen || absent || frozen) wanted.since += time;
  if (unseen) return;
  const double seconds = seconds_between({}, time);
  if (absent) wanted.absent += seconds;
  if (frozen) wanted.frozen += seconds;
}

void Rollbacks::say_thawed(const Thawed& thawed, bool judged_again) {
  const Proposal& proposal = thawed.culprit.proposal;
  const std::string frozen = text::duration(thawed.frozen_seconds);
  if (!judged_again) {
    note(thawed.culprit, "that could not be done for " + frozen +
                             ", and nobody can judge it any more" + stays(thawed.culprit, false));
    return;
  }
  notes_.push_back({proposal.knob, proposal.column_family,
                    "decision " + thawed.culprit.id + " could not be taken back for " + frozen +
                        ", and is judged again: " + proposal.knob +
                        text::in_family(proposal.column_family) + " can be changed now"});
}

bool Rollbacks::is_over(Wanted& wanted, const Look& look, std::vector<Proposal>& out) {
  const Features& features = look.features;
  const Culprit& culprit = wanted.culprit;
  const KnobReading* reading =
      features.knobs.find(culprit.proposal.knob, culprit.proposal.column_family);
  const bool known = features.fresh && reading != nullptr;
  const bool moved = known && reading->value != culprit.actuation.after;
  if (moved) return !look.under_way.make(*reading);
  put_off(wanted, reading, look);
  const bool gone = features.fresh && reading == nullptr;
  const bool stuck = gone || (known && !reading->changeable);
  if (known && !stuck && wanted.frozen > kStaleSeconds) {
    thawed_.push_back({culprit, wanted.frozen});
    return true;
  }
  const bool needed = relieves_backlog(culprit) && look.backlog;
  const bool dear = gave_memory(culprit) && memory_.is_low();
  const std::int64_t before = culprit.actuation.before;
  const auto to = known ? borne_step(features, *reading, before) : std::optional(before);
  if (seconds_between(wanted.since, features.at.tick) > kOfferedSeconds ||
      wanted.absent > kMostAbsentSeconds || wanted.frozen > kMostFrozenSeconds) {
    const bool untold = known && !knows_debt(features, *reading);
    needed ? keep(wanted, gone) : give_up(wanted, gone, why_not(dear, untold, !to));
    return true;
  }
  if (!stuck && !needed && !dear && to) out.push_back(back(wanted, *to));
  return false;
}

std::vector<Proposal> Rollbacks::propose(const Features& features,
                                         const std::vector<Indicator>& indicators,
                                         const Unreported& under_way) {
  std::vector<Proposal> out;
  memory_.observe(features);
  const Look now{features, under_way, looks_.look(features.at.tick, features.fresh),
                 backlog_warns(indicators)};
  for (auto one = wanted_.begin(); one != wanted_.end();) {
    one = is_over(one->second, now, out) ? wanted_.erase(one) : std::next(one);
  }
  return out;
}

std::optional<Culprit> Rollbacks::done(const Proposal& proposal, std::int64_t after) {
  if (proposal.rule != kRollbackRule) return std::nullopt;
  const auto wanted = wanted_.find(knob_of(proposal));
  if (wanted == wanted_.end()) return std::nullopt;
  Actuation& made = wanted->second.culprit.actuation;
  if (after != made.before && after != made.after) {
    made.after = after;
    wanted->second.since = looks_.last().value_or(wanted->second.since);
    return std::nullopt;
  }
  return std::move(wanted_.extract(wanted).mapped().culprit);
}

std::optional<Culprit> Rollbacks::misread(const Proposal& proposal) {
  if (proposal.rule != kRollbackRule) return std::nullopt;
  auto wanted = wanted_.extract(knob_of(proposal));
  if (wanted.empty()) return std::nullopt;
  return std::move(wanted.mapped().culprit);
}

}  // namespace rocktune
