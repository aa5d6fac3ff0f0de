#include "policy/rollback.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/policy/outcome_bench.h"

using namespace rocktune;
using namespace rocktune::test;

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
  rollbacks.consider(outcome_after(1600), {});
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
    rollbacks.consider(outcome_after(1300), {});
  }
  SECTION("another load") {
    rollbacks.consider(outcome_after(1600, 2), {});
  }
  SECTION("a rollback") {
    Finished finished = outcome_after(1600);
    finished.proposal.rule = "rollback.regression";
    rollbacks.consider(finished, {});
  }
  SECTION("the knob has moved on") {
    rollbacks.consider(outcome_after(1600), {});
    CHECK(rollbacks.propose(standing_at(60), {}).empty());
  }
  SECTION("memory that the host lacks") {
    Finished finished = outcome_after(1600);
    finished.proposal.knob = knob::kCacheCapacity;
    finished.proposal.rule = "cache.memory";
    finished.proposal.expected.feature = "memory_pressure_ratio";
    rollbacks.consider(finished, {});
    Features standing = standing_at(80);
    standing.knobs = {cache_knob(80, 100)};
    CHECK(rollbacks.propose(standing, {}).empty());
  }
  SECTION("it waited too long") {
    rollbacks.consider(outcome_after(1600), {});
    CHECK(rollbacks.propose(standing_at(80, 61), {}).empty());
  }
  CHECK(rollbacks.propose(standing_at(80), {}).empty());
}

TEST_CASE("a rollback waits for a knob that is not there, and is given up when it stays away",
          "[rollback]") {
  Rollbacks rollbacks;
  rollbacks.consider(outcome_after(1600), {});
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
  Finished finished = outcome_after(1600);
  std::swap(finished.actuation.before, finished.actuation.after);  // it was raised
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing_at(100), backlog(AlertState::kWarning)).empty());
  CHECK(rollbacks.propose(standing_at(100), backlog(AlertState::kOk)).size() == 1);
}

TEST_CASE("a relief that lowers is not taken back while the backlog lasts, either", "[rollback]") {
  Finished finished = outcome_after(1600);
  finished.proposal.knob = knob::kL0Trigger;
  finished.proposal.expected.feature = "l0_ratio";
  Features standing = standing_at(80);
  standing.knobs.edit()[0].name = knob::kL0Trigger;
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing, backlog(AlertState::kWarning)).empty());
  CHECK(rollbacks.propose(standing, backlog(AlertState::kOk)).size() == 1);
}

TEST_CASE("what began a backlog is taken back while it lasts", "[rollback]") {
  Finished finished = outcome_after(1600);
  std::swap(finished.actuation.before, finished.actuation.after);  // it was raised
  finished.proposal.knob = GENERATE(knob::kTargetFileSize, knob::kL0Trigger);
  const bool files = finished.proposal.knob == knob::kTargetFileSize;
  finished.proposal.rule = files ? "shape.try" : "l0_trigger.writes";
  Features standing = standing_at(100);
  standing.knobs.edit()[0].name = finished.proposal.knob;
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  CHECK(rollbacks.propose(standing, backlog(AlertState::kWarning)).size() == 1);
}

TEST_CASE("a base goes back as far as what is pending then allows", "[rollback]") {
  constexpr std::int64_t kMega = 1 << 20;
  Finished finished = outcome_after(1600);
  finished.proposal.knob = knob::kLevelBase;
  finished.proposal.rule = GENERATE("shape.try", "level_base.writes");
  finished.actuation.before = 256 * kMega;
  finished.actuation.after = 512 * kMega;
  const auto standing = [&](double second, std::uint64_t limit_mib) {
    Features f = standing_at(512 * kMega, second);
    f.knobs = {knob_reading(knob::kLevelBase, 512 * kMega, 256 * kMega, kMega, 1 << 30)};
    ColumnFamilyReading& family = f.column_families.emplace_back();
    family.leveled_compaction = 1;
    family.soft_pending_limit_bytes = limit_mib << 20;
    // 256 MiB above the target as it was, and so much of the next level: 2.6 GiB.
    family.levels = {{0, 0}, {8, 512u << 20}, {64, std::uint64_t{5} << 30}};
    return f;
  };
  Rollbacks rollbacks;
  rollbacks.consider(finished, {});
  SECTION("all the way") {
    REQUIRE(rollbacks.propose(standing(1, 60000), {}).size() == 1);
    CHECK(rollbacks.propose(standing(1, 60000), {})[0].to == 256 * kMega);
  }
  SECTION("a part of it") {
    const auto part = rollbacks.propose(standing(1, 5000), {});
    REQUIRE(part.size() == 1);
    CHECK(part[0].to > 256 * kMega);
    CHECK(part[0].to < 512 * kMega);
    CHECK_FALSE(rollbacks.done(part[0], part[0].to));  // on once less is pending
  }
  SECTION("not at all") {
    for (int second = 1; second <= 61; ++second) {
      CHECK(rollbacks.propose(standing(second, 100), {}).empty());
    }
    const auto notes = rollbacks.take_notes();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].message.find("too much would wait for compaction") != std::string::npos);
  }
  SECTION("not where nobody can tell") {
    for (int second = 1; second <= 61; ++second) {
      Features f = standing(second, 60000);
      f.column_families[0].soft_pending_limit_bytes.reset();
      CHECK(rollbacks.propose(f, {}).empty());
    }
    CHECK(rollbacks.take_given_up().size() == 1);
    const auto notes = rollbacks.take_notes();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].message.find("since nobody can tell what would wait") != std::string::npos);
  }
}

TEST_CASE("a relief that a lasting backlog outlived is nobody's fault", "[rollback]") {
  Finished finished = outcome_after(1600);
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
  Finished finished = outcome_after(1600);
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

TEST_CASE("what another engine will not take back is told", "[rollback]") {
  Rollbacks rollbacks;
  rollbacks.end("the settings changed");
  CHECK(rollbacks.take_notes().empty());
  rollbacks.consider(outcome_after(1600), {});
  rollbacks.end("the settings changed");
  const auto notes = rollbacks.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("7-1 is not taken back, since the settings changed: ") !=
        std::string::npos);
  CHECK(rollbacks.propose(standing_at(80), {}).empty());
}
