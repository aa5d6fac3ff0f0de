// Outcomes of changes that others follow within their window: service levels, and whose fault it
// is.
#include "policy/rollback.h"
#include "tests/unit/policy/overlap_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("what hits of fewer look-ups is not compared", "[outcomes]") {
  OverlapBench bench;
  bench.f.cache_read_hit_ratio = 0.5;
  bench.pass(1);
  const bool filters = GENERATE(true, false);
  if (filters) {
    bench.begin("9-1", knob::kBloomBits, 0, 10, {"cache_misses_per_second", true, 5000, 600});
    bench.pass(30);
  }
  bench.begin("9-2", knob::kCacheCapacity, 256, 300, {"cache_read_hit_ratio", false, 0.5, 60});
  bench.f.cache_read_hit_ratio = 0.1;
  const std::vector<Finished> finished = bench.pass(61);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.result == (filters ? "unknown" : "worse"));
  CHECK(finished[0].worse_by_far != filters);
  if (filters) {
    CHECK(finished[0].outcome.reason ==
          "cache_read_hit_ratio tells nothing: filters spare look-ups since decision 9-1, and "
          "others hit at another rate");
  }
}

TEST_CASE("a service level that was kept and is broken is a regression", "[outcomes]") {
  OverlapBench bench;
  bench.begin("7-1", knob::kRateLimit, 100, 80, {"l0_ratio", true, 0.2, 10});
  bench.pass(5);
  bench.f.read_p99_us = 6000;  // of 5 ms
  SECTION("under the same load") {
    bench.pass(4.5);
    bench.f.read_p99_us = 900;  // the last sample is no measure of the others
    auto finished = bench.pass(0.5);
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].slo_broken);
    CHECK_FALSE(finished[0].worse_by_far);
    CHECK(finished[0].outcome.result == "worse");
    CHECK(finished[0].outcome.reason.find("read_p99_us was 1 ms and kept its objective of 5 ms") !=
          std::string::npos);
    Rollbacks rollbacks;
    rollbacks.consider(finished[0], bench.f.at.tick);
    REQUIRE(rollbacks.propose(bench.f, {}).size() == 1);
    const Proposal back = rollbacks.propose(bench.f, {})[0];
    CHECK(back.to == 100);
    CHECK(back.evidence == std::vector<Driver>{{"read_p99_us", 6000, 5000}});
    CHECK(back.expected == Expectation{"read_p99_us", true, 6000, 10});
  }
  SECTION("under another load nobody can tell") {
    bench.f.reads_per_second = 2000;
    CHECK_FALSE(bench.pass(5).at(0).slo_broken);
  }
  SECTION("for a moment only") {
    bench.pass(2);
    bench.f.read_p99_us = 1000;
    auto finished = bench.pass(3);
    CHECK_FALSE(finished.at(0).slo_broken);
    CHECK(finished[0].outcome.result == "unchanged");
  }
}

TEST_CASE("a broken service level shows where polls are far apart, too", "[outcomes]") {
  OverlapBench bench;
  bench.f.interval_seconds = 4;
  const auto pass = [&bench](int polls) {
    std::vector<Finished> all;
    for (int i = 0; i < polls; ++i) {
      bench.f.at.tick += at_seconds(4);
      for (Finished& one : bench.outcomes.observe(bench.f)) all.push_back(std::move(one));
    }
    return all;
  };
  pass(20);
  bench.begin("7-1", knob::kBackgroundJobs, 6, 5, {"l0_ratio", true, 0.2, 30});
  bench.f.read_p99_us = 9000;
  const auto finished = pass(8);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].slo_broken);
}

TEST_CASE("reads that pay for the end of a backlog take no relief back", "[outcomes]") {
  OverlapBench bench;
  bench.f.write_p99_us = 1000;
  bench.pass(10);
  bench.begin("7-1", knob::kRateLimit, 60, 80, {"l0_ratio", true, 0.2, 10});
  bench.begin("7-2", knob::kBackgroundJobs, 6, 5, {"l0_ratio", true, 0.2, 12});
  bench.f.read_p99_us = 9000;
  auto finished = bench.pass(10);
  REQUIRE(finished.size() == 1);
  CHECK_FALSE(finished[0].slo_broken);
  CHECK(bench.pass(2).at(0).slo_broken);  // that took jobs away
  bench.f.read_p99_us = 1000;
  bench.pass(10);
  bench.begin("9-1", knob::kRateLimit, 60, 80, {"l0_ratio", true, 0.2, 10});
  bench.f.write_p99_us = 50000;
  CHECK(bench.pass(10).at(0).slo_broken);  // writes are what a relief is for
}

TEST_CASE("nor is it blamed for them when another change is judged", "[outcomes]") {
  OverlapBench bench;
  bench.begin("7-1", knob::kBackgroundJobs, 6, 5, {"l0_ratio", true, 0.2, 12});
  bench.pass(0.5);
  const bool raises = GENERATE(true, false);
  bench.begin("7-2", knob::kRateLimit, raises ? 60 : 100, 80, {"l0_ratio", true, 0.2, 30});
  bench.f.read_p99_us = 9000;
  const auto finished = bench.pass(11.5);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].slo_broken);
  CHECK(finished[0].culprit.has_value() != raises);
}

TEST_CASE("memory that the host lacked is not taken again because reads miss it", "[outcomes]") {
  OverlapBench bench;
  bench.f.memory_pressure_ratio = 0.2;
  bench.begin("7-1", knob::kCacheCapacity, 400, 300, {"memory_pressure_ratio", true, 0.2, 10});
  bench.pass(5);
  bench.f.read_p99_us = 6000;
  CHECK_FALSE(bench.pass(5).at(0).slo_broken);
}

TEST_CASE("a service level that was broken before is not this change's fault", "[outcomes]") {
  OverlapBench bench;
  bench.f.read_p99_us = 5100;
  bench.pass(10);
  bench.begin("7-1", knob::kRateLimit, 100, 80, {"l0_ratio", true, 0.2, 10});
  bench.f.read_p99_us = 9000;
  CHECK_FALSE(bench.pass(10).at(0).slo_broken);
  // Nor is one that stood just below its limit and now stands just above.
  OverlapBench near;
  near.f.read_p99_us = 4900;
  near.pass(10);
  near.begin("7-1", knob::kRateLimit, 100, 80, {"l0_ratio", true, 0.2, 10});
  near.f.read_p99_us = 5200;
  CHECK_FALSE(near.pass(10).at(0).slo_broken);
}

TEST_CASE("of overlapping changes the newest that got worse goes back", "[rollback]") {
  OverlapBench bench;
  bench.begin("7-1", knob::kCacheCapacity, 256, 300, {"l0_ratio", true, 0.2, 40});
  bench.pass(20);
  bench.begin("9-1", knob::kBackgroundJobs, 4, 5, {"cache_hit_ratio", false, 0.9, 60});
  bench.pass(1);
  bench.begin("9-2", knob::kRateLimit, 100, 80, {"read_p99_us", true, 1000, 60});
  bench.f.l0_ratio = 2;
  Rollbacks rollbacks;
  SECTION("the newest but one, when the newest did no harm") {
    bench.f.cache_hit_ratio = 0.5;
    auto finished = bench.pass(19);
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].outcome.decision_id == "7-1");
    REQUIRE(finished[0].culprit);
    CHECK(finished[0].culprit->id == "9-1");
    rollbacks.consider(finished[0], bench.f.at.tick);
    auto wanted = rollbacks.propose(bench.f, {});
    REQUIRE(wanted.size() == 1);
    CHECK(wanted[0].knob == knob::kBackgroundJobs);
    CHECK(wanted[0].to == 4);
    CHECK(wanted[0].reason.find("decision 7-1 made things worse") != std::string::npos);
    CHECK(wanted[0].reason.find("decision 9-1 came later") != std::string::npos);
    CHECK(rollbacks.done(wanted[0], 4)->id == "9-1");
  }
  SECTION("none, where the newest is for others, a rollback, or for the host") {
    bench.f.read_p99_us = 3000;
    SECTION("share.device") {
      bench.begin_by("share.device", "read_p99_us");
    }
    SECTION("a rollback") {
      bench.begin_by(kRollbackRule, "read_p99_us");
    }
    SECTION("the host") {
      bench.begin_by("cache.memory", "memory_pressure_ratio");
    }
    const auto finished = bench.pass(19);
    REQUIRE(finished.at(0).culprit);
    CHECK(finished[0].culprit->id == "9-3");
    CHECK(finished[0].outcome.reason.find("not to be taken back") != std::string::npos);
    rollbacks.consider(finished[0], bench.f.at.tick);
    CHECK(rollbacks.propose(bench.f, {}).empty());
  }
  SECTION("the newest, when both did") {
    bench.f.cache_hit_ratio = 0.5;
    bench.f.read_p99_us = 3000;
    CHECK(bench.pass(19).at(0).culprit->id == "9-2");
  }
  SECTION("the newest of those that end together") {
    OverlapBench both;
    both.begin("7-1", knob::kCacheCapacity, 256, 300, {"l0_ratio", true, 0.2, 40});
    both.pass(20);
    both.begin("9-1", knob::kBackgroundJobs, 4, 5, {"cache_hit_ratio", false, 0.9, 20});
    both.f.l0_ratio = 2;
    both.f.cache_hit_ratio = 0.1;
    auto finished = both.pass(20);
    REQUIRE(finished.size() == 2);
    CHECK(finished[0].culprit->id == "9-1");
    CHECK_FALSE(finished[1].culprit);
    for (const Finished& one : finished) rollbacks.consider(one, both.f.at.tick);
    CHECK(rollbacks.propose(both.f, {}).size() == 1);
  }
  SECTION("itself, when neither did") {
    auto finished = bench.pass(19);
    CHECK_FALSE(finished.at(0).culprit);
    CHECK(finished[0].worse_by_far);
  }
}

TEST_CASE("a service level that is broken, but less than before the change, is no regression",
          "[outcomes]") {
  const double before_us = GENERATE(20'000, 6'000);  // as the change was made; of 5 ms
  OverlapBench bench;
  bench.begin("7-1", knob::kRateLimit, 100, 80, {"read_p99_us", true, before_us, 10});
  bench.f.read_p99_us = 7000;
  const auto finished = bench.pass(10);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].slo_broken == (before_us == 6'000));
}
