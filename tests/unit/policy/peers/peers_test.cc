// What holds for every peer.
#include "policy/engine.h"
#include "policy/give_back.h"
#include "policy/guard.h"
#include "policy/peers/common.h"
#include "tests/unit/policy/loop.h"
#include "tests/unit/policy/peers/peer_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

const std::vector<std::string> kPeerNames = {"rocksdb-auto-tuned", "silk", "adoc",
                                             "write-amp-limiter", "cockroach-l0"};

Proposal lowering(std::int64_t from, std::int64_t to) {
  Proposal proposal;
  proposal.knob = knob::kRateLimit;
  proposal.from = from;
  proposal.to = to;
  proposal.reason = "a test";
  return proposal;
}

}  // namespace

TEST_CASE("peers: they pace themselves, ours do not", "[peers]") {
  for (const std::string& name : kPeerNames) {
    CAPTURE(name);
    CHECK((*make_policy(name, {}))->guard_scope() == GuardScope::kHardLimits);
  }
  CHECK((*make_policy("headroom", {}))->guard_scope() == GuardScope::kAll);
  CHECK((*make_policy("static", {}))->guard_scope() == GuardScope::kAll);
}

TEST_CASE("peers: ticks keep their pace when polls are early or late", "[peers]") {
  peers::Tick tick(1);
  int ticks = 0;
  for (int i = 0; i <= 200; ++i) {
    const double jitter = i % 2 == 0 ? -0.004 : 0.004 * (i % 3);
    ticks += tick.due(at_seconds(0.5 * i + (i == 0 ? 0 : jitter)));
  }
  CHECK(ticks == 100);
  CHECK(tick.due(at_seconds(1000)) == 900);
  CHECK(tick.due(at_seconds(1000.9)) == 0);
  CHECK(tick.due(at_seconds(900)) == 0);  // a clock that steps back
  CHECK(tick.due(at_seconds(901)) == 1);
}

TEST_CASE("peers: wrong parameters are refused with the known ones", "[peers]") {
  for (const std::string& name : kPeerNames) {
    CAPTURE(name);
    auto policy = make_policy(name, {{"speed", 3}});
    REQUIRE_FALSE(policy);
    CHECK(policy.error().message.starts_with("policy " + name + ": unknown parameter \"speed\""));
  }
  CHECK_FALSE(make_policy("silk", {{"device_bytes_per_second", -1}}));
  const auto little = make_policy("silk", {{"least_bytes_per_second", 1}});
  REQUIRE_FALSE(little);
  CHECK(little.error().message.find("is 1, but has to be from 65536 to 1e+15") !=
        std::string::npos);
  CHECK(make_policy("silk", {{"device_bytes_per_second", 200e6}}));
}

TEST_CASE("peers: the least of adoc's memtables is not above the most", "[peers]") {
  const auto above = make_policy("adoc", {{"memtable_min_bytes", 1e9}});
  REQUIRE_FALSE(above);
  CHECK(above.error().message ==
        "policy adoc: memtable_min_bytes is 1e+09, above memtable_max_bytes, 536870912; give both");
  CHECK_FALSE(make_policy("adoc", {{"memtable_max_bytes", 1 << 20}}));
  CHECK_FALSE(make_policy("adoc", {{"memtable_min_bytes", 2e6}, {"memtable_max_bytes", 1e6}}));
  CHECK(make_policy("adoc", {{"memtable_min_bytes", 1e9}, {"memtable_max_bytes", 1e9}}));
}

TEST_CASE("peers: under hard limits neither step, dwell, budget nor oscillation holds", "[peers]") {
  Budget budget;
  budget.changes_per_hour = 1;
  for (const GuardScope scope : {GuardScope::kAll, GuardScope::kHardLimits}) {
    Guard guard(budget, {}, scope);
    int allowed = 0;
    std::int64_t value = 1'000'000'000;
    Sample sample = quiet_sample(0);
    for (int i = 0; i < 20; ++i) {
      sample = next_sample(sample);
      sample.knobs = {limiter_knob(value)};
      const Features features = derive(nullptr, sample);
      guard.observe(features);
      const std::int64_t to = value == 1'000'000'000 ? 20'000'000 : 1'000'000'000;
      const Verdict verdict = guard.judge(lowering(value, to), features);
      if (verdict.kind != VerdictKind::kAllowed) continue;
      ++allowed;
      value = verdict.value;
    }
    CHECK(allowed == (scope == GuardScope::kAll ? 0 : 20));
  }
}

TEST_CASE("peers: the hard limits hold", "[peers]") {
  Budget budget;
  budget.rate_limit_min = BytesPerSecond{50e6};
  Guard guard(budget, {}, GuardScope::kHardLimits);
  Sample sample = quiet_sample(0);
  sample.knobs = {limiter_knob(100'000'000)};
  Features features = derive(nullptr, sample);
  guard.observe(features);
  const Verdict clamped = guard.judge(lowering(100'000'000, 1'000'000), features);
  CHECK(clamped.kind == VerdictKind::kClamped);
  CHECK(clamped.value == 50'000'000);
  CHECK(guard.judge(lowering(90'000'000, 80'000'000), features).rule == "believed");
  features.knobs.edit()[0].owner = KnobOwner::kManual;
  CHECK(guard.judge(lowering(100'000'000, 80'000'000), features).rule == "manual");
  features.fresh = false;
  CHECK(guard.judge(lowering(100'000'000, 80'000'000), features).rule == "stale");
}

TEST_CASE("peers: what failed is tried again at their own pace", "[peers]") {
  EngineConfig config;
  config.policy = "silk";
  config.policy_params = {{"device_bytes_per_second", 400e6}};
  Engine engine = *Engine::create(config);
  Sample sample = quiet_sample(0);
  sample.knobs = {limiter_knob(kUnlimitedBytesPerSecond)};
  int tries = 0;
  for (int i = 0; i < 20; ++i) {
    sample = next_sample(sample);
    sample.database->user_bytes_written = 1'000'000 * i;
    sample.database->keys_written = 1000 * i;
    for (const Decision& decision : engine.step(sample).decisions) {
      ++tries;
      engine.report({decision.id, "refused", "writes are stopped", decision.proposal.from,
                     decision.proposal.from});
    }
  }
  CHECK(tries >= 18);
}

TEST_CASE("peers: in a closed loop each is deterministic, and nothing is rolled back", "[peers]") {
  for (const std::string& name : kPeerNames) {
    CAPTURE(name);
    EngineConfig config;
    config.policy = name;
    config.objective.device_capacities.write = DirectionCapacity{400e6, 1e5};
    Loop one(config), two(config);
    for (Loop* loop : {&one, &two}) {
      loop->plant.demand = 30e6;
      loop->run(60);
      loop->plant.demand = 90e6;
      loop->run(60);
      loop->plant.demand = 10e6;
      loop->run(60);
    }
    CHECK(one.decisions == two.decisions);
    CHECK(one.outcomes == two.outcomes);
    for (const Decision& decision : one.decisions) {
      CHECK_FALSE(decision.proposal.rule.starts_with("rollback"));
    }
    // The toy has no knobs for the last one.
    if (name != "cockroach-l0") CHECK(one.changes > 0);
  }
}

namespace {

// A slice of each of these, of a device that is divided.
Features with_slices(std::uint64_t rate) {
  Sample sample = quiet_sample(0);
  sample.knobs = {limiter_knob(100'000'000), jobs_knob(8, 8)};
  sample.shared = SharedBudget{};
  sample.shared->host_members = sample.shared->device_members = 2;
  sample.shared->background_max_bytes_per_second = rate;
  sample.shared->jobs_max = 4;
  return derive(nullptr, sample);
}

Proposal raise_of(std::int64_t from, std::int64_t to) {
  return lowering(from, to);
}

}  // namespace

TEST_CASE("peers: a shared device's division binds ours, not theirs", "[peers][sharing]") {
  for (const GuardScope scope : {GuardScope::kAll, GuardScope::kHardLimits}) {
    const bool ours = scope == GuardScope::kAll;
    CAPTURE(ours);
    const Features f = with_slices(50'000'000);
    Guard guard({}, {}, scope);
    guard.observe(f);
    const Verdict raise = guard.judge(raise_of(100'000'000, 200'000'000), f);
    CHECK((raise.kind == VerdictKind::kAllowed) == !ours);
    GiveBack give_back(scope);
    std::vector<Proposal> proposals;
    give_back.propose({f, {}, {}, {}}, proposals);
    REQUIRE(proposals.size() == (ours ? 2 : 1));
    CHECK(proposals.back().rule == "share.jobs");  // a budget's, as memory is
    CHECK(proposals.back().to == 4);
  }
}

TEST_CASE("peers: jobs that the policy before gave away come back, their own do not",
          "[peers][sharing]") {
  GiveBack give_back(GuardScope::kHardLimits);
  Features f = with_slices(50'000'000);
  f.shared.reset();
  auto& jobs = f.knobs.edit()[1];
  const auto look = [&] {
    f.at.tick += at_seconds(0.5);
    std::vector<Proposal> proposals;
    give_back.propose({f, {}, {}, {}}, proposals);
    return proposals;
  };
  jobs.owner = KnobOwner::kRocktune;
  SECTION("at the first look") {
    jobs.value = 3;
    const auto back = look();
    REQUIRE(back.size() == 1);
    CHECK(back[0].rule == "share.returned");
    CHECK(back[0].to == 8);
  }
  SECTION("not when jobs begin to be shared later") {
    CHECK(look().empty());
    jobs.value = 3;
    f.shared = SharedBudget{};
    f.shared->jobs_max = 6;
    CHECK(look().empty());
  }
}

TEST_CASE("peers: only ours share a device", "[peers][sharing]") {
  EngineConfig config;
  CHECK(gives_rate(config));
  config.policy = "static";
  CHECK_FALSE(gives_rate(config));
  for (const std::string& name : kPeerNames) {
    config.policy = name;
    CHECK_FALSE(gives_rate(config));
    CHECK(tunes(config));
  }
}
