// Changes that a sample shows before their answer comes: an agent answers when all of a request's
// changes are made, and samples do not wait for that.
#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "policy/rollback.h"
#include "tests/unit/policy/fault_scenes.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// A cache whose growth breaks the reads' service level, whenever it is made.
struct HarmfulGrowth {
  HarmfulGrowth()
      : loop(run_into(scene_of("cache."), Phase::kJudging,
                      first_change(scene_of("cache."), one_growth()), one_growth())) {}
  // With what becomes of a rollback.
  void run(double seconds, const std::function<void(const Decision&)>& roll_back) {
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
      const bool larger = loop.plant.cache > loop.plant.found_cache + 2 * kFaultMiB;
      loop.plant.read_p99_us = larger ? 9000 : 1000;
      for (const Actuation& one : answers) loop.engine.report(one);
      answers.clear();
      for (const Decision& decision : loop.engine.step(loop.poll()).decisions) {
        all.push_back(decision);
        if (!is_allowed(decision)) continue;
        if (decision.proposal.rule == kRollbackRule) {
          roll_back(decision);
        } else {
          loop.engine.report(loop.make(decision));
        }
      }
    }
  }
  [[nodiscard]] int made(std::string_view rule) const {
    int count = 0;
    for (const Decision& one : all) count += is_allowed(one) && one.proposal.rule == rule ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool blamed() const {
    return std::any_of(all.begin(), all.end(), [](const Decision& one) {
      return one.proposal.rule == "cache.miss" && one.verdict.rule == "blamed";
    });
  }

  FaultLoop loop;
  std::vector<Decision> all;
  std::vector<Actuation> answers;  // to be reported after the next sample
};

}  // namespace

TEST_CASE("a rollback that is seen before its answer is one all the same", "[fault]") {
  HarmfulGrowth bench;
  const bool late = GENERATE(false, true);
  bench.run(400, [&](const Decision& decision) {
    const Actuation done = bench.loop.make(decision);
    late ? bench.answers.push_back(done) : bench.loop.engine.report(done);
  });
  CHECK(bench.made(kRollbackRule) == 1);
  CHECK(bench.made("cache.miss") == 0);  // but for the one before
  CHECK(bench.blamed());
}

TEST_CASE("a rollback that comes to another value blames all the same", "[fault]") {
  HarmfulGrowth bench;
  bench.run(400, [&](const Decision& decision) {
    const std::int64_t after = decision.verdict.value + kFaultMiB;
    bench.loop.set(decision.proposal.knob, after);
    bench.loop.engine.report({decision.id, "mismatch", "", decision.proposal.from, after});
  });
  CHECK(bench.made(kRollbackRule) == 1);
  CHECK(bench.made("cache.miss") == 0);
  CHECK(bench.blamed());
}
