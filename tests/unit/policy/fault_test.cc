// Faults in the middle of control, of single loops and changes: rollbacks, changes that are
// refused, misread or unanswered, absences, and random faults at random moments. Nothing is
// proposed on stale data, the guard's limits hold (FaultWitness checks at every step), it is said,
// and control resumes. fault_phases_test.cc has each loop with each fault.
#include "tests/unit/policy/fault_scenes.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("a rollback in whose middle a fault comes is made, moot, or given up in words",
          "[fault]") {
  for (const Fault& fault : all_faults()) {
    CAPTURE(fault.name);
    Regression bench;
    put(bench.loop, fault);
    // What reads back another value is not where the change put it: the rollback is moot.
    const bool misread = fault.name == "reads back less" || fault.name == "reads back more";
    if (misread) {
      CHECK(bench.loop.plant.cache != bench.made.verdict.value);
      continue;
    }
    const bool back = bench.loop
                          .until(70,
                                 [&] {
                                   return bench.loop.plant.cache == bench.made.proposal.from ||
                                          bench.loop.noted("is not taken back");
                                 })
                          .has_value();
    // What an hour ago was is no measure any more.
    const Outcome* outcome = bench.loop.outcome_of(bench.made.id);
    const bool unknown =
        outcome != nullptr && outcome->reason.find("was not read for") != std::string::npos;
    CHECK((back || (unknown && fault.name == "suspended for an hour")));
  }
}

TEST_CASE("an older change goes back, too, when its culprit's return was not enough", "[fault]") {
  Regression bench;  // of the cache, half a second before its window ends
  FaultLoop loop = Regression::begin();
  const auto now = [&] { return loop.last.at.tick; };
  const Nanoseconds end = bench.loop.last.at.tick;
  // A second change a few seconds before that, whose own feature then gets worse.
  while (seconds_between(now(), end) > 12) loop.tick();
  loop.plant.write_await_ms = 1.5;
  loop.plant.thread_rate = 12e6;  // compactions run all the time
  REQUIRE(loop.until(8, [&] { return loop.first("write_size.reads") != nullptr; }));
  const Decision second = *loop.first("write_size.reads");
  loop.plant.read_p99_us = 40000;
  loop.plant.write_await_ms = 0;
  loop.run(90);
  std::string back;  // the knobs that went back, in their order
  for (const Decision& one : loop.decisions) {
    if (is_allowed(one) && one.proposal.rule.starts_with("rollback."))
      back += one.proposal.knob + " ";
  }
  CAPTURE(second.id, bench.made.id);
  CHECK(back == std::string(knob::kWriteSize) + " " + std::string(knob::kCacheCapacity) + " ");
  bool again = false;
  for (const Outcome& one : loop.outcomes) {
    const bool said =
        one.reason.find("judged again after decision " + second.id) != std::string::npos;
    again = again || (one.decision_id == bench.made.id && said);
  }
  CHECK(again);
}

TEST_CASE("every change refused for long: the rollback is given up, and that is said", "[fault]") {
  Regression bench;
  bench.loop.fault = refusing(bench.loop, [](const Decision&) { return true; });
  bench.loop.run(90);
  CHECK(bench.loop.noted("decision " + bench.made.id + " is not taken back"));
  CHECK(bench.loop.plant.cache == bench.made.verdict.value);
}

TEST_CASE("one knob that is refused for ever holds up no other loop", "[fault]") {
  FaultLoop loop(fault_config());
  loop.plant.add_all_knobs();
  scene_of("limiter.").prepare(loop.plant);
  loop.fault = refusing(loop, [](const Decision& decision) {
    return decision.proposal.knob == knob::kBackgroundJobs;
  });
  loop.run(180);
  CHECK(loop.plant.jobs == loop.plant.found_jobs);
  CHECK(loop.plant.limit >= 120e6);
  int tried = 0;
  for (const Actuation& one : loop.actuations) tried += one.status == "refused" ? 1 : 0;
  CHECK(tried >= 1);
  CHECK(tried <= 8);  // at growing distances, not at every sample
}

TEST_CASE("a change without an answer that was made all the same is said, counted and judged",
          "[fault]") {
  FaultLoop loop = run_into(scene_of("limiter."), Phase::kBefore);
  loop.fault = all_faults()[15].hooks(loop);
  REQUIRE(all_faults()[15].name == "no answer, and made all the same");
  loop.until(5, [&] { return loop.first("limiter.") != nullptr; });
  const Decision made = *loop.first("limiter.");
  loop.tick();
  loop.fault.reset();
  CHECK(loop.noted("decision " + made.id + " had failed, and was made all the same"));
  REQUIRE(loop.late.size() == 1);
  CHECK(loop.late[0].decision_id == made.id);
  CHECK(loop.late[0].status == "applied");
  CHECK(loop.late[0].after == made.verdict.value);
  loop.run(20);
  CHECK(loop.outcome_of(made.id) != nullptr);
}

TEST_CASE("a mismatch spends dwell and budget: the knob was changed", "[fault]") {
  EngineConfig config = fault_config();
  config.budget.changes_per_hour = 1;
  FaultLoop loop = run_into(scene_of("limiter."), Phase::kBefore,
                            first_change(scene_of("limiter."), config), config);
  loop.fault = misreading(loop, 0.9);
  loop.until(5, [&] { return loop.first("limiter.") != nullptr; });
  loop.fault.reset();
  loop.run(60);
  CHECK(loop.actuations.size() == 1);
  CHECK(loop.outcomes.empty());  // what was not set cannot be judged
  bool held = false;
  for (const Decision& one : loop.decisions) held = held || one.verdict.rule == "budget";
  CHECK(held);
}

TEST_CASE("a knob that never takes a value is tried at growing distances, and not judged",
          "[fault]") {
  const double factor = GENERATE(0.0, 0.9);
  FaultLoop loop(fault_config());
  loop.plant.add_all_knobs();
  scene_of("limiter.").prepare(loop.plant);
  FaultHooks misread = misreading(loop, factor);
  misread.make = [&loop, never = misread.make](const Decision& decision) {
    return decision.proposal.knob == knob::kRateLimit ? never(decision) : loop.make(decision);
  };
  loop.fault = misread;
  loop.run(180);
  int tried = 0;
  for (const Actuation& one : loop.actuations) {
    if (one.status != "mismatch") continue;
    ++tried;
    CHECK(loop.outcome_of(one.decision_id) == nullptr);
  }
  CHECK(tried >= 1);
  CHECK(tried <= 8);
}

TEST_CASE("an option that reads back another value is somebody else's until it is released",
          "[fault]") {
  const Scene scene = scene_of("write_size.");
  FaultLoop loop = run_into(scene, Phase::kBefore);
  put(loop, fault_named("reads back more"));
  REQUIRE(loop.manual.contains(scene.knob));
  const std::int64_t stands = *loop.value_of(scene.knob);
  const std::size_t before = loop.decisions.size();
  loop.run(120);
  CHECK(*loop.value_of(scene.knob) == stands);
  bool held = false;
  for (std::size_t i = before; i < loop.decisions.size(); ++i) {
    const Decision& one = loop.decisions[i];
    held = held || (one.proposal.knob == scene.knob && one.verdict.rule == "manual");
  }
  CHECK(held);
  loop.release(scene.knob);
  const std::size_t after = loop.decisions.size();
  CHECK(loop.until(90, [&] { return loop.first(scene.loop, after) != nullptr; }));
}

TEST_CASE("jumps of the wall clock change no decision", "[fault]") {
  FaultLoop still(fault_config()), jumping(fault_config());
  for (FaultLoop* one : {&still, &jumping}) scene_of("limiter.").prepare(one->plant);
  for (int i = 0; i < 240; ++i) {
    if (i == 20) jumping.wall_jump += kHour;
    if (i == 60) jumping.wall_jump -= 2 * kHour;
    still.tick();
    jumping.tick();
  }
  CHECK_FALSE(still.decisions.empty());
  CHECK(still.decisions == jumping.decisions);
  CHECK(still.outcomes == jumping.outcomes);
}

TEST_CASE("jobs go back after minutes that were seen, not after an absence", "[fault]") {
  FaultLoop loop(fault_config());
  scene_of("jobs.").prepare(loop.plant);
  loop.run(60);
  const std::int64_t most = loop.plant.jobs;
  REQUIRE(most > 2);
  loop.plant.demand = 1e6;
  loop.run(60);
  loop.fault = FaultHooks{"", {}, {}, true};
  loop.run(600);
  loop.fault.reset();
  loop.run(120);
  CHECK(loop.plant.jobs == most);  // three minutes of comfort were seen since the absence
  loop.run(1400);
  CHECK(loop.plant.jobs == 2);
}

TEST_CASE("what an expired lease gave back is no mistake to learn from", "[fault]") {
  FaultLoop loop(fault_config());
  scene_of("jobs.").prepare(loop.plant);
  loop.run(60);
  const std::int64_t most = loop.plant.jobs;
  REQUIRE(most > 3);
  loop.fault = FaultHooks{"", {}, {}, true};
  loop.return_all();
  loop.run(30);
  loop.fault.reset();
  loop.run(60);
  REQUIRE(loop.plant.jobs == most);
  loop.plant.demand = 1e6;
  loop.run(400);
  CHECK(loop.plant.jobs < most);  // after five minutes, not after ten
}

TEST_CASE("indicators that are invalid for long: the alert says why it is given up", "[fault]") {
  FaultLoop loop(fault_config());
  scene_of("limiter.").prepare(loop.plant);
  loop.fault = refusing(loop, [](const Decision&) { return true; });
  REQUIRE(loop.until(60, [&] { return !loop.alerts.empty(); }));
  REQUIRE(loop.alerts[0].indicator.kind == IndicatorKind::kCompactionBacklog);
  const std::size_t since = loop.decisions.size(), alerts = loop.alerts.size();
  loop.plant.demand = 1e6;  // while writes stall, that much is known of the backlog
  Fault invalid = fault_named("indicators invalid");
  invalid.seconds = 60;
  put(loop, invalid);
  for (std::size_t i = since; i < loop.decisions.size(); ++i) {
    CHECK(loop.decisions[i].proposal.to > loop.decisions[i].proposal.from);
  }
  const Indicator& backlog = loop.indicators.at(1);
  CHECK_FALSE(backlog.valid);
  CHECK(backlog.state == AlertState::kOk);
  bool said = false;
  for (std::size_t i = alerts; i < loop.alerts.size(); ++i) {
    said = said || loop.alerts[i].message.find(
                       "given up, because no column family's L0 files, "
                       "pending bytes or memtables were read for 30 s") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("the limiter is not lowered for reads while what they wait for is not seen", "[fault]") {
  const auto begin = [] {
    FaultLoop loop(fault_config());
    loop.plant.jobs = loop.plant.found_jobs = 4;
    loop.plant.demand = 15e6;
    loop.plant.device_bandwidth = 90e6;
    loop.plant.read_p99_us = 4000;
    loop.plant.disturbance = 1;
    return loop;
  };
  FaultLoop twin = begin();
  const auto comes = twin.until(120, [&] { return twin.first("limiter.reads") != nullptr; });
  REQUIRE(comes);
  for (const char* const name : {"device source gone", "indicators invalid"}) {
    CAPTURE(name);
    FaultLoop loop = begin();
    loop.run(*comes - 6);  // what was seen counts for 5 s
    put(loop, fault_named(name));
    CHECK(loop.decisions.empty());
    CHECK(loop.until(60, [&] { return loop.first("limiter.reads") != nullptr; }));
  }
}

namespace {

// Plain arithmetic: std's distributions differ between libraries.
class FaultDice {
 public:
  explicit FaultDice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t below(std::uint64_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 11) % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

TEST_CASE("random faults at random moments: never worse than static two minutes later",
          "[fault][property]") {
  const std::vector<Fault> faults = all_faults();
  const std::vector<Scene> all = scenes();
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    CAPTURE(seed);
    FaultDice dice(seed);
    const Scene& scene = all[dice.below(all.size() - 1)];  // the shape's minutes are too many
    CAPTURE(scene.loop);
    FaultLoop loop = begun(scene, fault_config());
    ToyPlant still = begun(scene, fault_config()).plant;
    std::uint64_t polls = 0;
    auto follow = [&] {
      for (; polls < loop.polls; ++polls) still.poll();
    };
    const std::uint64_t count = 1 + dice.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      loop.run(static_cast<double>(dice.below(40)));
      put(loop, faults[dice.below(faults.size())]);
      follow();
    }
    // Writers got no less; and when they want less, it is worked off.
    CHECK(loop.plant.written() >= 0.97 * still.written());
    loop.plant.demand = still.demand = 5e6;
    loop.run(120);
    follow();
    // More writes leave more to do: what they cost below level 0 is allowed for.
    const double more = std::max(0.0, loop.plant.written() - still.written());
    // ...and so is one compaction of level 0, which comes in larger pieces with larger buffers.
    const double piece =
        12 * static_cast<double>(*loop.value_of(std::string(knob::kWriteBufferSize)));
    CHECK(loop.backlog() <= 8e6 * still.l0() + still.debt() + 3 * more + piece + 100e6);
  }
}
