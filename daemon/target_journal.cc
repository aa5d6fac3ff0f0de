// What a target tells: the alert log's lines and its status.
#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/agents/translate.h"
#include "daemon/knob_words.h"
#include "daemon/listed.h"
#include "daemon/target.h"
#include "model/alert_tracker.h"
#include "model/knobs.h"
#include "model/text.h"
#include "policy/guard_limits.h"
#include "trace/journal_json.h"

namespace rocktune::daemon {
namespace {

constexpr std::size_t kRecentDecisions = 16;
constexpr std::string_view kDefaultFamily = "default";  // as RocksDB names it

// "write_buffer_size of hot 64 MiB -> 128 MiB", or "stays at 64 MiB"; of a decision that is not
// known any more the bare values.
std::string change_text(const DecisionStatus* decision, const Actuation& actuation) {
  const auto value = [&](std::int64_t one) {
    return decision == nullptr ? std::to_string(one) : shown(decision->knob, one);
  };
  const bool moved = actuation.before != actuation.after;
  std::string text = moved ? value(actuation.before) + " -> " + value(actuation.after)
                           : "stays at " + value(actuation.after);
  if (decision == nullptr) return text;
  return called(decision->knob, decision->column_family) + " " + text;
}

// "compaction_backlog ok -> warning (l0), compaction_backlog-261128-085511.628: ...".
std::string alert_text(const AlertChange& alert) {
  const Indicator& indicator = alert.indicator;
  std::string text(to_string(indicator.kind));
  text += " " + std::string(to_string(alert.from)) + " -> ";
  // Of what ended with its database nobody knows that all is well.
  const bool ended = indicator.state == AlertState::kOk && !indicator.valid;
  text += ended ? "ended" : to_string(indicator.state);
  if (!indicator.cause.empty()) text += " (" + indicator.cause + ")";
  return text + ", " + alert.id + ": " + alert.message;
}

constexpr auto id_of = [](const auto& standing) -> const std::string& { return standing.told.id; };

}  // namespace

void Target::journal_step(const Step& step) {
  // The sample's time: a replay prints the same lines.
  const Nanoseconds wall = step.features.at.wall;
  for (const AlertChange& alert : step.alerts) {
    if (alert.from == AlertState::kOk) ++counters_.alerts;
  }
  for (const AlertChange& alert : alerts_to_tell(step)) journal_alert(alert, wall);
  note_onsets(step);
  note_forecasts(step);
  look_at_cache(step);
  for (const Outcome& outcome : step.outcomes) journal_outcome(outcome, wall);
  // In the alert log alone: a replay finds them out by itself.
  for (const Actuation& late : step.late) {
    std::string line = trace::actuation_line(wall, name_, late);
    journal_.line(line);
    if (DecisionStatus* of = recent(late.decision_id)) of->actuation = std::move(line);
  }
  for (const Decision& decision : step.decisions) {
    ++counters_.decisions[std::string(to_string(decision.verdict.kind))];
    // Observing is watching and warning: what would have been decided stays in the trace.
    if (rule_.mode != Mode::kObserve) journal_decision(decision, wall);
  }
  if (rule_.mode == Mode::kObserve) return;
  for (const GuardNote& note : step.notes) journal_.line(trace::guard_line(wall, name_, note));
}

void Target::journal_alert(const AlertChange& alert, Nanoseconds wall) {
  journal_.line(trace::alert_line(wall, name_, alert));
  const std::string text = name_ + ": " + alert_text(alert);
  const auto known = std::ranges::find(standing_, alert.id, id_of);
  if (alert.indicator.state == AlertState::kOk) {
    journal_.log().info(text);
    if (known != standing_.end()) standing_.erase(known);
  } else {
    journal_.log().warn(text);
    if (known != standing_.end()) known->told = alert;
    if (known == standing_.end()) standing_.push_back({alert, {}});
  }
}

void Target::note_onsets(const Step& step) {
  for (StandingAlert& alert : standing_) {
    const auto kind = static_cast<std::size_t>(alert.told.indicator.kind);
    if (alert.lead_seconds || !step.indicators.at(kind).answered) continue;
    alert.lead_seconds = seconds_between(alert.told.raised_at.tick, step.features.at.tick);
  }
}

void Target::note_forecasts(const Step& step) {
  for (const Indicator& indicator : step.indicators) {
    const auto message = forecast_notes_.note(indicator, step.features);
    if (message) journal_.event(name_, trace_id_, "source", to_string(indicator.kind), *message);
  }
}

// Where its policy would make it larger.
void Target::look_at_cache(const Step& step) {
  const EngineConfig& engine = rule_.engine;
  const bool grows = rule_.mode != Mode::kObserve && engine.policy == "headroom" &&
                     !engine.pins.contains(std::string(knob::kCacheCapacity));
  if (!grows) return cache_note_.reset();
  if (step.features.fresh) cache_note_.look(step.features, engine.budget);
}

// The engine ends the alerts of another opening when it sees the next one: that was told when the
// database was closed. Of an opening that only the agent was lost of they go on.
std::vector<AlertChange> Target::alerts_to_tell(const Step& step) {
  std::vector<AlertChange> told;
  for (const AlertChange& alert : step.alerts) {
    if (std::ranges::find(ended_, alert.id, id_of) == ended_.end()) told.push_back(alert);
  }
  const bool seen = step.features.fresh || step.features.reset;
  if (!seen) return told;  // nor does anybody know which opening it is
  const std::vector<StandingAlert> ended = std::exchange(ended_, {});
  if (step.features.reset) return told;
  for (const StandingAlert& one : ended) {
    const auto kind = static_cast<std::size_t>(one.told.indicator.kind);
    const Indicator& now = step.indicators.at(kind);
    if (now.state == AlertState::kOk) continue;
    standing_.push_back(one);
    AlertChange alert = one.told;
    alert.indicator = now;
    alert.indicator.drivers = engine_.drivers(now.kind, step.features);
    alert.from = AlertState::kOk;
    alert.message = "goes on: the database is seen again";
    told.push_back(std::move(alert));
  }
  return told;
}

// In the alert log alone: a replay of what was recorded knows of the next opening's sample only.
void Target::end_alerts(const std::string& why) {
  const Instant now = journal_.now();
  for (const StandingAlert& one : std::exchange(standing_, {})) {
    const Indicator& stood = one.told.indicator;
    const auto& lead = one.lead_seconds;
    ended_.push_back(one);
    AlertChange alert = one.told;
    alert.from = stood.state;
    alert.indicator = {};
    alert.indicator.kind = stood.kind;
    alert.indicator.cause = stood.cause;
    alert.indicator.warn_probability = stood.warn_probability;
    alert.indicator.horizon_seconds = stood.horizon_seconds;
    alert.indicator.why_invalid = why;
    if (lead) alert.event_came = true;
    alert.lead_seconds = lead;
    alert.message = "ended after " +
                    text::duration(seconds_between(alert.raised_at.tick, now.tick)) +
                    (lead ? ": " + verdict(stood.kind, lead) + "; " : " without a verdict: ") + why;
    journal_alert(alert, now.wall);
  }
}

void Target::journal_outcome(const Outcome& outcome, Nanoseconds wall) {
  std::string line = trace::outcome_line(wall, name_, outcome);
  journal_.line(line);
  if (DecisionStatus* of = recent(outcome.decision_id)) of->outcome = std::move(line);
}

void Target::journal_decision(const Decision& decision, Nanoseconds wall) {
  const std::string mode(to_string(rule_.mode));
  std::string line = trace::decision_line(wall, name_, decision, mode);
  journal_.line(line);
  const Proposal& proposal = decision.proposal;
  recent_decisions_.push_back(
      {decision.id, proposal.knob, proposal.column_family, std::move(line), "", ""});
  if (recent_decisions_.size() > kRecentDecisions) recent_decisions_.pop_front();
}

// The newest: an id may come again where the clock was set back.
DecisionStatus* Target::recent(const std::string& id) {
  const auto found = std::find_if(recent_decisions_.rbegin(), recent_decisions_.rend(),
                                  [&](const DecisionStatus& one) { return one.id == id; });
  return found == recent_decisions_.rend() ? nullptr : &*found;
}

// In act mode an allowed decision is the caller's to apply; otherwise the engine is told that it
// was only said, before the next step.
void Target::settle(const Decision& decision, std::vector<Decision>& to_apply) {
  if (!may_be_applied(decision.verdict)) return;
  const std::string held = held_elsewhere();
  if (acts() && held.empty()) {
    under_way_.add(decision);
    to_apply.push_back(decision);
    return;
  }
  const std::int64_t value = decision.proposal.from;
  Actuation actuation{decision.id, "advised", "", value, value};
  if (rule_.mode == Mode::kObserve) actuation.reason = "observed only";
  if (rule_.mode == Mode::kAct) {
    actuation.status = "refused";
    actuation.reason = opening_ ? why_untunable() : "the database is not open";
    if (acts()) actuation.reason = held;
  }
  ++counters_.actuations[actuation.status];
  std::string line = trace::actuation_line(journal_.now().wall, name_, actuation);
  if (rule_.mode == Mode::kAct) journal_.line(line);  // of advice nobody expects that it is done
  if (DecisionStatus* of = recent(decision.id)) of->actuation = std::move(line);
  reports_.push_back(std::move(actuation));
}

void Target::report(const Actuation& actuation) {
  ++counters_.actuations[actuation.status];
  std::string line = trace::actuation_line(journal_.now().wall, name_, actuation);
  journal_.line(line);
  DecisionStatus* decision = recent(actuation.decision_id);
  journal_.log().info(name_ + ": decision " + actuation.decision_id + " " + actuation.status +
                      (actuation.reason.empty() ? "" : " (" + actuation.reason + ")") + ": " +
                      change_text(decision, actuation));
  if (decision != nullptr) decision->actuation = std::move(line);
  reports_.push_back(actuation);
  const std::optional<Decision> made = under_way_.done(actuation.decision_id);
  if (made && actuation.status == "applied") show_made(made->proposal, actuation.after);
  if (made && actuation.status == "failed") under_way_.doubt(*made);
}

// One line for all of a sample: an order may hold every knob of hundreds of column families.
void Target::note_owners(const KnobReadings& knobs) {
  std::vector<std::string> tuned, held;
  const KnobReading* last = nullptr;
  decltype(manual_) manual;
  for (const KnobReading& knob : knobs) {
    if (knob.owner == KnobOwner::kRocktune) tuned.push_back(standing(knob));
    // Only of what rocktune would turn: the others are nobody's news.
    if (knob.owner != KnobOwner::kManual || find_knob(knob.name) == nullptr) continue;
    const std::pair key(knob.name, knob.column_family);
    manual.insert(key);
    if (manual_.contains(key)) continue;
    held.push_back(standing(knob));
    last = &knob;
  }
  manual_ = std::move(manual);  // without those of column families that are gone
  if (held.size() == 1) {
    const std::string& family = last->column_family;
    journal_.event(name_, trace_id_, "manual", last->name,
                   called(*last) + " is " + shown(last->name, last->value) +
                       " by an operator's hand (a change from outside, or a rollback): rocktune "
                       "leaves it alone until `rocktune release " +
                       last->name + (family.empty() ? "" : " --column-family " + family) + "`");
  } else if (!held.empty()) {
    journal_.event(name_, trace_id_, "manual", "knobs",
                   std::to_string(held.size()) +
                       " knobs are held by an operator's hand (changes from outside, or a "
                       "rollback): " +
                       listed(held) +
                       " (`rocktune status` has all); rocktune leaves them alone until "
                       "`rocktune release KNOB`, or `--all`");
  }
  if (!adoption_noted_ && !tuned.empty()) note_tuned(listed(tuned));
  adoption_noted_ = true;
}

void Target::note_tuned(const std::string& knobs) {
  const bool elsewhere = !held_elsewhere().empty();
  journal_.event(name_, trace_id_, "daemon", elsewhere ? "tuned_elsewhere" : "adopted",
                 elsewhere ? "is tuned by '" + lease_->holder + "', which has set: " + knobs
                           : "adopted what an earlier run of rocktuned had set: " + knobs);
}

// status() and note_left() have it before the next sample does.
void Target::show_made(const Proposal& change, std::int64_t value) {
  for (KnobReading& knob : last_sample_.knobs.edit()) {
    if (knob.name != change.knob || knob.column_family != change.column_family) continue;
    knob.value = value;
    knob.owner = KnobOwner::kRocktune;
  }
}

void Target::show_knobs(const wire::Knobs& answer) {
  if (!live()) return;
  wire::Sample sample;
  for (const wire::Knobs::Entry& entry : answer.knobs) sample.knobs.push_back(entry.knob);
  const KnobReadings now = to_knob_readings(sample);
  for (KnobReading& reading : last_sample_.knobs.edit()) {
    const KnobReading* knob = now.find(reading.name, reading.column_family);
    if (knob == nullptr) continue;
    reading.value = knob->value;
    reading.found = knob->found;
    reading.owner = knob->owner;
  }
}

TargetStatus Target::status() const {
  TargetStatus status;
  status.name = name_;
  status.path = path_;
  status.mode = std::string(to_string(rule_.mode));
  status.state = !live() ? "waiting" : failing_ ? "failing" : "live";
  if (!live()) status.waiting_since_wall = closed_at_.wall;
  if (opening_) {
    status.pid = opening_->pid > 0 ? opening_->pid : opening_->agent.pid;
    status.command = opening_->agent.command;
    status.rocksdb_version = opening_->agent.rocksdb_version;
    status.incarnation = opening_->incarnation();
  }
  status.why_untunable = why_untunable();
  status.device = device_name();
  if (live()) {
    status.shared = last_sample_.shared;
    status.weight = rule_.weight;
    status.health = last_sample_.health;
  }
  status.due = due_;
  status.recorded = recorded_;
  if (acts() && !failing_ && !held_elsewhere().empty()) {
    status.health.push_back({"lease", held_elsewhere()});
  }
  if (live() && !failing_ && !cache_note_.text().empty()) {
    status.health.push_back({"cache", cache_note_.text()});
  }
  status.pins = rule_.engine.pins;
  status.freeze = rule_.freeze;
  // Of column families only what is not as it was found: there may be hundreds. What the rule says
  // of a knob is seen at the default one.
  for (const KnobReading& knob : last_sample_.knobs) {
    const bool ruled = knob.column_family == kDefaultFamily &&
                       (status.pins.contains(knob.name) ||
                        std::ranges::find(status.freeze, knob.name) != status.freeze.end());
    const bool told = knob.column_family.empty() || knob.owner != KnobOwner::kFound || ruled;
    if (live() && told) status.knobs.push_back(knob);
  }
  if (live() && last_step_) {
    status.features = last_step_->features;
    status.indicators = last_step_->indicators;
    for (Indicator& indicator : status.indicators) {
      indicator.drivers = engine_.drivers(indicator.kind, last_step_->features);
      status.sentences.push_back(engine_.sentence(indicator.kind));
    }
  }
  status.recent_decisions.assign(recent_decisions_.begin(), recent_decisions_.end());
  status.events = events_.counts();
  if (const auto& failure = events_.failure(); live() && failure) {
    status.background_error = failure->message;
    status.background_error_wall = failure->wall;
  }
  if (lease_ && !failing_) status.lease = {lease_->holder, lease_->remaining_seconds.value_or(0)};
  return status;
}

}  // namespace rocktune::daemon
