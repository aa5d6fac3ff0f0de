// Outcomes of changes whose windows were put off or begun anew, and of which another change came in
// between: which is the newest, and who is not to blame.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/policy/overlap_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

const Finished& finished_of(const std::vector<Finished>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return one.outcome.decision_id == id; });
  REQUIRE(found != all.end());
  return *found;
}

bool says(const Finished& finished, const std::string& text) {
  return finished.outcome.reason.find(text) != std::string::npos;
}

// A cache at 0 s, a limit at 5 s and jobs at 8 s; all got worse, and the jobs, the newest, go back.
struct ThreeChanges : OverlapBench {
  explicit ThreeChanges(double window_of_limit) {
    f.device_queue = 1;
    begin("1-1", knob::kCacheCapacity, 256, 300, {"l0_ratio", true, 0.2, 20});
    pass(5);
    begin("2-1", knob::kRateLimit, 100, 80, {"device_queue", true, 1, window_of_limit});
    pass(3);
    begin("3-1", knob::kBackgroundJobs, 4, 5, {"cache_hit_ratio", false, 0.9, 60});
    f.l0_ratio = 2;
    f.cache_hit_ratio = 0.3;
    f.device_queue = 20;
    const auto first = pass(12);
    REQUIRE(finished_of(first, "1-1").culprit);
    CHECK(finished_of(first, "1-1").culprit->id == "3-1");
    f.knobs.edit()[1] = jobs_knob(4, 4);
    begin("4-1", knob::kBackgroundJobs, 5, 4, {"l0_ratio", true, 2, 20});
    CHECK(outcomes.judge_again("3-1", f).at(0).id == "1-1");
    f.cache_hit_ratio = 0.9;
  }
};

}  // namespace

TEST_CASE("a change that is judged again is as old as it was", "[outcomes]") {
  SECTION("one that came after it, and got worse, is still its culprit") {
    ThreeChanges bench(60);
    const auto second = bench.pass(25);
    REQUIRE(finished_of(second, "1-1").culprit);
    CHECK(finished_of(second, "1-1").culprit->id == "2-1");
  }
  SECTION("it is the culprit of none that came after it") {
    ThreeChanges bench(30);
    CHECK_FALSE(finished_of(bench.pass(25), "2-1").culprit);
  }
}

TEST_CASE("nobody is blamed for what a change did that nobody judges", "[outcomes]") {
  OverlapBench bench;
  const Expectation hits{"cache_hit_ratio", false, 0.9, 20};
  const auto pin = [&] { bench.begin("2-1", knob::kRateLimit, 100, 80, {}); };
  std::string id = "1-1", later = "decision 2-1, which is not judged, came later";
  SECTION("in a window that absence put off") {
    bench.begin("1-1", knob::kCacheCapacity, 256, 300, hits);
    bench.pass(2);
    pin();
    bench.f.read_p99_us = 9000;
    bench.pass(1);
    bench.f.fresh = false;
    bench.pass(10);
    bench.f.fresh = true;
  }
  SECTION("between two steps in a row") {
    bench.f.knobs.edit()[2].value = 256;
    bench.begin("1-1", knob::kCacheCapacity, 200, 256, hits);
    bench.pass(2);
    pin();
    bench.f.read_p99_us = 9000;
    bench.pass(4);
    bench.f.knobs.edit()[2].value = 300;
    bench.begin("3-1", knob::kCacheCapacity, 256, 300, hits);
    id = "3-1";
  }
  SECTION("before a second judgement") {
    bench.begin("1-1", knob::kCacheCapacity, 256, 300, hits);
    bench.pass(3);
    bench.begin("1-2", knob::kBackgroundJobs, 4, 5, {"l0_ratio", true, 0.2, 60});
    bench.pass(3);
    pin();
    bench.f.cache_hit_ratio = 0.2;
    bench.f.l0_ratio = 2;
    CHECK(finished_of(bench.pass(15), "1-1").culprit->id == "1-2");
    bench.f.knobs.edit()[1] = jobs_knob(4, 4);
    bench.begin("3-1", knob::kBackgroundJobs, 5, 4, {"l0_ratio", true, 2, 20});
    bench.outcomes.judge_again("1-2", bench.f);
    bench.f.cache_hit_ratio = 0.9;
    bench.f.read_p99_us = 9000;
  }
  SECTION("by somebody else's hand") {
    bench.begin("1-1", knob::kCacheCapacity, 256, 300, hits);
    bench.pass(5);
    bench.f.knobs.edit()[0].value = 10;
    bench.f.read_p99_us = 9000;
    later = "a change of rate_limiter_bytes_per_second by somebody else, which is not judged, came";
  }
  SECTION("by somebody else's hand, of a knob that is frozen") {
    bench.begin("1-1", knob::kCacheCapacity, 256, 300, hits);
    bench.f.knobs.edit()[1].changeable = false;
    bench.pass(5);
    bench.f.knobs.edit()[1].value = 8;
    bench.f.read_p99_us = 9000;
    later = "a change of max_background_jobs by somebody else, which is not judged, came later";
  }
  SECTION("that came to another value than it should") {
    bench.begin("1-1", knob::kCacheCapacity, 256, 300, hits);
    bench.pass(5);
    Decision other;
    other.id = "2-1";
    other.proposal.knob = knob::kRateLimit;
    bench.f.knobs.edit()[0].value = 10;
    bench.outcomes.misread(other, {"2-1", "mismatch", "", 80, 10}, bench.f);
    bench.f.read_p99_us = 9000;
  }
  const auto finished = bench.pass(21);
  CHECK_FALSE(finished_of(finished, id).slo_broken);
  CHECK(says(finished_of(finished, id), later));
}

TEST_CASE("what rocktune changes itself, and a limiter that does, are nobody else's changes",
          "[outcomes]") {
  OverlapBench bench;
  bench.begin("1-1", knob::kCacheCapacity, 256, 300, {"cache_hit_ratio", false, 0.9, 20});
  bench.pass(5);
  SECTION("a change of another knob that is judged itself") {
    bench.begin("2-1", knob::kRateLimit, 80, 70, {"l0_ratio", true, 0.2, 30});
    bench.f.knobs.edit()[0].value = 70;
  }
  SECTION("what comes and goes with a limit that is judged for both") {
    const auto rule = GENERATE("smoothing.flushes", "smoothing.ended", "jobs.smooth");
    bench.begin("2-1", knob::kBackgroundJobs, 4, 5, {}, rule);
    bench.f.knobs.edit()[1].value = 5;
  }
  SECTION("one whose answer has not come") {
    Decision under_way;
    under_way.id = "2-1";
    under_way.proposal.knob = knob::kRateLimit;
    under_way.verdict = {VerdictKind::kAllowed, 70, "", ""};
    bench.f.knobs.edit()[0].value = 70;
    Unreported unreported;
    unreported.add(under_way);
    bench.f.at.tick += at_seconds(0.5);
    CHECK(bench.outcomes.observe(bench.f, unreported).empty());
  }
  SECTION("RocksDB's own") {
    bench.f.knobs.edit()[0].changeable = false;
    bench.pass(0.5);
    bench.f.knobs.edit()[0].value = 70;
  }
  bench.f.read_p99_us = 9000;
  CHECK(finished_of(bench.pass(21), "1-1").slo_broken);
}

TEST_CASE("a further step that is seen before its answer goes on from the first", "[outcomes]") {
  OverlapBench bench;
  bench.f.knobs.edit()[2].value = 256;
  const auto step = [&](const char* id, std::int64_t from, std::int64_t to) {
    bench.begin(id, knob::kCacheCapacity, from, to, {"l0_ratio", true, 0.2, 20});
  };
  step("1-1", 200, 256);
  bench.pass(6);
  Decision under_way;
  under_way.id = "2-1";
  under_way.proposal.knob = knob::kCacheCapacity;
  under_way.verdict = {VerdictKind::kAllowed, 300, "", ""};
  Unreported unreported;
  unreported.add(under_way);
  bench.f.knobs.edit()[2].value = 300;
  bench.f.at.tick += at_seconds(0.5);
  CHECK(bench.outcomes.observe(bench.f, unreported).empty());
  step("2-1", 256, 300);
  bench.f.l0_ratio = 2;
  const auto finished = bench.pass(21);
  CHECK(says(finished_of(finished, "1-1"), "judged together with decision 2-1"));
  CHECK(finished_of(finished, "2-1").actuation.before == 200);
}

TEST_CASE("who has lowered a P99 is not to blame for what is left of it", "[outcomes]") {
  const double before_us = GENERATE(20'000, 6'000);
  OverlapBench bench;
  bench.begin("1-1", knob::kCacheCapacity, 256, 300, {"cache_hit_ratio", false, 0.9, 20});
  bench.pass(5);
  bench.begin("2-1", knob::kRateLimit, 100, 80, {"read_p99_us", true, before_us, 60});
  bench.f.read_p99_us = 7'000;
  bench.f.cache_hit_ratio = 0.1;
  const auto finished = bench.pass(16);
  const Finished& first = finished_of(finished, "1-1");
  CHECK(first.outcome.result == "worse");
  CHECK(first.culprit.has_value() == (before_us == 6'000));
}

TEST_CASE("a change of one's own that came to another value is nobody else's", "[outcomes]") {
  OverlapBench bench;
  bench.begin("1-1", knob::kCacheCapacity, 256, 300, {"cache_hit_ratio", false, 0.9, 20});
  bench.pass(5);
  Decision again;
  again.id = "2-1";
  again.proposal.knob = knob::kCacheCapacity;
  again.proposal.from = 300;
  bench.outcomes.misread(again, {"2-1", "mismatch", "", 300, 310}, bench.f);
  bench.f.knobs.edit()[2].value = 310;
  const auto finished = bench.pass(2);
  CHECK(says(finished_of(finished, "1-1"), "the knob was changed again"));
}
