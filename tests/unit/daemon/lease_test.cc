// Who holds the lease on a database, and what is said of the knobs that are changed.
#include <string>
#include <vector>

#include "daemon/listed.h"
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

struct LeaseWorld : rocktune::daemon::test::TargetWorld {
  std::unique_ptr<Target> database = target(Mode::kAct);
  std::uint64_t polled = 0;
  wire::Lease lease{"another", 15, "restore", 12};
  std::string owner = "rocktune";

  LeaseWorld() {
    REQUIRE(log.open("warn", tree.path("log")));
    database->set_holder("rocktuned");
    database->opened(opening());
  }
  // Its limiter stands at 20 MB/s, where 10 were found.
  std::vector<Decision> poll_held() {
    now.tick += 500ms;
    now.wall += 500ms;
    wire::Sample sample = squeezed(++polled);
    sample.lease = lease;
    sample.knobs[0].owner = owner;
    sample.knobs[0].found = 10'000'000;
    return database->poll(now, sample);
  }
  std::vector<std::string> having(const std::string& kind, const std::string& words) const {
    std::vector<std::string> lines = alert_lines(kind);
    std::erase_if(lines,
                  [&](const std::string& line) { return line.find(words) == std::string::npos; });
    return lines;
  }
  std::string logged() const {
    std::ifstream file(tree.path("log"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

constexpr const char* kHeld = "another daemon, 'another', holds the lease";

}  // namespace

TEST_CASE("another daemon's lease is said, and nothing is tried under it", "[daemon][lease]") {
  LeaseWorld world;
  for (int i = 0; i < 100; ++i) CHECK(world.poll_held().empty());
  const auto health = world.database->status().health;
  CHECK(std::ranges::any_of(health, [](const SourceHealth& one) {
    return one.source == "lease" && one.error.starts_with(kHeld);
  }));
  CHECK(world.having("source", kHeld).size() == 1);
  CHECK(world.logged().find(kHeld) != std::string::npos);  // a warning
  const auto refused = world.having("actuation", "\"refused\"");
  REQUIRE_FALSE(refused.empty());
  CHECK(refused.front().find(kHeld) != std::string::npos);
  CHECK(refused.size() == world.alert_lines("actuation").size());
  // What stands there is the other's: it is no earlier run's, nor left by this one.
  CHECK(world.having("daemon", "adopted").empty());
  const auto tuned = world.having("daemon", "tuned_elsewhere");
  REQUIRE(tuned.size() == 1);
  CHECK(tuned[0].find("is tuned by 'another', which has set: rate_limiter_bytes_per_second 19") !=
        std::string::npos);
  CHECK(world.database->note_left());  // nor is it known to be nothing
  CHECK(world.having("daemon", "\"left\"").empty());

  world.lease.holder = "rocktuned";
  std::vector<Decision> decisions;
  for (int i = 0; i < 200; ++i) {
    for (Decision& one : world.poll_held()) decisions.push_back(std::move(one));
  }
  CHECK_FALSE(decisions.empty());
  CHECK(world.having("source", "lease: held again").size() == 1);
  for (const SourceHealth& one : world.database->status().health) CHECK(one.source != "lease");
}

TEST_CASE("who only advises has no use for the lease", "[daemon][lease]") {
  LeaseWorld world;
  world.database = world.target(Mode::kAdvise);
  world.database->set_holder("rocktuned");
  world.database->opened(world.opening());
  for (int i = 0; i < 10; ++i) CHECK(world.poll_held().empty());
  CHECK(world.having("source", kHeld).empty());
  for (const SourceHealth& one : world.database->status().health) CHECK(one.source != "lease");
}

TEST_CASE("a daemon that stops says what it leaves changed", "[daemon][lease]") {
  LeaseWorld world;
  world.lease.holder = "rocktuned";
  const auto left = [&] {
    CHECK(world.database->note_left());
    const auto lines = world.having("daemon", "\"left\"");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("rate_limiter_bytes_per_second 19 MiB/s (found 9.5 MiB/s): ") !=
          std::string::npos);
    return lines[0];
  };
  SECTION("and when that goes back") {
    world.poll_held();
    world.now.tick += 2s;
    CHECK(left().find("goes back in 10 s") != std::string::npos);
  }
  SECTION("or that it stays") {
    world.lease.on_expiry = "keep";
    world.poll_held();
    CHECK(left().find("stays (lease.on_daemon_loss: keep); `rocktune rollback --all`") !=
          std::string::npos);
  }
  SECTION("but nothing of what nobody has changed") {
    world.owner = "found";
    world.poll_held();
    CHECK_FALSE(world.database->note_left());
  }
  SECTION("nor of what is not known") {
    world.poll_held();
    world.database->missed(world.now, "no answer");
    CHECK(world.database->note_left());
    CHECK(world.having("daemon", "\"left\"").empty());
  }
  SECTION("nor of what is closed") {
    world.poll_held();
    world.database->closed("the database is closed");
    CHECK_FALSE(world.database->note_left());
  }
}

TEST_CASE("a daemon that stops says what it has asked for without an answer", "[daemon][lease]") {
  LeaseWorld world;
  world.lease.holder = "rocktuned";
  world.owner = "found";
  std::vector<Decision> decisions;
  for (int i = 0; i < 200 && decisions.empty(); ++i) decisions = world.poll_held();
  REQUIRE(decisions.size() == 1);
  const Decision& one = decisions[0];
  REQUIRE(one.proposal.knob == "rate_limiter_bytes_per_second");
  const auto count = [&](const std::string& kind, const std::string& words) {
    return world.having(kind, words).size();
  };
  SECTION("for it may be made all the same") {
    world.database->sent(decisions);
    CHECK(world.database->note_left());
    CHECK(count("actuation", "\"failed\"") == 1);
    CHECK(count("actuation", "stopped before the agent answered: it may have been made") == 1);
    CHECK(count("daemon", "rate_limiter_bytes_per_second 19 MiB/s -> " +
                              shown(one.proposal.knob, one.verdict.value) +
                              " (asked for, not answered): goes back in 12 s") == 1);
  }
  SECTION("but not what the agent never heard of") {
    static_cast<void>(world.database->note_left());
    CHECK(count("actuation", "\"not_sent\"") == 1);
    CHECK(count("daemon", "asked for") == 0);
  }
  SECTION("and of what was answered since the last sample, how it stands") {
    world.database->sent(decisions);
    world.database->report({one.id, "applied", "", 20'000'000, 40 << 20});
    CHECK(world.database->note_left());
    CHECK(count("daemon", "rate_limiter_bytes_per_second 40 MiB/s (found 9.5 MiB/s): ") == 1);
    CHECK(count("daemon", "asked for") == 0);
  }
  CHECK(world.alert_lines("actuation").size() == 1);
}

TEST_CASE("knobs that one sample shows to be manual are one line", "[daemon][lease]") {
  LeaseWorld world;
  wire::Sample sample = world.squeezed(1);
  sample.knobs.clear();
  for (int i = 0; i < 20; ++i) {
    sample.knobs.push_back({"write_buffer_size", "cf" + std::to_string(i), 64 << 20, 64 << 20,
                            "manual", true, "", 1 << 16, std::int64_t{1} << 40});
  }
  for (int i = 0; i < 3; ++i) static_cast<void>(world.database->poll(world.now, sample));
  const auto lines = world.alert_lines("manual");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("20 knobs are held by an operator's hand") != std::string::npos);
  CHECK(lines[0].find("write_buffer_size of cf7 64 MiB and 12 more (`rocktune status` has all);") !=
        std::string::npos);
  CHECK(lines[0].find("cf8 ") == std::string::npos);
}

TEST_CASE("a list names eight", "[daemon][lease]") {
  const std::vector<std::string> nine{"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  CHECK(listed({}).empty());
  CHECK(listed({"a", "b"}, "; ") == "a; b");
  CHECK(listed(nine) == "a, b, c, d, e, f, g, h and 1 more");
}
