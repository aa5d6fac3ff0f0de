// Steps in a row: changes of one knob, each before the last one was judged, are judged together and
// go back together.
#include "policy/outcomes.h"
#include "policy/rollback.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr double kWindow = 20;

// A cache that grows in steps under a steady load; what it is expected to do is the test's.
class StepsBench {
 public:
  StepsBench() {
    f.fresh = true;
    f.reads_per_second = 1000;
    f.read_p99_us = 1000;
    f.cache_hit_ratio = 0.9;
    f.knobs = {cache_knob(100, 100)};
    pass(10);
  }
  std::vector<Finished> pass(double seconds) {
    std::vector<Finished> all;
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
      f.at.tick += at_seconds(0.5);
      for (Finished& one : outcomes.observe(f)) all.push_back(std::move(one));
    }
    return all;
  }
  void step(const char* id, std::int64_t from, std::int64_t to, const char* rule = "cache.miss",
            std::string_view name = knob::kCacheCapacity) {
    Decision made;
    made.id = id;
    made.proposal.knob = name;
    made.proposal.from = from;
    made.proposal.to = to;
    made.proposal.rule = rule;
    made.proposal.expected = {"cache_hit_ratio", false, *f.cache_hit_ratio, kWindow};
    made.verdict = {VerdictKind::kAllowed, to, "", ""};
    f.knobs = {name == knob::kRateLimit ? limiter_knob(to, 100) : cache_knob(to, 100)};
    outcomes.begin(made, {id, "applied", "", from, to}, f);
  }
  Features f;
  Outcomes outcomes;
};

}  // namespace

TEST_CASE("steps in a row are judged from where the first began", "[outcomes]") {
  StepsBench bench;
  bench.step("1-1", 100, 150);
  bench.f.cache_hit_ratio = 0.8;  // each step makes it a little worse
  auto cut = bench.pass(5);
  CHECK(cut.empty());
  bench.step("2-1", 150, 200);
  bench.f.cache_hit_ratio = 0.7;
  cut = bench.pass(5);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].outcome.result == "unknown");
  CHECK(cut[0].outcome.reason ==
        "the knob was changed again before the window ended: it is judged together with decision "
        "2-1");
  bench.step("3-1", 200, 300);
  auto finished = bench.pass(kWindow);
  REQUIRE(finished.size() == 2);
  const Finished& judged = finished[1];
  CHECK(judged.outcome.decision_id == "3-1");
  CHECK(judged.outcome.result == "worse");  // 0.9 to 0.7; of itself the last one did nothing
  CHECK(*judged.outcome.measured == Approx(0.7));
  CHECK(judged.actuation.before == 100);
  CHECK(judged.actuation.after == 300);
  CHECK(judged.outcome.reason.find("the 2 before it, from decision 1-1 on") != std::string::npos);
}

TEST_CASE("a service level that the first of several steps broke counts against all",
          "[outcomes]") {
  StepsBench bench;
  bench.step("1-1", 100, 150);
  bench.f.read_p99_us = 900000;  // the objective is far below
  bench.pass(12);
  bench.step("2-1", 150, 200);
  const auto finished = bench.pass(kWindow);
  REQUIRE(finished.size() == 2);
  CHECK(finished[1].slo_broken);
  CHECK(finished[1].actuation.before == 100);
}

TEST_CASE("what is no further step is judged by itself", "[outcomes]") {
  StepsBench bench;
  std::int64_t before = 150;
  SECTION("back") {
    bench.step("1-1", 100, 150);
    bench.pass(2);
    bench.step("2-1", 150, 120);
  }
  SECTION("another rule") {
    bench.step("1-1", 100, 150);
    bench.pass(2);
    bench.step("2-1", 150, 200, "cache.returned");
  }
  SECTION("from elsewhere") {
    bench.step("1-1", 100, 150);
    before = 160;
    bench.step("2-1", 160, 200);
  }
  SECTION("after it was judged") {
    bench.step("1-1", 100, 150);
    CHECK(bench.pass(kWindow + 1).size() == 1);
    bench.step("2-1", 150, 200);
  }
  SECTION("a limiter: from poll to poll it finds another backlog") {
    bench.step("1-1", 100, 150, "limiter.backlog", knob::kRateLimit);
    bench.pass(2);
    bench.step("2-1", 150, 200, "limiter.backlog", knob::kRateLimit);
  }
  const auto finished = bench.pass(kWindow + 1);
  REQUIRE_FALSE(finished.empty());
  CHECK(finished.back().outcome.decision_id == "2-1");
  CHECK(finished.back().actuation.before == before);
  CHECK(finished.back().outcome.reason.find("together") == std::string::npos);
}

TEST_CASE("steps go on being one change for five minutes", "[outcomes]") {
  StepsBench bench;
  std::int64_t size = 100;
  for (int i = 0; i < 31; ++i) {
    bench.step(("1-" + std::to_string(i)).c_str(), size, size + 10);
    size += 10;
    bench.pass(10);
  }
  bench.step("2-1", size, size + 10);
  const auto finished = bench.pass(kWindow + 1);
  REQUIRE_FALSE(finished.empty());
  CHECK(finished.back().outcome.decision_id == "2-1");
  CHECK(finished.back().actuation.before > 100);
}

TEST_CASE("a rollback that the guard allows in steps goes all the way", "[rollback]") {
  StepsBench bench;
  bench.step("1-1", 100, 200);
  bench.pass(5);
  bench.step("2-1", 200, 400);
  bench.f.cache_hit_ratio = 0.1;
  auto finished = bench.pass(kWindow + 1);
  REQUIRE(finished.size() == 2);
  REQUIRE(finished[1].worse_by_far);
  Rollbacks rollbacks;
  rollbacks.consider(finished[1], bench.f.at.tick);
  auto wanted = rollbacks.propose(bench.f, {});
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].from == 400);
  CHECK(wanted[0].to == 100);
  CHECK_FALSE(rollbacks.done(wanted[0], 200));  // as far as one step goes
  bench.f.knobs = {cache_knob(200, 100)};
  bench.pass(1);
  wanted = rollbacks.propose(bench.f, {});
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].from == 200);
  CHECK(wanted[0].to == 100);
  const auto back = rollbacks.done(wanted[0], 100);
  REQUIRE(back);
  CHECK(back->id == "2-1");
  CHECK(rollbacks.propose(bench.f, {}).empty());
}
