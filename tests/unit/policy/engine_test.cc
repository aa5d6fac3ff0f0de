#include "policy/engine.h"

#include <optional>
#include <set>

#include "model/text.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/loop.h"

using namespace rocktune;
using namespace rocktune::test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kM = std::int64_t{1} << 20;

// A database that stands still in a stall behind its limiter.
class Stalled {
 public:
  explicit Stalled(const EngineConfig& config = {})
      : engine(*Engine::create(config)), sample(quiet_sample(0)) {
    sample.knobs = {limiter_knob(20 * kM, 20 * kM)};
  }
  Step step(std::optional<Nanoseconds> wall = {}) {
    sample = next_sample(sample);
    if (wall) sample.at.wall = *wall;
    DatabaseReading& db = *sample.database;
    db.write_stopped = 1;
    db.limiter_bytes_through = *db.limiter_bytes_through + 10 * kMiB;
    db.column_families[0].levels[0].files = 36;
    return engine.step(sample);
  }
  // Steps until something is decided.
  Decision first_decision() {
    for (int i = 0; i < 10; ++i) {
      Step one = step();
      if (!one.decisions.empty()) return one.decisions[0];
    }
    FAIL("nothing was decided");
    return {};
  }

  Engine engine;
  Sample sample;
};

}  // namespace

TEST_CASE("a wrong config makes no engine, and names what is wrong", "[engine]") {
  EngineConfig config;
  config.policy = "nonsense";
  CHECK(Engine::create(config).error().message.find("headroom") != std::string::npos);
  config.policy = "headroom";
  config.objective.horizon_seconds = 0;
  config.budget.jobs_max = -1;
  auto engine = Engine::create(config);
  REQUIRE_FALSE(engine);
  CHECK(engine.error().message.find("horizon_seconds") != std::string::npos);
  CHECK(engine.error().message.find("jobs_max") != std::string::npos);
}

TEST_CASE("a decision's id is the sample's time and its own number", "[engine]") {
  Stalled target;
  Decision decision = target.first_decision();
  CHECK(decision.id == text::moment(target.sample.at.wall) + "-1");
  CHECK(decision.verdict.kind == VerdictKind::kAllowed);
}

TEST_CASE("a wall clock that is set back gives no id again", "[engine]") {
  Stalled target;
  std::set<std::string> ids;
  std::size_t decisions = 0;
  for (int i = 0; i < 200; ++i) {
    // The same ten seconds again and again; each decision is reported, so that others follow.
    const Nanoseconds wall = std::chrono::seconds(1'800'000'000) + (i % 20) * 500ms;
    for (const Decision& decision : target.step(wall).decisions) {
      ++decisions;
      ids.insert(decision.id);
      target.engine.report({decision.id, "refused", "", 20 * kM, 20 * kM});
    }
  }
  CHECK(decisions > 2);
  CHECK(ids.size() == decisions);
}

TEST_CASE("an applied change gets an outcome, joined by its id", "[engine]") {
  Stalled target;
  Decision decision = target.first_decision();
  target.sample.knobs.edit()[0].value = decision.verdict.value;
  target.engine.report({decision.id, "applied", "", 20 * kM, decision.verdict.value});
  target.engine.report({decision.id, "applied", "", 20 * kM, decision.verdict.value});  // once
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 40; ++i) {
    for (const Outcome& outcome : target.step().outcomes) outcomes.push_back(outcome);
  }
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes[0].decision_id == decision.id);
  CHECK(outcomes[0].result == "unchanged");
}

TEST_CASE("a change that the operator takes back is no outcome, and may come again when released",
          "[engine]") {
  Stalled target;
  Decision first = target.first_decision();
  target.sample.knobs.edit()[0].value = first.verdict.value;
  target.engine.report({first.id, "applied", "", 20 * kM, first.verdict.value});
  target.step();
  target.sample.knobs.edit()[0].value = 20 * kM;  // a rollback that holds
  target.sample.knobs.edit()[0].owner = KnobOwner::kManual;
  Step undone = target.step();
  REQUIRE(undone.outcomes.size() == 1);
  CHECK(undone.outcomes[0].result == "unknown");
  for (int i = 0; i < 10; ++i) {
    for (const Decision& held : target.step().decisions) CHECK(held.verdict.rule == "manual");
  }
  target.sample.knobs.edit()[0].owner = KnobOwner::kFound;  // released
  bool allowed = false;
  for (int i = 0; i < 10; ++i) {
    for (const Decision& decision : target.step().decisions) {
      allowed = allowed || decision.verdict.kind == VerdictKind::kAllowed;
    }
  }
  CHECK(allowed);
}

TEST_CASE("a change that was not sent is no failure: it is tried again at once", "[engine]") {
  EngineConfig config;
  config.budget.changes_per_hour = 1;
  Stalled target(config);
  Decision decision = target.first_decision();
  for (int i = 0; i < 5; ++i) {
    target.engine.report({decision.id, "not_sent", "another is under way", 20 * kM, 20 * kM});
    std::vector<Decision> again;
    for (int k = 0; k < 3; ++k) {
      for (Decision& one : target.step().decisions) again.push_back(std::move(one));
    }
    REQUIRE(again.size() == 1);
    CHECK(again[0].verdict.kind == VerdictKind::kAllowed);
    decision = again[0];
  }
}

TEST_CASE("a failed change is tried again, and spends nothing", "[engine]") {
  EngineConfig config;
  config.budget.changes_per_hour = 1;
  Stalled target(config);
  Decision decision = target.first_decision();
  target.engine.report({decision.id, "failed", "RocksDB said no", 20 * kM, 20 * kM});
  int again = 0;
  for (int i = 0; i < 9; ++i) again += static_cast<int>(target.step().decisions.size());
  CHECK(again == 0);
  Decision second = target.first_decision();
  CHECK(second.verdict.kind == VerdictKind::kAllowed);
}

TEST_CASE("a report of an unknown decision is ignored", "[engine]") {
  Stalled target;
  target.engine.report({"99-9", "failed", "", 0, 0});
  target.step();
  CHECK(target.first_decision().verdict.kind == VerdictKind::kAllowed);
}

TEST_CASE("a reopened database cuts outcomes short and begins anew", "[engine]") {
  Stalled target;
  Decision decision = target.first_decision();
  target.sample.knobs.edit()[0].value = decision.verdict.value;
  target.engine.report({decision.id, "applied", "", 20 * kM, decision.verdict.value});
  target.sample.incarnation = "agent-1/db-2";
  target.sample.knobs.edit()[0].value = 20 * kM;
  Step step = target.step();
  CHECK(step.features.reset);
  REQUIRE(step.outcomes.size() == 1);
  CHECK(step.outcomes[0].result == "unknown");
  bool ended = false;
  for (const AlertChange& alert : step.alerts) {
    ended = ended || alert.message.find("opened anew") != std::string::npos;
  }
  CHECK(ended);
  CHECK(target.first_decision().verdict.kind == VerdictKind::kAllowed);  // no dwell is owed
}

TEST_CASE("rates go on across a missed poll", "[engine]") {
  Engine engine = *Engine::create({});
  Sample first = quiet_sample(1);
  engine.step(first);
  Sample missed = next_sample(first);
  missed.database.reset();
  missed.incarnation.clear();
  missed.device->read_ios = 100;
  Step step = engine.step(missed);
  CHECK_FALSE(step.features.fresh);
  CHECK(*step.features.device_read_iops == Approx(200));
  Sample third = next_sample(next_sample(first));
  third.database->keys_written = 1000;
  step = engine.step(third);
  CHECK(step.features.interval_seconds == Approx(1));
  CHECK(*step.features.writes_per_second == Approx(1000));
  CHECK(step.features.missed_polls == 1);
}

TEST_CASE("a manual knob is left alone, and that is said once a minute", "[engine]") {
  Stalled target;
  target.sample.knobs.edit()[0].owner = KnobOwner::kManual;
  int said = 0;
  for (int i = 0; i < 240; ++i) {
    for (const Decision& decision : target.step().decisions) {
      CHECK(decision.verdict.kind == VerdictKind::kHeld);
      CHECK(decision.verdict.rule == "manual");
      ++said;
    }
  }
  CHECK(said >= 2);
  CHECK(said <= 3);
}

TEST_CASE("static warns and decides nothing", "[engine]") {
  EngineConfig config;
  config.policy = "static";
  Stalled target(config);
  std::size_t alerts = 0;
  for (int i = 0; i < 20; ++i) {
    Step step = target.step();
    CHECK(step.decisions.empty());
    alerts += step.alerts.size();
  }
  CHECK(alerts >= 1);
}

TEST_CASE("a pinned knob is moved there and kept there, whatever the policy wants", "[engine]") {
  EngineConfig config;
  config.pins[std::string(knob::kRateLimit)] = 25 * kM;
  Stalled target(config);
  Decision decision = target.first_decision();
  CHECK(decision.proposal.rule == "pin.config");
  CHECK(decision.verdict.kind == VerdictKind::kAllowed);
  CHECK(decision.verdict.value == 25 * kM);
  target.engine.report({decision.id, "applied", "", 20 * kM, 25 * kM});
  target.sample.knobs = {limiter_knob(25 * kM, 20 * kM)};
  bool held = false;
  for (int i = 0; i < 40; ++i) {
    for (const Decision& other : target.step().decisions) {
      CHECK(other.verdict.kind == VerdictKind::kHeld);
      CHECK(other.verdict.rule == "pin");
      held = true;
    }
  }
  CHECK(held);  // the stall went on, and headroom wanted more
}

TEST_CASE("jobs that are pinned below what was found are not asked back", "[engine]") {
  EngineConfig config;
  config.pins[std::string(knob::kBackgroundJobs)] = 2;
  Stalled target(config);
  target.sample.knobs = {limiter_knob(20 * kM, 20 * kM), jobs_knob(4, 4)};
  Decision pinned = target.first_decision();
  REQUIRE(pinned.proposal.rule == "pin.config");
  target.engine.report({pinned.id, "applied", "", 4, 2});
  target.sample.knobs.edit()[1].value = 2;
  target.sample.knobs.edit()[1].owner = KnobOwner::kRocktune;
  bool others = false;
  for (int i = 0; i < 40; ++i) {
    for (const Decision& one : target.step().decisions) {
      CHECK(one.proposal.rule != "jobs.wanted");
      others = others || one.proposal.rule == "limiter.backlog";
    }
  }
  CHECK(others);  // writers stand still, for which jobs would come back
}

TEST_CASE("of hundreds of changes at once each is reported", "[engine]") {
  EngineConfig config;
  config.pins = {{std::string(knob::kL0Trigger), 8},
                 {std::string(knob::kL0Slowdown), 24},
                 {std::string(knob::kL0Stop), 40},
                 {std::string(knob::kSoftPending), 128 * kM},
                 {std::string(knob::kHardPending), 256 * kM}};
  constexpr int kFamilies = 64;
  Stalled target(config);
  target.sample.knobs = {};
  for (int family = 0; family < kFamilies; ++family) {
    for (const auto& [name, pinned] : config.pins) {
      KnobReading reading = knob_reading(name, pinned - 4, pinned - 4, 1, 1024 * kM);
      reading.column_family = "family " + std::to_string(family);
      target.sample.knobs.edit().push_back(std::move(reading));
    }
  }
  const auto allowed = [&target] {
    std::vector<Decision> out;
    for (Decision& one : target.step().decisions) {
      const bool pin = one.proposal.rule == "pin.config";
      if (pin && one.verdict.kind == VerdictKind::kAllowed) out.push_back(std::move(one));
    }
    return out;
  };
  const std::vector<Decision> first = allowed();
  REQUIRE(first.size() == kFamilies * config.pins.size());
  for (const Decision& one : first) {
    target.engine.report({one.id, "failed", "no", one.proposal.from, one.proposal.from});
  }
  // What failed spent nothing: no rest is owed, and all of it is tried again.
  std::size_t again = 0;
  for (int i = 0; i < 20; ++i) again += allowed().size();
  CHECK(again == first.size());
}

TEST_CASE("a wrong pin makes no engine", "[engine]") {
  EngineConfig config;
  config.pins["no_such_knob"] = 1;
  CHECK(Engine::create(config).error().message.find("no_such_knob") != std::string::npos);
  config.pins = {{std::string(knob::kBackgroundJobs), 1000}};
  CHECK(Engine::create(config).error().message.find("max_background_jobs") != std::string::npos);
}

TEST_CASE("a drift below one makes no engine", "[engine]") {
  EngineConfig config;
  config.budget.drift_max = 0.5;
  CHECK(Engine::create(config).error().message.find("drift_max") != std::string::npos);
  config.budget.drift_max = 2;
  config.budget.drift_max_of["max_background_jobs"] = 0;
  CHECK(Engine::create(config).error().message.find("drift_max") != std::string::npos);
}
