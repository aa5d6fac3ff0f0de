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

// What ended in the last look of that time, in which nothing changes.
std::vector<Finished> run_outcomes(Outcomes& outcomes, Features& f, double seconds) {
  std::vector<Finished> finished;
  for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
    f.at.tick += at_seconds(0.5);
    finished = outcomes.observe(f);
  }
  return finished;
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
  Decision back = decision("");
  back.id = "6-1";
  back.proposal.knob = knob::kBackgroundJobs;
  const bool later = GENERATE(false, true);
  live(15);
  if (!later) outcomes.begin(back, {"6-1", "applied", "", 100, 80}, f);
  live(1);
  outcomes.begin(decision("stalled_ratio", true, 0), applied(), f);
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
  outcomes.begin(decision(), applied(), f);
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
  CHECK(Outcomes::tolerance("write_stopped", 0.1) == Approx(0.05));
}

TEST_CASE("a change too many ends the oldest window, and says so", "[outcomes]") {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.read_p99_us = 1000;
  for (int i = 0; i < 33; ++i) {
    Decision made = decision();
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
  CHECK(rollbacks.done(wanted[0], 100)->id == "7-1");
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
  SECTION("memory that the host lacks") {
    Finished finished = after(1600);
    finished.proposal.knob = knob::kCacheCapacity;
    finished.proposal.rule = "cache.memory";
    finished.proposal.expected.feature = "memory_pressure_ratio";
    rollbacks.consider(finished, {});
    Features standing = standing_at(80);
    standing.knobs = {cache_knob(80, 100)};
    CHECK(rollbacks.propose(standing, {}).empty());
  }
  SECTION("it waited too long") {
    rollbacks.consider(after(1600), {});
    CHECK(rollbacks.propose(standing_at(80, 61), {}).empty());
  }
  CHECK(rollbacks.propose(standing_at(80), {}).empty());
}

TEST_CASE("a rollback waits for a knob that is not there, and is given up when it stays away",
          "[rollback]") {
  Rollbacks rollbacks;
  rollbacks.consider(after(1600), {});
  const bool comes_back = GENERATE(true, false);
  for (double second = 0; second <= (comes_back ? 90 : 310); second += 5) {
    Features without = standing_at(80, second);
    without.knobs = {};
    CHECK(rollbacks.propose(without, {}).empty());
  }
  CHECK(rollbacks.propose(standing_at(80, comes_back ? 95 : 315), {}).size() == comes_back);
  const auto notes = rollbacks.take_notes();
  REQUIRE(notes.size() == !comes_back);
  if (!comes_back) {
    CHECK(notes[0].message ==
          "decision 7-1 is not taken back, since that could not be done in time: "
          "rate_limiter_bytes_per_second is not there any more");
  }
}

TEST_CASE("a relief is not taken back while the backlog lasts", "[rollback]") {
  Finished finished = after(1600);
  std::swap(finished.actuation.before, finished.actuation.after);  // it was raised
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing_at(100), backlog(AlertState::kWarning)).empty());
  CHECK(rollbacks.propose(standing_at(100), backlog(AlertState::kOk)).size() == 1);
}

TEST_CASE("a relief that lowers is not taken back while the backlog lasts, either", "[rollback]") {
  Finished finished = after(1600);
  finished.proposal.knob = knob::kL0Trigger;
  finished.proposal.expected.feature = "l0_ratio";
  Features standing = standing_at(80);
  standing.knobs.edit()[0].name = knob::kL0Trigger;
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing, backlog(AlertState::kWarning)).empty());
  CHECK(rollbacks.propose(standing, backlog(AlertState::kOk)).size() == 1);
}

TEST_CASE("a relief that a lasting backlog outlived is nobody's fault", "[rollback]") {
  Finished finished = after(1600);
  std::swap(finished.actuation.before, finished.actuation.after);  // it was raised
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  for (int second = 1; second <= 70; ++second) {
    CHECK(rollbacks.propose(standing_at(100, second), backlog(AlertState::kWarning)).empty());
  }
  CHECK(rollbacks.take_given_up().empty());
  const auto notes = rollbacks.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("the backlog that it works against lasts") != std::string::npos);
  CHECK(rollbacks.propose(standing_at(100, 71), backlog(AlertState::kOk)).empty());
}

TEST_CASE("what gave memory does not take it while that is low", "[rollback]") {
  Finished finished = after(1600);
  finished.proposal.knob = knob::kCacheCapacity;
  finished.proposal.rule = "cache.trade";
  const auto standing = [](double second, double available) {
    Features f = standing_at(80, second);
    f.knobs = {cache_knob(80, 100)};
    f.memory_total_bytes = 16e9;
    f.memory_available_bytes = available;
    return f;
  };
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing(1, 1e9), {}).empty());
  SECTION("and does where it is not") {
    CHECK(rollbacks.propose(standing(2, 8e9), {}).size() == 1);
  }
  SECTION("and is blamed where it never is") {
    for (int second = 2; second <= 70; ++second) {
      CHECK(rollbacks.propose(standing(second, 1e9), {}).empty());
    }
    CHECK(rollbacks.take_given_up().size() == 1);
    REQUIRE(rollbacks.take_notes().at(0).message.find("since memory is low") != std::string::npos);
  }
}
