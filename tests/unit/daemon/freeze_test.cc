#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "daemon/freeze_file.h"
#include "tests/unit/daemon/target_world.h"
#include "trace/journal_json.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace rocktune::daemon::test;

namespace {

constexpr Nanoseconds kWall = 1'700'000'000s, kTick = 1000s;

// Seconds on each clock after that.
Instant instant(Nanoseconds wall, Nanoseconds tick) {
  return {kWall + wall, kTick + tick};
}

Freeze first_look(const std::string& path, Nanoseconds later = 0s) {
  return read_freeze_file(path, instant(later, later), nullptr);
}

}  // namespace

TEST_CASE("a freeze file freezes while it is there, or until its time", "[daemon][freeze]") {
  const TempTree tree;
  const std::string path = tree.path("freeze");
  CHECK(first_look(path) == Freeze{});
  CHECK(first_look(tree.path("nowhere/freeze")) == Freeze{});
  SECTION("touched") {
    std::ofstream(path).close();
    CHECK(first_look(path) == Freeze{true, std::nullopt, false, ""});
  }
  SECTION("without an end") {
    REQUIRE(write_freeze_file(path, std::nullopt));
    CHECK(first_look(path, 87600h) == Freeze{true, std::nullopt, false, ""});
  }
  SECTION("for a time") {
    REQUIRE(write_freeze_file(path, kWall + 600s));
    CHECK(first_look(path) == Freeze{true, kWall + 600s, false, ""});
    CHECK(first_look(path, 599s).frozen);
    const Freeze over = first_look(path, 600s);
    CHECK_FALSE(over.frozen);
    CHECK(over.expired);
  }
  SECTION("what it holds besides counts as without an end") {
    std::ofstream(path) << "until tomorrow\n";
    CHECK(first_look(path) == Freeze{true, std::nullopt, false, ""});
  }
  REQUIRE(remove_freeze_file(path));
  CHECK(first_look(path) == Freeze{});
  CHECK(remove_freeze_file(path));
}

TEST_CASE("a freeze for a time ends when it is over by both clocks", "[daemon][freeze]") {
  const TempTree tree;
  const std::string path = tree.path("freeze");
  REQUIRE(write_freeze_file(path, kWall + 600s));
  const Freeze nothing;
  const Freeze came = read_freeze_file(path, instant(0s, 0s), &nothing);
  CHECK(came.ends(instant(0s, 0s)) == kWall + 600s);
  const auto look = [&](Nanoseconds wall, Nanoseconds tick) {
    return read_freeze_file(path, instant(wall, tick), &came);
  };
  SECTION("a wall clock that is set forward ends none") {
    const Freeze later = look(3660s, 60s);
    CHECK(later.frozen);
    CHECK(later.ends(instant(3660s, 60s)) == kWall + 4200s);
    CHECK(look(4199s, 599s).frozen);
    CHECK(look(4200s, 600s).expired);
  }
  SECTION("one that is set back lets it last") {
    CHECK(look(-3000s, 600s).frozen);
    CHECK(look(600s, 4200s).expired);
  }
  SECTION("a machine that was suspended has not been frozen meanwhile") {
    CHECK(look(3600s, 1s).frozen);
  }
  SECTION("what is written into it later counts from then on") {
    REQUIRE(write_freeze_file(path, kWall + 4000s));
    const Freeze longer = look(3660s, 60s);
    CHECK(longer.not_before == kTick + 400s);
  }
  SECTION("a file that was there at the first look ends by the wall clock alone") {
    const Freeze found = first_look(path);
    CHECK(read_freeze_file(path, instant(599s, 5s), &found).frozen);
    CHECK(read_freeze_file(path, instant(600s, 5s), &found).expired);
  }
}

TEST_CASE("a freeze file of somebody else is not heeded", "[daemon][freeze]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a file away");
    return;
  }
  const TempTree tree;
  const std::string path = tree.path("freeze");
  std::ofstream(path).close();
  REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
  const Freeze freeze = first_look(path);
  CHECK_FALSE(freeze.frozen);
  CHECK(freeze.problem.find("belongs to uid 12345") != std::string::npos);
}

TEST_CASE("nobody else keeps a daemon from its freeze file", "[daemon][freeze]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a file away");
    return;
  }
  const TempTree tree;
  REQUIRE(::chmod(tree.path("").c_str(), 01777) == 0);
  const std::string path = tree.path("freeze");
  SECTION("a directory") {
    static_cast<void>(tree.file("freeze/x", ""));
    REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
  }
  SECTION("a link to a device") {
    tree.link("freeze", "/dev/null");
    REQUIRE(::lchown(path.c_str(), 12345, 12345) == 0);
  }
  REQUIRE(write_freeze_file(path, std::nullopt));
  CHECK(first_look(path).frozen);
}

TEST_CASE("a directory of our own at the freeze file's name stays", "[daemon][freeze]") {
  const TempTree tree;
  const std::string path = tree.directory("freeze");
  CHECK(write_freeze_file(path, std::nullopt).error().code == ErrorCode::kInvalidArgument);
  CHECK(std::filesystem::is_directory(path));
}

TEST_CASE("a frozen target changes nothing, and a replay sees why", "[daemon][freeze]") {
  TargetWorld world;
  auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  target->set_frozen("frozen by the file /x");
  for (std::uint64_t n = 1; n <= 40; ++n) CHECK(world.poll(*target, n).empty());
  const auto steps = world.recorded();
  REQUIRE(steps.size() == 40);
  REQUIRE(steps.back().sample.knobs.size() == 1);
  CHECK_FALSE(steps.back().sample.knobs[0].changeable);
  CHECK(steps.back().sample.knobs[0].reason == "frozen by the file /x");
  target->set_frozen("");
  std::size_t handed_out = 0;
  for (std::uint64_t n = 41; n <= 60; ++n) handed_out += world.poll(*target, n).size();
  CHECK(handed_out > 0);
}

TEST_CASE("a pin is handed out, and is part of what the trace began with", "[daemon][freeze]") {
  TargetWorld world;
  TargetRule rule;
  rule.path = "/db";
  rule.mode = Mode::kAct;
  rule.engine.pins = {{"rate_limiter_bytes_per_second", 50'000'000}};
  const Roots nowhere{world.tree.path("proc"), world.tree.path("sys")};
  auto made = Target::create(1, world.tree.path("db"), rule, nowhere, world.journal, world.counters,
                             world.learnt);
  REQUIRE(made);
  (*made)->opened(world.opening());
  const auto decisions = world.poll(**made, 1);
  REQUIRE(decisions.size() == 1);
  CHECK(decisions[0].proposal.rule == "pin.config");
  CHECK(decisions[0].verdict.value == 50'000'000);
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  auto targets = reader->targets();
  REQUIRE(targets);
  CHECK(targets->at(0).info.engine.pins == rule.engine.pins);
}
