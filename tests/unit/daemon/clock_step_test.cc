// A wall clock that is set while the daemon runs.
#include "daemon/clock_step.h"

#include <boost/asio/io_context.hpp>

#include "daemon/daemon.h"
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

struct HandTicker : Ticker {
  void wake_at(Nanoseconds /*tick*/, std::function<void()> wake) override {
    next = std::move(wake);
  }
  void cancel() override { next = nullptr; }
  std::function<void()> next;
};

struct DaemonWorld : daemon::test::TargetWorld {
  DaemonWorld() {
    config.agent_dir = tree.directory("agents");
    config.freeze_file = tree.path("freeze");
    config.model_state_directory = tree.path("learnt");
    daemon = std::make_unique<Daemon>(
        io.get_executor(), config, [this] { return now; }, ticker, journal);
    daemon->start();
    pass(500ms);
  }
  // One poll that much later, by the wall clock `wall` later.
  void pass(Nanoseconds tick, std::optional<Nanoseconds> wall = std::nullopt) {
    now.tick += tick;
    now.wall += wall.value_or(tick);
    std::exchange(ticker.next, nullptr)();
  }
  std::vector<std::string> said(const std::string& id) const {
    std::vector<std::string> lines = alert_lines("daemon");
    std::erase_if(lines, [&](const std::string& line) {
      return line.find("\"id\":\"" + id + "\"") == std::string::npos;
    });
    return lines;
  }
  boost::asio::io_context io;
  HandTicker ticker;
  std::unique_ptr<Daemon> daemon;
};

}  // namespace

TEST_CASE("a wall clock that goes otherwise by more than a minute has made a step", "[daemon]") {
  const Instant before{1'700'000'000s, 1000s};
  CHECK_FALSE(clock_step(before, {1'700'000'060s, 1000s}));
  CHECK(clock_step(before, {1'700'000'062s, 1001s}) == 61);
  CHECK(clock_step(before, {1'700'000'000s, 1061s}) == -61);
  CHECK_FALSE(clock_step(before, {1'700'086'400s, 87400s}));
}

TEST_CASE("a step of the wall clock is said once, and ends no freeze", "[daemon][freeze]") {
  DaemonWorld world;
  REQUIRE(world.daemon->freeze(600.0));
  const bool forward = GENERATE(true, false);
  world.pass(500ms, forward ? 1h : -1h);
  world.pass(500ms);
  REQUIRE(world.said("clock_step").size() == 1);
  CHECK(world.said("clock_step")[0].find(forward ? "60 min forward" : "60 min back") !=
        std::string::npos);
  CHECK(world.daemon->frozen().frozen);
  REQUIRE(world.daemon->freeze(1.0));  // does not shorten what is left of the other
  world.pass(590s);
  CHECK(world.daemon->frozen().frozen);
  CHECK(world.said("freeze").size() == 1);
  world.pass(10s, forward ? 10s : 2h);
  CHECK_FALSE(world.daemon->frozen().frozen);
  CHECK(world.said("freeze").size() == 2);
}

TEST_CASE("a clock that goes on as the other one is nobody's news", "[daemon]") {
  DaemonWorld world;
  world.pass(1h);
  world.pass(500ms, 59s);
  world.pass(500ms);
  CHECK(world.said("clock_step").empty());
}
