#include "daemon/target.h"

#include <algorithm>

#include "daemon/agents/translate.h"
#include "model/knobs.h"
#include "trace/journal_json.h"

namespace rocktune::daemon {
namespace {

// A rule for many databases names each one by the part of its path that the pattern leaves open.
std::string display_name(const TargetRule& rule, const std::string& path) {
  if (rule.name.empty()) return path;
  const std::size_t open = rule.path.find_first_of("*?[\\");
  const std::string left = open < path.size() ? path.substr(open) : "";
  return left.empty() ? rule.name : rule.name + ":" + left;
}

// What several databases have in common stays as it was found; what was made of it while there was
// one may still go back there (policy/in_common.h).
void leave_to_all(KnobReading& knob, std::uint64_t databases) {
  if (knob.owner == KnobOwner::kRocktune && knob.value != knob.found) {
    knob.min = knob.max = knob.found;
    return;
  }
  if (!knob.changeable) return;
  knob.changeable = false;
  knob.reason = std::to_string(databases) +
                " databases of the process have it in common: it is turned for none of them";
}

}  // namespace

Target::Target(std::uint64_t serial, std::string path, const TargetRule& rule,
               EngineConfig began_with, Engine engine, Roots roots, Journal& journal,
               Counters& counters, LearntStore& learnt)
    : serial_(serial),
      path_(std::move(path)),
      name_(display_name(rule, path_)),
      rule_(rule),
      began_with_(std::move(began_with)),
      engine_(std::move(engine)),
      roots_(std::move(roots)),
      journal_(journal),
      counters_(counters),
      learnt_(learnt),
      events_(rule.all_events) {}

Result<std::unique_ptr<Target>> Target::create(std::uint64_t serial, std::string path,
                                               const TargetRule& rule, const Roots& roots,
                                               Journal& journal, Counters& counters,
                                               LearntStore& learnt) {
  EngineConfig config = rule.engine;
  LearntStore::Found found = learnt.find(path);
  if (found.learnt) config.prior = std::move(found.learnt);
  Result<Engine> engine = Engine::create(config);
  if (!engine) return tl::unexpected<Error>(engine.error());
  std::unique_ptr<Target> target(new Target(serial, std::move(path), rule, std::move(config),
                                            *std::move(engine), roots, journal, counters, learnt));
  target->last_saved_ = target->engine_.learnt();
  if (!found.why_discarded.empty()) {
    journal.event(target->name_, 0, "daemon", "learnt",
                  "what the early warnings had learnt of it was discarded, they begin with "
                  "model.prior: " +
                      found.why_discarded);
  }
  return target;
}

bool Target::acts() const {
  return rule_.mode == Mode::kAct && opening_ && why_untunable().empty();
}

std::string Target::why_untunable() const {
  if (!opening_) return "";
  if (!opening_->database.tunable)
    return "the database cannot be tuned: " + opening_->database.reason;
  return opening_->agent.mode == "ro" ? "the agent is read-only and refuses every change" : "";
}

std::string Target::held_elsewhere() const {
  if (!lease_ || lease_->holder == holder_) return "";
  return "another daemon, '" + lease_->holder +
         "', holds the lease: nothing can be changed from here; stop it, or set this one to advise";
}

void Target::opened(Opening opening) {
  opening_ = std::move(opening);
  failing_ = false;
  lease_.reset();
  shared_.reset();
  notes_.reset();
  forecast_notes_.reset();
  cache_note_.reset();
  manual_.clear();
  family_knobs_.reset();
  opening_options_.reset();
  in_common_.clear();
  knobs_wanted_ = false;
  adoption_noted_ = false;
  // What another opening had is nothing to roll back to, or to divide by.
  last_sample_ = {};
  last_step_.reset();
  memory_ = {};
  read_knobs_ = {};
  demand_ = {};
  if (!lost_ || lost_->incarnation != opening_->incarnation()) {
    lost_.reset();
    under_way_.reset_doubts();
  }
  cpus_.reset();
  events_.opened(opening_->incarnation(), journal_.now().tick);
  find_machine();
  TraceWriter::Step record(journal_.trace());
  ensure_registered(record);
  record.commit();
  const wire::Hello& agent = opening_->agent;
  std::string message = "opened by " + agent.command + " (pid " + std::to_string(agent.pid) +
                        ", RocksDB " + agent.rocksdb_version + ", agent " + agent.agent_version +
                        "); mode " + std::string(to_string(rule_.mode));
  if (const std::string why = why_untunable(); !why.empty()) message += "; " + why;
  if (opening_->pid == 0) {
    message +=
        "; its process cannot be seen from here (another PID namespace): what limits its CPUs, "
        "memory and I/O is not known";
  }
  journal_.event(name_, trace_id_, "source", "agent", message);
}

void Target::closed(const std::string& reason) {
  if (!opening_) return;
  record_last_events();
  note_events(true);
  save_learnt();
  end_alerts(reason);
  opening_.reset();
  lease_.reset();
  failing_ = false;
  machine_.reset();
  // Many closed databases may be kept, and what one of hundreds of column families had is large.
  last_step_.reset();
  last_sample_.database.reset();
  last_sample_.knobs = {};
  read_knobs_ = {};
  lost_.reset();
  family_knobs_.reset();
  opening_options_.reset();
  closed_at_ = journal_.now();
  journal_.trace().forget(trace_id_);
  journal_.event(name_, trace_id_, "source", "agent", reason + "; waiting for the next opening");
}

void Target::find_machine() {
  machine_.emplace(roots_, OnMachine{opening_->database.path, opening_->pid, rule_.device_stat},
                   journal_.now().tick);
}

// What the config or the freeze file freezes is frozen in the sample itself, so that a replay sees
// it too. So is what a database has in common with others of its process: what its engine would
// take or leave is theirs as well, and what they need is not in its sample.
void Target::take_knobs(Sample& sample, const wire::Sample& answer) {
  in_common_.clear();
  KnobReadings::List knobs = to_knob_readings(answer);
  family_knobs_.add_to(answer, knobs);
  knobs_wanted_ = family_knobs_.wanted(answer, sample.at.tick);
  for (const wire::Knob& knob : answer.knobs) {
    if (knob.databases < 2) continue;
    in_common_[{knob.name, knob.column_family}] =
        opening_->agent.instance + "/" + std::to_string(knob.object);
    for (KnobReading& reading : knobs) {
      if (reading.name != knob.name || reading.column_family != knob.column_family) continue;
      leave_to_all(reading, knob.databases);
    }
  }
  for (KnobReading& knob : knobs) {
    const bool by_rule =
        std::find(rule_.freeze.begin(), rule_.freeze.end(), knob.name) != rule_.freeze.end();
    if (!knob.changeable || (!by_rule && frozen_.empty())) continue;
    knob.changeable = false;
    knob.reason = by_rule ? "frozen in the configuration" : frozen_;
  }
  sample.knobs = std::move(knobs);
}

Sample Target::assemble(const Instant& at, const Result<wire::Sample>& answer) {
  Sample sample;
  sample.at = at;
  sample.sequence = ++sequence_;
  sample.incarnation = opening_->incarnation();
  sample.shared = shared_;
  sample.health.push_back({"agent", answer ? std::string() : answer.error().message});
  failing_ = !answer;
  if (answer) {
    sample.database = to_database_reading(*answer);
    if (!is_writable(opening_->database)) leave_out_stalls(*sample.database);
    take_knobs(sample, *answer);
    lease_ = answer->lease;
    events_.seen(answer->next_event);
  }
  return sample;
}

std::vector<Decision> Target::poll(const Instant& at, const Result<wire::Sample>& answer) {
  if (!opening_) return {};
  Sample sample = assemble(at, answer);
  machine_->read(sample);
  for (const SourceHealth& health : sample.health) {
    if (!health.error.empty()) ++counters_.source_errors[health.source];
    note(health.source, health.error);
  }
  if (answer && acts() && lease_) note("lease", held_elsewhere());
  if (answer) note_owners(sample.knobs);
  note_events();
  return step(std::move(sample));
}

void Target::take_family_knobs(const Result<wire::Knobs>& answer) {
  knobs_wanted_ = false;
  family_knobs_.asked(journal_.now().tick);
  if (answer) family_knobs_.take(*answer);
  // Closed since it was sampled: no trouble, and the next poll says so.
  if (!answer && answer.error().code == ErrorCode::kNotFound) return;
  note("knobs", answer ? std::string() : answer.error().message);
}

void Target::take_events(const wire::Events& answer) {
  if (!opening_) return;
  events_.take(answer, journal_.now());
  note_events();
}

void Target::note_events(bool last) {
  for (const EventNote& note : events_.to_say(journal_.now().tick, last)) {
    journal_.event(name_, trace_id_, "event", note.id, note.message, note.wall);
  }
}

void Target::missed(const Instant& at, const std::string& reason) {
  if (!opening_) return;
  Sample sample = assemble(at, fail(ErrorCode::kUnavailable, reason));
  ++counters_.source_errors["agent"];
  static_cast<void>(step(std::move(sample)));
}

void Target::skip(std::uint64_t samples) {
  if (!opening_) return;
  sequence_ += samples;
  due_ += samples;
  counters_.samples_due += samples;
}

void Target::note(const std::string& source, const std::string& error) {
  const auto message = notes_.note(source, error, journal_.now().tick);
  if (!message) return;
  if (source == "lease" && !error.empty()) {
    journal_.trouble(name_, trace_id_, "source", source, *message);
  } else {
    journal_.event(name_, trace_id_, "source", source, *message);
  }
}

std::vector<Decision> Target::step(Sample sample) {
  const std::uint64_t sequence = sample.sequence;
  ++due_;
  ++counters_.samples_due;
  TraceWriter::Step record(journal_.trace());
  ensure_registered(record);
  record.add([&](trace::Recorder& r) { return r.add_sample(trace_id_, sample); });
  for (const Actuation& report : reports_) {
    record.add([&](trace::Recorder& r) { return r.add_actuation(trace_id_, sequence, report); });
    engine_.report(report);
  }
  reports_.clear();
  record_events(record, sequence, events_.to_record());
  Step result = engine_.step(sample);
  record.add(
      [&](trace::Recorder& r) { return r.add_indicators(trace_id_, sequence, result.indicators); });
  for (const AlertChange& alert : result.alerts) {
    record.add([&](trace::Recorder& r) { return r.add_alert(trace_id_, sequence, alert); });
  }
  for (const Decision& decision : result.decisions) {
    record.add([&](trace::Recorder& r) { return r.add_decision(trace_id_, sequence, decision); });
  }
  for (const Outcome& outcome : result.outcomes) {
    record.add([&](trace::Recorder& r) { return r.add_outcome(trace_id_, sequence, outcome); });
  }
  if (record.commit() && sample.database) {
    ++recorded_;
    ++counters_.samples_recorded;
  }
  journal_step(result);
  std::vector<Decision> to_apply;
  for (const Decision& decision : result.decisions) settle(decision, to_apply);
  // Knobs and health of a sample that could not be read would hide what is known.
  if (!sample.database) sample.knobs = std::move(last_sample_.knobs);
  const Nanoseconds now = sample.at.tick;
  // Not all that were found at the start in the same poll.
  constexpr std::uint64_t kTurns = 64;
  if (!saved_) saved_ = now - learnt_.interval() * (serial_ % kTurns) / kTurns;
  if (now - *saved_ >= learnt_.interval()) save_learnt();
  last_sample_ = std::move(sample);
  if (last_sample_.database) {
    const DatabaseReading& database = *last_sample_.database;
    buffer_limit_ = database.write_buffer_limit_bytes;
    memory_ = memory_use(last_sample_.knobs, database.column_families);
    unlisted_buffers_ = memory_.write_buffers - memory_use(last_sample_.knobs).write_buffers;
    memory_.limit_buffers(buffer_limit_);
    read_knobs_ = last_sample_.knobs;
    read_at_ = now;
    under_way_.look(now);
    lost_.reset();
  }
  demand_ = engine_.demand(result);
  if (result.features.cpus) cpus_ = result.features.cpus;
  last_step_ = std::move(result);
  return to_apply;
}

void Target::record_events(TraceWriter::Step& record, std::uint64_t sequence,
                           const std::vector<DatabaseEvent>& events) const {
  for (const DatabaseEvent& event : events) {
    record.add(
        [&](trace::Recorder& r) { return r.add_database_event(trace_id_, sequence, event); });
  }
}

// Rows of the next sample, if any. A trace that has begun since the last one has no such target.
void Target::record_last_events() {
  const std::vector<DatabaseEvent> events = events_.to_record(true);
  if (events.empty() || trace_id_ == 0) return;
  TraceWriter::Step record(journal_.trace());
  if (record.has(trace_id_)) record_events(record, sequence_ + 1, events);
  record.commit();
}

void Target::finish() {
  record_last_events();
  note_events(true);
  save_learnt();
  if (reports_.empty() || trace_id_ == 0) return;
  TraceWriter::Step record(journal_.trace());
  for (const Actuation& report : reports_) {
    if (!record.has(trace_id_)) break;
    record.add(
        [&](trace::Recorder& r) { return r.add_actuation(trace_id_, sequence_ + 1, report); });
  }
  record.commit();
  reports_.clear();
}

void Target::save_learnt() {
  saved_ = journal_.now().tick;
  const Learnt learnt = engine_.learnt();
  if (learnt == last_saved_) return;
  learnt_.save(path_, learnt);
  last_saved_ = learnt;
}

Result<void> Target::reconfigure(std::uint64_t serial, const TargetRule& rule) {
  EngineConfig config = rule.engine;
  config.prior = rule_.engine.prior;  // another one is for databases that begin
  // What was only advised for long is not to wait until it would be said again.
  const bool begins_to_act = rule.mode == Mode::kAct && rule_.mode != Mode::kAct;
  if (!(config == rule_.engine) || begins_to_act) {
    config.prior = std::make_shared<const Learnt>(engine_.learnt());  // learns on
    Result<Engine> engine = Engine::create(config);
    if (!engine) return tl::unexpected<Error>(engine.error());
    // In the alert log alone: a replay of what was recorded knows of no reload.
    const Engine::Ended ended = engine_.end("the settings changed");
    const Nanoseconds wall = journal_.now().wall;
    for (const Outcome& outcome : ended.outcomes) journal_outcome(outcome, wall);
    for (const GuardNote& note : ended.notes) journal_.line(trace::guard_line(wall, name_, note));
    end_alerts("the settings changed");
    ended_.clear();  // the next engine knows nothing of them
    finish();
    engine_ = *std::move(engine);
    began_with_ = std::move(config);
    serial_ = serial;
    journal_.trace().forget(trace_id_);
    trace_id_ = 0;
    sequence_ = 0;
    recorded_incarnation_.clear();
    last_step_.reset();
  }
  if (!(rule == rule_)) ++configured_;
  if (rule.mode != Mode::kAct) note_kept();
  const bool other_device = rule.device_stat != rule_.device_stat;
  rule_ = rule;
  name_ = display_name(rule_, path_);
  if (other_device && live()) find_machine();
  return {};
}

}  // namespace rocktune::daemon
