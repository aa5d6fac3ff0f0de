// Targets that share a host and an emulated device, as the main loop drives them: who shares, and
// what is told of it.
#include "daemon/metrics.h"
#include "tests/unit/daemon/share_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace rocktune::daemon::test;
using namespace std::chrono_literals;

TEST_CASE("two databases on one emulated device form groups, and their slices are recorded",
          "[daemon][share]") {
  ShareWorld world;
  world.host.jobs_max = 6;
  for (int i = 0; i < 3; ++i) world.poll_all();
  CHECK(world.alert_lines("daemon").empty());  // it may be a short visit
  for (const char* name : {"front", "back"}) {
    const auto shared = world.at(name).status().shared;
    REQUIRE(shared);
    CHECK(shared->host_members == 2);
    CHECK(shared->device_members == 2);
    CHECK(shared->jobs_max.value_or(0) >= 2);
  }
  CHECK(*world.at("front").status().shared->jobs_max +
            *world.at("back").status().shared->jobs_max <=
        6);
  const auto steps = world.recorded();
  REQUIRE(steps.size() == 3);
  CHECK_FALSE(steps[0].sample.shared);  // nothing was known of it before its first sample
  CHECK(steps[2].sample.shared.has_value());
  world.poll_until_told();
  const auto lines = world.alert_lines("daemon");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("2 databases share emulated:back: back, front") != std::string::npos);
  CHECK(lines[1].find("2 databases share the host: back, front") != std::string::npos);
  const std::string status = status_json([&] {
    Status all;
    all.targets = {world.at("front").status()};
    return all;
  }());
  CHECK(status.find("\"shared\":{\"weight\":1.0,\"host_members\":2") != std::string::npos);
  Status all;
  all.targets = {world.at("front").status()};
  CHECK(metrics_text(all).find("rocktune_share_jobs{target=\"front\"} ") != std::string::npos);
}

TEST_CASE("databases of another user take nothing from these", "[daemon][share]") {
  constexpr uid_t kStranger = 60'001;
  ShareWorld world;
  world.host.jobs_max = 6;
  for (const char* name : {"fake", "faked"}) {
    world.tree.link(std::string(name) + ".device", world.tree.path("front.device"));
  }
  world.open("fake", kStranger);
  SECTION("one of them shares with nobody") {
    world.poll_until_told();
    CHECK(world.at("front").status().shared->host_members == 2);
    CHECK(world.at("front").status().shared->device_members == 2);
    CHECK(world.at("fake").status().shared->host_members == 1);  // the host's limit is its own, too
    CHECK(world.alert_lines("daemon").size() == 2);
  }
  SECTION("two of them share with each other") {
    world.open("faked", kStranger);
    world.poll_until_told();
    CHECK(world.at("fake").status().shared->host_members == 2);
    CHECK(world.at("front").status().shared->host_members == 2);
    const auto lines = world.alert_lines("daemon");
    REQUIRE(lines.size() == 4);
    CHECK(lines[3].find("2 databases share the host of uid 60001: fake, faked") !=
          std::string::npos);
  }
  SECTION("where users trust each other all share") {
    world.all_users = true;
    for (int i = 0; i < 3; ++i) world.poll_all();
    CHECK(world.at("fake").status().shared->host_members == 3);
    CHECK(world.at("front").status().shared->device_members == 3);
  }
}

TEST_CASE("a group ends with its last but one member", "[daemon][share]") {
  ShareWorld world;
  world.poll_until_told();
  CHECK(world.at("front").status().shared->jobs_max.value_or(0) == 2);  // 2 CPUs, and two more
  world.at("back").closed("the database is closed");
  for (int i = 0; i < 2; ++i) world.poll_all();
  CHECK_FALSE(world.at("front").status().shared);
  world.poll_until_told();
  const auto lines = world.alert_lines("daemon");
  REQUIRE(lines.size() == 4);
  CHECK(lines[3].find("the host is shared no longer by back, front") != std::string::npos);
}

TEST_CASE("databases that come and go make no line", "[daemon][share]") {
  ShareWorld world;
  Target& visitor = world.at("back");
  for (int visit = 2; visit < 10; ++visit) {
    for (int i = 0; i < 3; ++i) world.poll_all();
    CHECK(world.at("front").status().shared->host_members == 2);  // its slices change at once
    visitor.closed("the database is closed");
    for (int i = 0; i < 3; ++i) world.poll_all();
    Opening again = world.opening(std::to_string(visit));
    again.database.path = visitor.path();
    visitor.opened(std::move(again));
  }
  CHECK(world.alert_lines("daemon").empty());
  world.poll_until_told();  // this time it stays
  CHECK(world.alert_lines("daemon").size() == 2);
}

TEST_CASE("groups are told of once they have settled", "[daemon][share]") {
  SettledGroups groups;
  std::vector<std::string> told;
  Nanoseconds now = 1h;
  const auto update = [&](const SettledGroups::Groups& given, Nanoseconds later) {
    now += later;
    groups.update(now, given, [&](const auto& what, const auto& before, const auto& members) {
      told.push_back(what + " " + std::to_string(before.size()) + " " +
                     std::to_string(members.size()));
    });
  };
  const SettledGroups::Groups two = {{"host", {"a", "b"}}}, three = {{"host", {"a", "b", "c"}}};
  update(two, 0s);
  update(two, 9s);
  CHECK(told.empty());
  update(two, 1s);
  CHECK(told == std::vector<std::string>{"host 0 2"});
  for (int i = 0; i < 8; ++i) {  // visits of a third one, and a short end
    update(three, 5s);
    update(two, 5s);
    update({}, 5s);
  }
  CHECK(told.size() == 1);
  update(three, 1s);
  update({}, 1s);
  update({}, 9s);
  CHECK(told.size() == 1);
  update({}, 1s);
  CHECK(told.back() == "host 2 0");
  update({}, 20s);
  CHECK(told.size() == 2);
}

TEST_CASE("a reload that begins another engine leaves its share as it was", "[daemon][share]") {
  ShareWorld world;
  world.host.jobs_max = 6;
  for (int i = 0; i < 3; ++i) world.poll_all();
  const auto before = *world.at("front").status().shared;
  TargetRule other = world.rule("back");
  other.engine.objective.read_p99_seconds *= 2;
  REQUIRE(world.at("back").reconfigure(7, other));
  world.poll_all();
  REQUIRE(world.at("front").status().shared);
  CHECK(world.at("front").status().shared->jobs_max == before.jobs_max);
  CHECK(world.at("front").status().shared->host_members == 2);
  CHECK(world.at("back").status().shared);
  world.poll_until_told();
  CHECK(world.alert_lines("daemon").size() == 2);  // that both share the host and the device
}

TEST_CASE("without the number of CPUs jobs are divided by the budget only", "[daemon][share]") {
  ShareWorld world;
  world.tree.file("proc/stat", "nonsense\n");
  for (int i = 0; i < 3; ++i) world.poll_all();
  REQUIRE(world.at("front").status().shared);
  CHECK_FALSE(world.at("front").status().shared->jobs_max);
}
