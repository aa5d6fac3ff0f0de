// What databases hold counts also where nobody has read it: changes that are under way, agents that
// are silent or lost.
#include <filesystem>

#include "model/knobs.h"
#include "tests/unit/daemon/share_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace rocktune::daemon::test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kClaimMiB = 1 << 20;
const std::string kJobs(knob::kBackgroundJobs);

// "front" is to have four jobs of six; "back" takes at once whatever its slice allows.
struct RaisedWorld : ShareWorld {
  RaisedWorld() {
    host.jobs_max = 6;
    go(3);
    TargetRule pinned = rule("front");
    pinned.engine.pins[kJobs] = 4;
    REQUIRE(at("front").reconfigure(7, pinned));
    for (int i = 0; i < 4 && raise.empty(); ++i) {
      go(0.5);
      raise = asked();
    }
    REQUIRE_FALSE(raise.empty());
  }
  void go(double seconds) {
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      poll_all();
      const auto slice = static_cast<std::int64_t>(jobs_slice("back"));
      if (slice > 0) jobs["back"].first = slice;
    }
  }
  std::string asked() const {
    const auto known = decided.find("front");
    if (known == decided.end() || known->second.proposal.knob != kJobs) return "";
    return known->second.verdict.value == 4 ? known->second.id : "";
  }
  std::int64_t all_jobs() { return jobs["front"].first + jobs["back"].first; }

  std::string raise;  // the decision's id
};

}  // namespace

TEST_CASE("a raise that nobody has answered for counts as made", "[daemon][share]") {
  RaisedWorld world;
  world.go(3);  // the answer is late
  CHECK(world.jobs_slice("back") == 2);
  SECTION("it is made") {
    world.jobs["front"].first = 4;
    world.at("front").report({world.raise, "applied", "", 2, 4});
    CHECK(world.all_jobs() == 6);
    world.go(3);
    CHECK(world.all_jobs() == 6);
  }
  SECTION("it failed, and may be made all the same until samples have shown that it was not") {
    world.at("front").report({world.raise, "failed", "no answer in time", 2, 2});
    world.leave_jobs("front");
    world.silent = {"front"};
    world.go(20);
    CHECK(world.jobs_slice("back") == 2);
    world.silent.clear();
    SECTION("it is") {
      world.go(9);
      CHECK(world.jobs_slice("back") == 2);
      world.jobs["front"].first = 4;
      CHECK(world.all_jobs() == 6);
    }
    SECTION("it was not") {
      world.go(12);
      CHECK(world.jobs_slice("back") == 4);
    }
  }
}

TEST_CASE("memory that was asked for counts before it is read", "[daemon][share]") {
  TargetWorld world;
  world.tree.file("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n");
  const auto target = world.target(Mode::kAct);
  TargetRule pinned;
  pinned.path = "/db";
  pinned.mode = Mode::kAct;
  pinned.engine.pins[std::string(knob::kCacheCapacity)] = 80 * kClaimMiB;
  REQUIRE(target->reconfigure(2, pinned));
  target->opened(world.opening());
  std::vector<Decision> raise;
  for (std::uint64_t n = 1; n < 6 && raise.empty(); ++n) {
    world.now.tick += 500ms;
    wire::Sample sample = world.squeezed(n);
    sample.knobs = {{std::string(knob::kCacheCapacity), "", 64 * kClaimMiB, 64 * kClaimMiB, "found",
                     true, "", kClaimMiB, std::int64_t{1} << 40}};
    sample.column_families[0].options["write_buffer_size"] = 8 * kClaimMiB;
    raise = target->poll(world.now, sample);
  }
  REQUIRE(raise.size() == 1);
  REQUIRE(raise[0].verdict.value == 80 * kClaimMiB);
  const auto expected = Approx(96.0 * kClaimMiB);  // and two write buffers
  CHECK(target->share_member()->memory.total() == expected);
  target->report({raise[0].id, "applied", "", 64 * kClaimMiB, 80 * kClaimMiB});
  CHECK(target->share_member()->memory.total() == expected);
}

TEST_CASE("who was silent for longer than its lease may hold what was found again",
          "[daemon][share]") {
  ShareWorld world;
  world.host.jobs_max = 8;
  world.jobs["back"] = {2, 4};
  world.lease = wire::Lease{"", 15, "restore", 15.0};
  world.leave_jobs("back");
  SECTION("it gives back what it had found") {
    world.poll_for(3);
    world.silent = {"back"};
    world.poll_for(14);
    CHECK(world.at("back").share_member()->knobs.find(kJobs, "")->value == 2);
    world.poll_for(2);
    CHECK(world.at("back").share_member()->knobs.find(kJobs, "")->value == 4);
  }
  SECTION("not where it keeps what was set") {
    world.lease->on_expiry = "keep";
    world.poll_for(3);
    world.silent = {"back"};
    world.poll_for(30);
    CHECK(world.at("back").share_member()->knobs.find(kJobs, "")->value == 2);
  }
}

TEST_CASE("a lost agent's database keeps its claim", "[daemon][share]") {
  ShareWorld world;
  world.host.jobs_max = 6;
  world.tree.directory("proc/4711");
  const auto lose_it = [&](std::int64_t value, std::int64_t found) {
    Opening with = world.opening_of("back");
    with.pid = 4711;
    world.at("back").opened(with);
    world.jobs["back"] = {value, found};
    world.poll_for(3);
    world.at("back").lost("agent lost: its socket is gone");
    world.poll_for(12);
  };
  SECTION("with the jobs that it has") {
    lose_it(4, 2);
    CHECK(world.jobs_slice("front") == 2);
    CHECK(world.at("front").status().shared->device_members == 2);
  }
  SECTION("or those that its lease gives back") {
    lose_it(2, 4);
    CHECK(world.jobs_slice("front") == 2);
  }
  SECTION("until its process ends") {
    lose_it(4, 2);
    std::filesystem::remove_all(world.tree.path("proc/4711"));
    world.poll_for(1);
    CHECK(world.jobs_slice("front") == 6);
  }
  SECTION("for ten minutes at most") {
    lose_it(4, 2);
    world.now.tick += 580s;
    world.poll_for(1);
    CHECK(world.jobs_slice("front") == 2);
    world.now.tick += 10s;
    world.poll_for(1);
    CHECK(world.jobs_slice("front") == 6);
  }
  SECTION("and until it is read again") {
    lose_it(4, 2);
    world.at("back").opened(world.opening_of("back"));
    world.silent = {"back"};
    world.poll_for(2);
    CHECK(world.jobs_slice("front") == 2);
    world.silent.clear();
    world.jobs["back"] = {2, 2};
    world.poll_for(12);
    CHECK(world.jobs_slice("front") > 2);
  }
  SECTION("not where it was closed") {
    lose_it(4, 2);
    world.at("back").opened(world.opening_of("back"));
    world.at("back").closed("the database is closed");
    world.poll_for(1);
    CHECK(world.jobs_slice("front") == 6);
  }
}
