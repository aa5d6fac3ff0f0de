// What stands above a budget that was made smaller.
#include "policy/over_budget.h"

#include "policy/engine.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kBudgetMiB = 1 << 20;

KnobReading raised(std::string_view name, std::int64_t value, std::int64_t found,
                   const char* family = "") {
  KnobReading out = knob_reading(name, value, found, 1, std::int64_t{1} << 40);
  out.column_family = family;
  if (value != found) out.owner = KnobOwner::kRocktune;
  return out;
}

// A cache and two column families with two buffers each, of 8 MiB as found.
Features with_memory(std::int64_t cache, std::int64_t first, std::int64_t second) {
  Features f;
  f.fresh = true;
  f.knobs = {raised(knob::kCacheCapacity, cache * kBudgetMiB, 8 * kBudgetMiB),
             raised(knob::kWriteBufferSize, first * kBudgetMiB, 8 * kBudgetMiB, "a"),
             raised(knob::kWriteBuffers, 2, 2, "a"),
             raised(knob::kWriteBufferSize, second * kBudgetMiB, 8 * kBudgetMiB, "b"),
             raised(knob::kWriteBuffers, 2, 2, "b")};
  return f;
}

std::vector<std::int64_t> mib_within(std::int64_t memory_max, const Features& f,
                                     const Pins& pins = {}) {
  EngineConfig config;
  config.budget.memory_max = Bytes{memory_max * kBudgetMiB};
  config.pins = pins;
  std::vector<std::int64_t> out;
  for (const Proposal& one : propose_within_budget(config, f)) {
    CHECK(one.rule == "budget.returned");
    CHECK(one.expected.feature.empty());  // nobody takes it back for what comes of it
    out.push_back(one.to / kBudgetMiB);
  }
  return out;
}

}  // namespace

TEST_CASE("over budget: jobs and threads go back, no further than was found", "[engine]") {
  Features f;
  f.fresh = true;
  f.knobs = {raised(knob::kBackgroundJobs, 8, 2), raised(knob::kSubcompactions, 6, 4)};
  EngineConfig config;
  CHECK(propose_within_budget(config, f).empty());
  config.budget.jobs_max = 3;
  auto out = propose_within_budget(config, f);
  REQUIRE(out.size() == 2);
  CHECK(out[0].to == 3);
  CHECK(out[0].reason == "budget.jobs_max is 3");
  CHECK(out[1].to == 4);
  f.knobs = {raised(knob::kBackgroundJobs, 8, 8), raised(knob::kSubcompactions, 3, 1)};
  CHECK(propose_within_budget(config, f).empty());  // as found, and within
  f.knobs.edit()[0].owner = KnobOwner::kManual;
  f.knobs.edit()[0].found = 2;
  CHECK(propose_within_budget(config, f).empty());
}

TEST_CASE("over budget: a limit that rocktune has raised goes back to the share of the device",
          "[engine]") {
  Features f;
  f.fresh = true;
  f.knobs = {raised(knob::kRateLimit, 300 * kBudgetMiB, 100 * kBudgetMiB)};
  EngineConfig config;
  config.objective.device_capacities.write = DirectionCapacity{400.0 * kBudgetMiB, 100'000};
  CHECK(propose_within_budget(config, f).empty());  // all of it
  config.budget.device_share = 0.5;
  const auto out = propose_within_budget(config, f);
  REQUIRE(out.size() == 1);
  CHECK(out[0].rule == "budget.returned");
  CHECK(out[0].to == 200 * kBudgetMiB);
  CHECK(out[0].reason == "budget.device_share is 0.5: 200 MiB/s of the device");
  config.budget.device_share = 0.05;
  CHECK(propose_within_budget(config, f)[0].to == 100 * kBudgetMiB);  // as found
  config.pins[std::string(knob::kRateLimit)] = 300 * kBudgetMiB;
  CHECK(propose_within_budget(config, f).empty());
  config.pins.clear();
  // What others set, or was found above the share, is nobody's to lower for it.
  f.knobs.edit()[0].owner = KnobOwner::kManual;
  CHECK(propose_within_budget(config, f).empty());
  f.knobs = {raised(knob::kRateLimit, 300 * kBudgetMiB, kUnlimitedBytesPerSecond)};
  CHECK(propose_within_budget(config, f).empty());
  f.knobs = {raised(knob::kRateLimit, 300 * kBudgetMiB, 300 * kBudgetMiB)};
  CHECK(propose_within_budget(config, f).empty());
}

TEST_CASE("over budget: the cache goes back first, then buffers, none below what was found",
          "[engine]") {
  using Values = std::vector<std::int64_t>;
  CHECK(mib_within(200, with_memory(100, 16, 16)).empty());
  CHECK(mib_within(120, with_memory(100, 16, 16)) == Values{56});
  CHECK(mib_within(66, with_memory(100, 16, 16)) == Values{8, 13});
  CHECK(mib_within(1, with_memory(100, 16, 16)) == Values{8, 8, 8});  // found with 40 MiB
  CHECK(mib_within(1, with_memory(8, 8, 8)).empty());
  // What is held takes its part of the budget, and gives nothing back.
  const Pins pins = {{std::string(knob::kCacheCapacity), 100 * kBudgetMiB}};
  CHECK(mib_within(120, with_memory(100, 16, 16), pins) == Values{8, 8});
  Features frozen = with_memory(100, 16, 16);
  frozen.knobs.edit()[0].changeable = false;
  CHECK(mib_within(150, frozen) == Values{9});
  CHECK(mib_within(163, with_memory(100, 16, 16)).empty());  // a hundredth more is none
}

TEST_CASE("over budget: whatever the policy is, in steps, and not what is pinned", "[engine]") {
  EngineConfig config;
  config.policy = GENERATE(as<std::string>(), "headroom", "silk");
  config.budget.jobs_max = 2;
  const bool pinned = GENERATE(false, true);
  if (pinned) config.pins[std::string(knob::kBackgroundJobs)] = 8;
  Engine engine = *Engine::create(config);
  Sample sample = quiet_sample(0);
  sample.knobs = {raised(knob::kBackgroundJobs, 8, 2)};
  std::vector<std::int64_t> values;
  for (int i = 0; i < 60; ++i) {
    sample = next_sample(sample);
    for (const Decision& one : engine.step(sample).decisions) {
      if (one.verdict.kind != VerdictKind::kAllowed && one.verdict.kind != VerdictKind::kClamped) {
        continue;
      }
      CHECK(one.proposal.rule == "budget.returned");
      values.push_back(one.verdict.value);
      sample.knobs.edit()[0].value = one.verdict.value;
      engine.report({one.id, "applied", "", one.proposal.from, one.verdict.value});
    }
  }
  if (pinned) {
    CHECK(values.empty());
  } else {
    REQUIRE_FALSE(values.empty());
    CHECK(values.back() == 2);
  }
}
