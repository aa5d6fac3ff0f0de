#include "policy/outcomes.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/policy/outcome_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// What ended in the last look of that time, in which nothing changes.
std::vector<Finished> run_outcomes(Outcomes& outcomes, Features& f, double seconds) {
  std::vector<Finished> finished;
  for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
    f.at.tick += at_seconds(0.5);
    finished = outcomes.observe(f);
  }
  return finished;
}

}  // namespace

TEST_CASE("write amplification counts by what was written", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  outcomes.begin(lowered_limiter("write_amplification", true, 4), applied_lowering(), f);
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

// RocksDB counts its time as it ends.
TEST_CASE("a stop that lasts is time that writers lose", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  f.stalled_ratio = 0;
  f.write_stopped = 1;
  outcomes.begin(lowered_limiter("stalled_ratio", true, 0.4), applied_lowering(), f);
  const auto finished = run_outcomes(outcomes, f, 10);
  REQUIRE(finished.size() == 1);
  CHECK(*finished[0].outcome.measured == Approx(1));
  CHECK(finished[0].outcome.result == "worse");
}

TEST_CASE("outcomes compare the second half of the window with the baseline", "[outcomes]") {
  CHECK(outcome_after(500).outcome.result == "better");
  CHECK(outcome_after(950).outcome.result == "unchanged");
  CHECK(outcome_after(1050).outcome.result == "unchanged");
  Finished worse = outcome_after(1300);
  CHECK(worse.outcome.result == "worse");
  CHECK(worse.outcome.decision_id == "7-1");
  CHECK(*worse.outcome.measured == Approx(1300));
  CHECK_FALSE(worse.worse_by_far);
  CHECK(outcome_after(1600).worse_by_far);
}

TEST_CASE("one reading takes nothing back, however bad", "[outcomes]") {
  const int readings = GENERATE(1, 2);
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  outcomes.begin(lowered_limiter("pending_bytes"), applied_lowering(), f);
  f.pending_bytes = 1e9;
  std::vector<Finished> finished;
  for (int i = 0; i < readings; ++i) {
    f.at.tick += at_seconds(i == 0 ? 6 : 5);
    finished = outcomes.observe(f);
  }
  if (readings == 1) {
    f.at.tick += at_seconds(5);
    f.pending_bytes.reset();
    finished = outcomes.observe(f);
  }
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.result == "worse");
  CHECK(finished[0].worse_by_far == (readings == 2));
}

TEST_CASE("where more is better, more is better", "[outcomes]") {
  CHECK(outcome_after(1300, 1, lowered_limiter("read_p99_us", false)).outcome.result == "better");
  CHECK(outcome_after(500, 1, lowered_limiter("read_p99_us", false)).outcome.result == "worse");
}

TEST_CASE("what the load explains is nobody's merit or fault", "[outcomes]") {
  CHECK_FALSE(outcome_after(1600, 1.1).load_changed);
  SECTION("worse under more load") {
    Finished out = outcome_after(1600, 2);
    CHECK(out.load_changed);
    CHECK_FALSE(out.worse_by_far);
    CHECK(out.outcome.result == "unknown");
    CHECK(*out.outcome.measured == Approx(1600));
    CHECK(out.outcome.reason.find("the load rose from 1000 to 2000 operations/s, which may "
                                  "explain it") != std::string::npos);
  }
  SECTION("better under less load") {
    CHECK(outcome_after(500, 0.5).outcome.result == "unknown");
  }
  SECTION("worse under less load is worse") {
    Finished out = outcome_after(1600, 0.5);
    CHECK(out.outcome.result == "worse");
    CHECK(out.load_changed);
  }
  SECTION("better under more load is better") {
    CHECK(outcome_after(500, 3).outcome.result == "better");
  }
}

TEST_CASE("a service level that breaks after a change that is not judged tells of no earlier one",
          "[outcomes]") {
  Objective objective;
  objective.read_p99_seconds = 0.005;
  Outcomes outcomes(objective);
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  f.read_p99_us = 1000;
  const auto live = [&](double seconds) { return run_outcomes(outcomes, f, seconds); };
  Decision back = lowered_limiter("");
  back.id = "6-1";
  back.proposal.knob = knob::kBackgroundJobs;
  const bool later = GENERATE(false, true);
  live(15);
  if (!later) outcomes.begin(back, {"6-1", "applied", "", 100, 80}, f);
  live(1);
  outcomes.begin(lowered_limiter("stalled_ratio", true, 0), applied_lowering(), f);
  live(1);
  if (later) outcomes.begin(back, {"6-1", "applied", "", 100, 80}, f);
  f.read_p99_us = 20000;
  f.stalled_ratio = 0;
  const auto finished = live(9);
  REQUIRE(finished.size() == 1);
  INFO(finished[0].outcome.reason);
  CHECK(finished[0].slo_broken == !later);
  CHECK(finished[0].outcome.result == (later ? "unchanged" : "worse"));
  const bool said = finished[0].outcome.reason.find("decision 6-1") != std::string::npos;
  CHECK(said == later);
}

TEST_CASE("what others write more on the device explains slower reads", "[outcomes]") {
  Objective objective;
  objective.read_p99_seconds = 0.005;
  Outcomes outcomes(objective);
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  f.read_p99_us = 1000;
  f.flush_bytes_per_second = f.compaction_write_bytes_per_second = 5e6;
  f.wal_bytes_per_second = 1e6;
  f.device_write_bytes_per_second = 12e6;
  f.shared = SharedBudget{};
  f.shared->device_members = GENERATE(1, 2);
  const auto live = [&](double seconds) { return run_outcomes(outcomes, f, seconds); };
  live(15);
  outcomes.begin(lowered_limiter(), applied_lowering(), f);
  f.read_p99_us = 20000;
  double others = 0;
  SECTION("they do not") {}
  SECTION("they do") {
    others = 40e6;
  }
  f.device_write_bytes_per_second = 12e6 + others;
  const auto finished = live(10);
  REQUIRE(finished.size() == 1);
  const bool explained = others > 0 && f.shared->device_members > 1;
  INFO(finished[0].outcome.reason);
  CHECK(finished[0].outcome.result == (explained ? "unknown" : "worse"));
  CHECK(finished[0].slo_broken == !explained);
  CHECK(finished[0].worse_by_far == !explained);
  const bool said = finished[0].outcome.reason.find("others wrote") != std::string::npos;
  CHECK(said == explained);
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
  outcomes.begin(lowered_limiter("l0_ratio", true, 0.2), applied_lowering(), f);
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
  outcomes.begin(lowered_limiter(), applied_lowering(), f);
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
  Finished finished = outcome_after(500, 1, lowered_limiter("cache_hit_ratio"));
  CHECK(finished.outcome.result == "unknown");
  CHECK_FALSE(finished.outcome.measured);
}

TEST_CASE("a second change of the knob cuts the window short", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  outcomes.begin(lowered_limiter(), applied_lowering(), f);
  Decision second = lowered_limiter();
  second.id = "9-1";
  outcomes.begin(second, applied_lowering(), f);
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
  CHECK(Outcomes::tolerance("write_stopped", 0.1) == Approx(0.05));
}

TEST_CASE("a change too many ends the oldest window, and says so", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.read_p99_us = 1000;
  for (int i = 0; i < 33; ++i) {
    Decision made = lowered_limiter();
    made.id = std::to_string(i);
    made.proposal.column_family = made.id;
    outcomes.begin(made, {made.id, "applied", "", 100, 80}, f);
  }
  f.at.tick += at_seconds(0.5);
  const auto finished = outcomes.observe(f);
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].outcome.decision_id == "0");
  CHECK(finished[0].outcome.result == "unknown");
  CHECK(finished[0].outcome.reason.find("too many changes") != std::string::npos);
}

TEST_CASE("what was not known when it was decided is not judged", "[outcomes]") {
  Decision blind = lowered_limiter();
  blind.proposal.expected.baseline.reset();
  const Finished finished = outcome_after(90'000, 1, blind);
  CHECK(finished.outcome.result == "unknown");
  CHECK_FALSE(finished.outcome.measured);
  CHECK_FALSE(finished.worse_by_far);
  CHECK(finished.outcome.reason.find("read_p99_us was not known") != std::string::npos);
}
