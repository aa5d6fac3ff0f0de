#include "policy/outcomes.h"

#include "policy/rollback.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

Decision decision(const char* feature = "read_p99_us", bool lower_is_better = true,
                  double baseline = 1000) {
  Decision out;
  out.id = "7-1";
  out.proposal.knob = knob::kRateLimit;
  out.proposal.from = 100;
  out.proposal.to = 80;
  out.proposal.rule = "limiter.reads";
  out.proposal.expected = {feature, lower_is_better, baseline, 10};
  out.verdict = {VerdictKind::kAllowed, 80, "", ""};
  return out;
}

Actuation applied() {
  return {"7-1", "applied", "", 100, 80};
}

// Runs the window with this P99 and says what came out.
Finished after(double p99_us, double load_factor = 1, const Decision& made = decision()) {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  outcomes.begin(made, applied(), f);
  f.reads_per_second = 1000 * load_factor;
  for (int i = 0; i < 20; ++i) {
    f.at.tick += at_seconds(0.5);
    // The first half is the way there and does not count.
    f.read_p99_us = i < 8 ? 99999 : p99_us;
    auto finished = outcomes.observe(f);
    if (i < 19) CHECK(finished.empty());
    if (!finished.empty()) return finished[0];
  }
  FAIL("no outcome");
  return {};
}

}  // namespace

TEST_CASE("write amplification counts by what was written", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  outcomes.begin(decision("write_amplification", true, 4), applied(), f);
  std::vector<Finished> finished;
  for (int i = 0; i < 20; ++i) {
    f.at.tick += at_seconds(0.5);
    // Compactions go on while hardly anything is written: a share of next to nothing.
    f.user_write_bytes_per_second = i % 2 == 0 ? 10e6 : 0.1e6;
    f.write_amplification = i % 2 == 0 ? 3 : 100;
    finished = outcomes.observe(f);
  }
  REQUIRE(finished.size() == 1);
  CHECK(*finished[0].outcome.measured == Approx((5 * 3 * 10 + 6 * 100 * 0.1) / (5 * 10 + 6 * 0.1)));
  CHECK(finished[0].outcome.result == "unchanged");
}

TEST_CASE("outcomes compare the second half of the window with the baseline", "[outcomes]") {
  CHECK(after(500).outcome.result == "better");
  CHECK(after(950).outcome.result == "unchanged");
  CHECK(after(1050).outcome.result == "unchanged");
  Finished worse = after(1300);
  CHECK(worse.outcome.result == "worse");
  CHECK(worse.outcome.decision_id == "7-1");
  CHECK(*worse.outcome.measured == Approx(1300));
  CHECK_FALSE(worse.worse_by_far);
  CHECK(after(1600).worse_by_far);
}

TEST_CASE("where more is better, more is better", "[outcomes]") {
  CHECK(after(1300, 1, decision("read_p99_us", false)).outcome.result == "better");
  CHECK(after(500, 1, decision("read_p99_us", false)).outcome.result == "worse");
}

TEST_CASE("what the load explains is nobody's merit or fault", "[outcomes]") {
  CHECK_FALSE(after(1600, 1.1).load_changed);
  SECTION("worse under more load") {
    Finished out = after(1600, 2);
    CHECK(out.load_changed);
    CHECK_FALSE(out.worse_by_far);
    CHECK(out.outcome.result == "unknown");
    CHECK(*out.outcome.measured == Approx(1600));
    CHECK(out.outcome.reason.find("the load rose from 1000 to 2000 operations/s, which may "
                                  "explain it") != std::string::npos);
  }
  SECTION("better under less load") {
    CHECK(after(500, 0.5).outcome.result == "unknown");
  }
  SECTION("worse under less load is worse") {
    Finished out = after(1600, 0.5);
    CHECK(out.outcome.result == "worse");
    CHECK(out.load_changed);
  }
  SECTION("better under more load is better") {
    CHECK(after(500, 3).outcome.result == "better");
  }
}

TEST_CASE("the load before is that of the seconds that the baseline speaks of", "[outcomes]") {
  // As when a burst begins: the decision falls into its second second, the mean of L0 that it names
  // is still that of the quiet time.
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.l0_ratio = 0.2;
  for (int i = 0; i < 40; ++i) {
    f.at.tick += at_seconds(0.5);
    f.writes_per_second = i < 37 ? 3000 : 30000;
    outcomes.observe(f);
  }
  outcomes.begin(decision("l0_ratio", true, 0.2), applied(), f);
  std::vector<Finished> finished;
  f.l0_ratio = 0.33;
  for (int i = 0; i < 20; ++i) {
    f.at.tick += at_seconds(0.5);
    finished = outcomes.observe(f);
  }
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.result == "unknown");
}

TEST_CASE("a sample without operations says nothing about the load", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  f.read_p99_us = 500;
  outcomes.observe(f);
  outcomes.begin(decision(), applied(), f);
  std::vector<Finished> finished;
  for (int i = 0; i < 20; ++i) {
    f.at.tick += at_seconds(0.5);
    f.reads_per_second = i % 2 ? Value(1000) : std::nullopt;
    finished = outcomes.observe(f);
  }
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.result == "better");
  CHECK_FALSE(finished[0].load_changed);
}

TEST_CASE("a feature that is not there gives no outcome", "[outcomes]") {
  Finished finished = after(500, 1, decision("cache_hit_ratio"));
  CHECK(finished.outcome.result == "unknown");
  CHECK_FALSE(finished.outcome.measured);
}

TEST_CASE("a second change of the knob cuts the window short", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  outcomes.begin(decision(), applied(), f);
  Decision second = decision();
  second.id = "9-1";
  outcomes.begin(second, applied(), f);
  auto finished = outcomes.observe(f);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.decision_id == "7-1");
  CHECK(finished[0].outcome.result == "unknown");
  finished = outcomes.end_all("gone");
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.decision_id == "9-1");
  CHECK(outcomes.end_all("gone").empty());
}

TEST_CASE("tolerances: a tenth, and what the kind of value moves by itself", "[outcomes]") {
  CHECK(Outcomes::tolerance("read_p99_us", 10000) == Approx(1000));
  CHECK(Outcomes::tolerance("read_p99_us", 10) == Approx(50));
  CHECK(Outcomes::tolerance("cache_hit_ratio", 0) == Approx(0.02));
  CHECK(Outcomes::tolerance("l0_ratio", 0) == Approx(0.1));
}

namespace {

// Changes of several knobs under a steady load, sample by sample; the first at tick 10 s.
class OverlapBench {
 public:
  OverlapBench() {
    f.fresh = true;
    f.reads_per_second = 1000;
    f.read_p99_us = 1000;
    f.l0_ratio = 0.2;
    f.cache_hit_ratio = 0.9;
    f.knobs = {limiter_knob(80, 100), jobs_knob(5, 4), cache_knob(300, 256)};
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
  void begin(const char* id, std::string_view name, std::int64_t from, std::int64_t to,
             const Expectation& expected) {
    Decision made;
    made.id = id;
    made.proposal.knob = name;
    made.proposal.from = from;
    made.proposal.to = to;
    made.proposal.rule = "memory.shift";
    made.proposal.expected = expected;
    made.verdict = {VerdictKind::kAllowed, to, "", ""};
    outcomes.begin(made, {id, "applied", "", from, to}, f);
  }

  Outcomes outcomes;
  Features f;
};

}  // namespace

TEST_CASE("a service level that was kept and is broken is a regression", "[outcomes]") {
  OverlapBench bench;
  bench.begin("7-1", knob::kRateLimit, 100, 80, {"l0_ratio", true, 0.2, 10});
  bench.pass(5);
  bench.f.read_p99_us = 6000;  // of 5 ms
  SECTION("under the same load") {
    auto finished = bench.pass(5);
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].slo_broken);
    CHECK_FALSE(finished[0].worse_by_far);
    CHECK(finished[0].outcome.result == "worse");
    CHECK(finished[0].outcome.reason.find("read_p99_us was 1 ms and kept its objective of 5 ms") !=
          std::string::npos);
    Rollbacks rollbacks;
    rollbacks.consider(finished[0], bench.f.at.tick);
    REQUIRE(rollbacks.propose(bench.f, {}).size() == 1);
    CHECK(rollbacks.propose(bench.f, {})[0].to == 100);
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
    CHECK(rollbacks.done(wanted[0])->id == "9-1");
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

namespace {

Features standing_at(std::int64_t value, double seconds = 1) {
  Features f;
  f.fresh = true;
  f.at.tick = at_seconds(seconds);
  f.knobs = {limiter_knob(value, 100)};
  return f;
}

std::vector<Indicator> backlog(AlertState state) {
  std::vector<Indicator> out(1);
  out[0].kind = IndicatorKind::kCompactionBacklog;
  out[0].valid = true;
  out[0].state = state;
  return out;
}

}  // namespace

TEST_CASE("a clear regression proposes the earlier value", "[rollback]") {
  Rollbacks rollbacks;
  rollbacks.consider(after(1600), {});
  auto wanted = rollbacks.propose(standing_at(80), {});
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].rule == "rollback.regression");
  CHECK(wanted[0].from == 80);
  CHECK(wanted[0].to == 100);
  CHECK(wanted[0].reason.find("7-1") != std::string::npos);
  CHECK(rollbacks.propose(standing_at(80), {}).size() == 1);  // until the guard lets it through
  CHECK(rollbacks.done(wanted[0])->id == "7-1");
  CHECK(rollbacks.propose(standing_at(80), {}).empty());
}

TEST_CASE("no rollback of what is no regression, or is moot", "[rollback]") {
  Rollbacks rollbacks;
  SECTION("a little worse") {
    rollbacks.consider(after(1300), {});
  }
  SECTION("another load") {
    rollbacks.consider(after(1600, 2), {});
  }
  SECTION("a rollback") {
    Finished finished = after(1600);
    finished.proposal.rule = "rollback.regression";
    rollbacks.consider(finished, {});
  }
  SECTION("the knob has moved on") {
    rollbacks.consider(after(1600), {});
    CHECK(rollbacks.propose(standing_at(60), {}).empty());
  }
  SECTION("it waited too long") {
    rollbacks.consider(after(1600), {});
    CHECK(rollbacks.propose(standing_at(80, 61), {}).empty());
  }
  CHECK(rollbacks.propose(standing_at(80), {}).empty());
}

TEST_CASE("a relief is not taken back while the backlog lasts", "[rollback]") {
  Finished finished = after(1600);
  std::swap(finished.actuation.before, finished.actuation.after);  // it was raised
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing_at(100), backlog(AlertState::kWarning)).empty());
  CHECK(rollbacks.propose(standing_at(100), backlog(AlertState::kOk)).size() == 1);
}
