// Rollbacks that a freeze holds up for longer than what they rest on may be old.
#include "policy/rollback.h"
#include "tests/unit/policy/fault_scenes.h"
#include "tests/unit/policy/overlap_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

FaultHooks frozen_knobs() {
  return seeing([](Sample& sample) {
    for (KnobReading& knob : sample.knobs.edit()) knob.changeable = false;
  });
}

}  // namespace

TEST_CASE("what a long freeze kept from going back is judged again, and goes back", "[fault]") {
  Regression bench;
  FaultLoop& loop = bench.loop;
  const bool still = GENERATE(true, false);
  loop.fault = frozen_knobs();
  loop.run(400);  // and the window of another change, of the filters, goes on
  CHECK(loop.plant.cache == bench.made.verdict.value);
  CHECK_FALSE(loop.noted("is not taken back"));
  if (!still) loop.plant.read_p99_us = 800;
  const std::size_t frozen = loop.outcomes.size();
  loop.fault.reset();
  loop.run(1);
  CHECK(loop.noted("decision " + bench.made.id + " could not be taken back for "));
  CHECK(loop.first("rollback.") == nullptr);
  loop.run(70);
  CHECK((loop.first("rollback.") != nullptr) == still);
  CHECK((loop.plant.cache == bench.made.proposal.from) == still);
  REQUIRE(loop.outcomes.size() > frozen);
  const Outcome& again = loop.outcomes[frozen];
  CHECK(again.decision_id == bench.made.id);
  CHECK((again.result == "worse") == still);
  CHECK(again.reason.find("judged again after a freeze") != std::string::npos);
}

TEST_CASE("what is judged again after a long freeze is not moved on meanwhile", "[fault]") {
  EngineConfig roomy = one_growth();
  roomy.budget.memory_max = Bytes{4096 * kFaultMiB};
  const Scene scene = scene_of("cache.");
  FaultLoop loop = run_into(scene, Phase::kJudging, first_change(scene, roomy), roomy);
  const Decision made = *loop.first("cache.");
  loop.plant.read_p99_us = 9000;
  loop.fault = frozen_knobs();
  loop.run(460);  // the window, and more than five minutes in which it cannot go back
  CHECK_FALSE(loop.noted("is not taken back"));
  const std::size_t frozen = loop.decisions.size();
  loop.fault.reset();
  loop.run(1);
  CHECK(loop.noted("decision " + made.id + " could not be taken back for "));
  loop.run(70);
  const Decision* next = loop.first("", frozen);
  while (next != nullptr && next->proposal.knob != made.proposal.knob) {
    next = loop.first("", static_cast<std::size_t>(next - loop.decisions.data()) + 1);
  }
  REQUIRE(next != nullptr);
  CHECK(next->proposal.rule == "rollback.regression");
  CHECK(loop.plant.cache == made.proposal.from);
}

TEST_CASE("what nobody can judge any more after a long freeze stays, and that is said", "[fault]") {
  Regression bench;
  FaultLoop& loop = bench.loop;
  loop.fault = frozen_knobs();
  loop.run(400);
  loop.tick_jump += std::chrono::minutes(70);  // suspended: nobody keeps a judgement for so long
  loop.run(2);
  loop.fault.reset();
  const std::size_t frozen = loop.outcomes.size();
  loop.run(70);
  CHECK(loop.noted("decision " + bench.made.id +
                   " is not taken back, since that could not be done for "));
  CHECK(loop.noted("and nobody can judge it any more: " + bench.made.proposal.knob + " stays at " +
                   std::to_string(bench.made.verdict.value)));
  CHECK_FALSE(loop.noted("is judged again"));
  CHECK(loop.outcomes.size() == frozen);
  CHECK(loop.first("rollback.") == nullptr);
}

TEST_CASE("the culprit of a change that a long freeze kept is the culprit still", "[outcomes]") {
  OverlapBench bench;
  bench.begin("1-1", knob::kCacheCapacity, 256, 300, {"cache_hit_ratio", false, 0.9, 20});
  bench.pass(3);
  bench.begin("1-2", knob::kBackgroundJobs, 4, 5, {"l0_ratio", true, 0.2, 60});
  bench.f.cache_hit_ratio = 0.2;
  bench.f.l0_ratio = 0.4;  // worse, and not by far
  const auto first = bench.pass(17);
  REQUIRE(first.size() == 1);
  REQUIRE(first[0].culprit);
  CHECK(first[0].culprit->id == "1-2");
  bench.pass(600);
  REQUIRE(bench.outcomes.judge_again("1-2", bench.f, Outcomes::After::kFreeze).size() == 1);
  const auto again = bench.pass(21);
  REQUIRE(again.size() == 1);
  CHECK(again[0].outcome.decision_id == "1-1");
  REQUIRE(again[0].culprit);
  CHECK(again[0].culprit->id == "1-2");
  // ...and once that went back it may be this one as well.
  bench.outcomes.judge_again("1-2", bench.f);
  const auto last = bench.pass(21);
  REQUIRE(last.size() == 1);
  CHECK_FALSE(last[0].culprit);
}

TEST_CASE("a freeze of more than an hour ends a rollback, which is said", "[fault]") {
  Regression bench;
  bench.loop.fault = frozen_knobs();
  bench.loop.run(kMostFrozenSeconds + 10);
  CHECK(bench.loop.noted("decision " + bench.made.id + " is not taken back"));
  bench.loop.fault.reset();
  bench.loop.run(5);
  CHECK(bench.loop.first("rollback.") == nullptr);
}
