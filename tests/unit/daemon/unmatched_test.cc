// Entries of `targets` that match no database, while one runs under the defaults.
#include "daemon/unmatched.h"

#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

struct UnmatchedWorld : daemon::test::TargetWorld {
  explicit UnmatchedWorld(const std::vector<std::string>& entries) { name(entries); }

  void name(const std::vector<std::string>& entries) {
    config.targets.clear();
    for (const std::string& path : entries) {
      TargetRule rule;
      rule.path = path;
      config.targets.push_back(rule);
    }
  }

  void open(const std::string& path) {
    const Roots roots{tree.path("proc"), tree.path("sys")};
    if (!targets.contains(path)) {
      auto made = Target::create(targets.size() + 1, path, config.rule_for(path), roots, journal,
                                 counters, learnt);
      REQUIRE(made);
      targets[path] = *std::move(made);
    }
    targets[path]->opened(opening());
    unmatched.look_at(path, now.tick);
  }

  std::string said_after(Nanoseconds time) {
    now.tick += time;
    return unmatched.to_say(config, targets, now.tick).value_or("");
  }

  Targets targets;
  Unmatched unmatched;
};

}  // namespace

TEST_CASE("a misspelt entry is told of once an opening", "[daemon][unmatched]") {
  UnmatchedWorld world({"/d/oders", "/d/users*"});
  world.open("/d/users1");
  world.open("/d/orders");
  CHECK(world.said_after(9s).empty());
  CHECK(world.said_after(1s) ==
        "/d/orders: no entry of targets names it, so the defaults hold, mode advise; targets[0] "
        "(/d/oders) matches no database");
  CHECK(world.said_after(60s).empty());
  world.targets["/d/orders"]->closed("the database is closed");
  CHECK(world.said_after(60s).empty());
  world.open("/d/orders");
  CHECK_FALSE(world.said_after(10s).empty());
}

TEST_CASE("an entry is unmatched until its database was opened once", "[daemon][unmatched]") {
  UnmatchedWorld world({"/d/orders"});
  world.open("/d/scratch");
  REQUIRE(unmatched_entries(world.config, world.targets).size() == 1);
  CHECK(unmatched_entries(world.config, world.targets)[0].path == "/d/orders");
  CHECK(world.said_after(5s).empty());
  world.open("/d/orders");  // a moment later
  CHECK(unmatched_entries(world.config, world.targets).empty());
  CHECK(world.said_after(60s).empty());
  world.targets["/d/orders"]->closed("the database is closed");
  world.open("/d/scratch");
  CHECK(world.said_after(60s).empty());
}

TEST_CASE("many databases under the defaults are one message", "[daemon][unmatched]") {
  UnmatchedWorld world({"/e/*", "/f/*"});
  for (int i = 0; i < 9; ++i) world.open("/d/" + std::to_string(i));
  const std::string said = world.said_after(10s);
  CHECK(said.starts_with("/d/0, /d/1, "));
  CHECK(said.find("/d/7 and 1 more: no entry of targets names them, ") != std::string::npos);
  CHECK(said.ends_with("targets[0] (/e/*), targets[1] (/f/*) match no database"));
}

TEST_CASE("a reload that misspells an entry is told of, too", "[daemon][unmatched]") {
  UnmatchedWorld world({"/d/orders"});
  world.open("/d/orders");
  CHECK(world.said_after(60s).empty());
  world.name({"/d/oders"});  // by a reload
  world.unmatched.look_at("/d/orders", world.now.tick);
  CHECK_FALSE(world.said_after(10s).empty());
  world.name({});
  world.unmatched.look_at("/d/orders", world.now.tick);
  CHECK(world.said_after(10s).empty());
}
