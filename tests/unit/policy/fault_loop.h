// A closed loop of an engine and a toy plant that faults can be put into: in what is seen of the
// plant, and in what becomes of a change. A witness checks at every step what has to hold always.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/engine.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/toy_plant.h"

namespace rocktune::test {

inline bool is_allowed(const Decision& decision) {
  return decision.verdict.kind == VerdictKind::kAllowed ||
         decision.verdict.kind == VerdictKind::kClamped;
}

// What a fault does while it lasts; absent parts work as ever.
struct FaultHooks {
  std::string name;
  std::function<void(Sample&)> see;                // changes what is seen
  std::function<Actuation(const Decision&)> make;  // instead of making the change
  bool nobody_asks = false;                        // no samples at all: the database is "closed"
};

// What may never happen, told without the guard's own code.
class FaultWitness {
 public:
  explicit FaultWitness(int changes_per_hour) : changes_per_hour_(changes_per_hour) {}

  // Before the decisions of a sample.
  void saw(const Sample& sample) {
    const bool late = newest_ && sample.at.tick <= *newest_;
    const bool gap = newest_ && seconds_between(*newest_, sample.at.tick) > 10;
    stale_ = !sample.database || late || gap || blind_ >= 2;
    if (!sample.database) {
      ++blind_;
    } else if (!late) {
      blind_ = 0;
    }
    if (!late) newest_ = sample.at.tick;
    if (sample.incarnation != incarnation_) moves_.clear();
    incarnation_ = sample.incarnation;
  }

  void decided(const Decision& decision, const Sample& sample) {
    const Proposal& proposal = decision.proposal;
    CAPTURE(proposal.knob, proposal.rule, proposal.from, decision.verdict.value);
    CHECK_FALSE(stale_);
    const KnobReading* reading = nullptr;
    for (const KnobReading& one : sample.knobs) {
      if (one.name == proposal.knob && one.column_family == proposal.column_family) reading = &one;
    }
    REQUIRE(reading != nullptr);
    const KnobSpec* spec = find_knob(proposal.knob);
    REQUIRE(spec != nullptr);
    const std::int64_t to = decision.verdict.value;
    CHECK(reading->changeable);
    CHECK(reading->owner != KnobOwner::kManual);
    CHECK(reading->value == proposal.from);
    CHECK(to != proposal.from);
    CHECK(to >= std::min(spec->min, reading->found));
    CHECK(to <= std::max(spec->max, reading->found));
    const bool unlimited = proposal.knob == knob::kRateLimit &&
                           std::max(proposal.from, to) >= kUnlimitedBytesPerSecond;
    const auto low = static_cast<double>(std::min(to, proposal.from));
    const auto high = static_cast<double>(std::max(to, proposal.from));
    if (!unlimited) {
      // Two steps at once where writers stand still; guard_step_test says when.
      const bool two = proposal.knob == knob::kRateLimit && to > proposal.from;
      const double ratio = two ? spec->max_step_ratio * spec->max_step_ratio : spec->max_step_ratio;
      CHECK(high <= std::max(low * ratio + 1, low + static_cast<double>(spec->min_step)));
    }
    if (proposal.knob != knob::kRateLimit) {
      CHECK(static_cast<double>(to) <= 16 * static_cast<double>(reading->found));
      CHECK(16 * static_cast<double>(to) >= static_cast<double>(reading->found));
    }
  }

  // Made, or at least not known not to be.
  void made(const Decision& decision, Nanoseconds now) {
    const auto spec = find_knob(decision.proposal.knob);
    auto& last = moves_[{decision.proposal.knob, decision.proposal.column_family}];
    // A stall is answered from poll to poll; guard_test says when.
    const bool lets_go = decision.proposal.knob == knob::kRateLimit &&
                         decision.verdict.value > decision.proposal.from;
    const Nanoseconds rest = lets_go ? std::chrono::milliseconds(400) : spec->dwell;
    if (last) CHECK(now - *last >= rest);
    last = now;
    changes_.push_back(now);
    while (seconds_between(changes_.front(), now) >= 3600) changes_.pop_front();
    CHECK(changes_.size() <= static_cast<std::size_t>(changes_per_hour_));
  }

 private:
  int changes_per_hour_;
  bool stale_ = false;
  int blind_ = 0;
  std::optional<Nanoseconds> newest_;
  std::string incarnation_;
  std::map<std::pair<std::string, std::string>, std::optional<Nanoseconds>> moves_;
  std::deque<Nanoseconds> changes_;
};

class FaultLoop {
 public:
  explicit FaultLoop(const EngineConfig& config = {})
      : engine(*Engine::create(config)), witness(config.budget.changes_per_hour) {}

  std::int64_t* value_of(const std::string& name) {
    if (name == knob::kRateLimit) return &plant.limit;
    if (name == knob::kBackgroundJobs) return &plant.jobs;
    if (name == knob::kCacheCapacity) return &plant.cache;
    KnobReading* one = plant.find_more(name);
    return one == nullptr ? nullptr : &one->value;
  }
  std::int64_t found_of(const std::string& name) {
    if (name == knob::kRateLimit) return plant.found_limit;
    if (name == knob::kBackgroundJobs) return plant.found_jobs;
    if (name == knob::kCacheCapacity) return plant.found_cache;
    return plant.find_more(name)->found;
  }
  void set(const std::string& name, std::int64_t value) {
    *value_of(name) = value;
    if (KnobReading* one = plant.find_more(name)) {
      one->owner = value == one->found ? KnobOwner::kFound : KnobOwner::kRocktune;
    }
  }
  // As the agent does with what reads back another value (agent/batch.cc): limiters and caches may
  // make their own of what they are given; RocksDB takes options as they are, so that somebody else
  // has set that one.
  void misread(const std::string& name, std::int64_t from, std::int64_t value) {
    set(name, value);
    const bool option = name != knob::kRateLimit && name != knob::kCacheCapacity;
    if (option && value != from && value != found_of(name)) manual.insert(name);
  }
  // `rocktune release` of what somebody else has set: it is the value found from then on.
  void release(const std::string& name) {
    manual.erase(name);
    if (name == knob::kBackgroundJobs) plant.found_jobs = plant.jobs;
    if (KnobReading* one = plant.find_more(name)) {
      one->found = one->value;
      one->owner = KnobOwner::kFound;
    }
  }
  // The host ends, and another one opens the database.
  void reopen() {
    incarnation = "agent-" + std::to_string(++openings) + "/db-1";
    manual.clear();
    return_all();
  }
  // As the agent does when the lease has expired.
  void return_all() {
    plant.limit = plant.found_limit;
    if (!manual.contains(std::string(knob::kBackgroundJobs))) plant.jobs = plant.found_jobs;
    plant.cache = plant.found_cache;
    for (KnobReading& one : plant.more) {
      if (manual.contains(one.name)) continue;
      one.value = one.found;
      one.owner = KnobOwner::kFound;
    }
  }
  Actuation make(const Decision& decision) {
    set(decision.proposal.knob, decision.verdict.value);
    return {decision.id, "applied", "", decision.proposal.from, decision.verdict.value};
  }

  Sample poll() {
    Sample sample = plant.poll();
    ++polls;
    sample.at.tick += tick_jump;
    sample.at.wall += wall_jump;
    sample.database->agent_tick += tick_jump;
    sample.incarnation = incarnation;
    sample.sequence = ++sequence;
    for (KnobReading& one : sample.knobs.edit()) {
      if (manual.contains(one.name)) one.owner = KnobOwner::kManual;
    }
    return sample;
  }
  void tick() {
    Sample sample = poll();
    if (fault && fault->nobody_asks) {
      --sequence;  // nothing was due
      return;
    }
    if (fault && fault->see) fault->see(sample);
    give(sample);
  }
  Step give(const Sample& sample) {
    witness.saw(sample);
    Step step = engine.step(sample);
    for (const Decision& decision : step.decisions) {
      decisions.push_back(decision);
      if (!is_allowed(decision)) continue;
      witness.decided(decision, sample);
      const bool otherwise = fault && fault->make;
      const Actuation done = otherwise ? fault->make(decision) : make(decision);
      if (done.status == "applied") witness.made(decision, sample.at.tick);
      actuations.push_back(done);
      engine.report(done);
    }
    outcomes.insert(outcomes.end(), step.outcomes.begin(), step.outcomes.end());
    alerts.insert(alerts.end(), step.alerts.begin(), step.alerts.end());
    notes.insert(notes.end(), step.notes.begin(), step.notes.end());
    late.insert(late.end(), step.late.begin(), step.late.end());
    indicators = step.indicators;
    last = sample;
    return step;
  }
  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) tick();
  }
  // Until the condition holds; the seconds it took, or absent after `most`.
  std::optional<double> until(double most, const std::function<bool()>& condition) {
    for (int i = 0; i < static_cast<int>(most * 2); ++i) {
      if (condition()) return 0.5 * i;
      tick();
    }
    return std::nullopt;
  }
  // The first allowed decision by a rule that begins so; nullptr: there is none yet.
  [[nodiscard]] const Decision* first(const std::string& rule, std::size_t from = 0) const {
    for (std::size_t i = from; i < decisions.size(); ++i) {
      if (is_allowed(decisions[i]) && decisions[i].proposal.rule.starts_with(rule)) {
        return &decisions[i];
      }
    }
    return nullptr;
  }
  // Whether a change has been made, `from` that many actuations on.
  [[nodiscard]] bool applied(std::size_t from) const {
    for (std::size_t i = from; i < actuations.size(); ++i) {
      if (actuations[i].status == "applied") return true;
    }
    return false;
  }
  [[nodiscard]] const Outcome* outcome_of(const std::string& id) const {
    for (const Outcome& one : outcomes) {
      if (one.decision_id == id) return &one;
    }
    return nullptr;
  }
  [[nodiscard]] bool noted(const std::string& words) const {
    for (const GuardNote& note : notes) {
      if (note.message.find(words) != std::string::npos) return true;
    }
    return false;
  }
  [[nodiscard]] double backlog() const { return 8e6 * plant.l0() + plant.debt(); }

  Engine engine;
  ToyPlant plant;
  FaultWitness witness;
  std::optional<FaultHooks> fault;
  Nanoseconds tick_jump{0}, wall_jump{0};
  std::set<std::string> manual;  // knobs that somebody else has set
  std::string incarnation = "agent-1/db-1";
  int openings = 1;
  std::uint64_t sequence = 0, polls = 0;
  Sample last;
  std::vector<Decision> decisions;
  std::vector<Actuation> actuations;
  std::vector<Outcome> outcomes;
  std::vector<AlertChange> alerts;
  std::vector<GuardNote> notes;
  std::vector<Actuation> late;        // made all the same
  std::vector<Indicator> indicators;  // as of the last sample
};

}  // namespace rocktune::test
