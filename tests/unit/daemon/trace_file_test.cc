// A trace that somebody takes away while it is written.
#include <filesystem>

#include "tests/unit/daemon/target_world.h"
#include "trace/sqlite.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

// Two databases, each with a sample in the first file.
struct TakenTrace : rocktune::daemon::test::TargetWorld {
  std::unique_ptr<Target> one = target(Mode::kAdvise), other = target(Mode::kAdvise);
  std::string first = trace.path();

  TakenTrace() {
    one->opened(opening("1"));
    other->opened(opening("2"));
    poll_both();
  }
  void poll_both() {
    static_cast<void>(poll(*other, ++polled));
    static_cast<void>(poll(*one, polled));
  }
  // The samples of each database in a trace.
  static std::vector<std::uint64_t> samples_in(const std::string& path) {
    auto reader = trace::Reader::open(path);
    REQUIRE(reader);
    const auto targets = reader->targets();
    REQUIRE(targets);
    std::vector<std::uint64_t> samples;
    for (const trace::TargetSummary& target : *targets) {
      REQUIRE(target.incarnations.size() == 1);
      samples.push_back(target.samples_with_database);
    }
    return samples;
  }

  std::uint64_t polled = 0;
};

using Samples = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a trace that was taken away is followed by one that is whole by itself",
          "[daemon][trace]") {
  TakenTrace world;
  const std::string away = world.tree.path("away.sqlite");
  SECTION("moved: what was in it is there") {
    fs::rename(world.first, away);
    world.poll_both();
    CHECK(TakenTrace::samples_in(away) == Samples{1, 1});
  }
  SECTION("moved with all that belongs to it") {
    for (const char* part : {"", "-wal", "-shm"}) fs::rename(world.first + part, away + part);
    world.poll_both();
    CHECK(TakenTrace::samples_in(away) == Samples{1, 1});
  }
  SECTION("removed") {
    fs::remove(world.first);
    world.poll_both();
  }
  CHECK(world.trace.path() != world.first);
  CHECK(world.trace.failing().empty());
  CHECK(world.trace.failures() == 1);
  world.poll_both();
  CHECK(TakenTrace::samples_in(world.trace.path()) == Samples{2, 2});
  // Nothing of the first one is left behind.
  for (const char* part : {"", "-wal", "-shm"}) CHECK_FALSE(fs::exists(world.first + part));
}

TEST_CASE("a trace has nothing of a target that it does not know", "[daemon][trace]") {
  TakenTrace world;
  wire::Event event;
  event.sequence = 1;
  event.tick_ns = world.now.tick.count();
  event.wall_ns = world.now.wall.count();
  event.kind = "change";
  event.numbers = {{"before", 8}, {"after", 2}};
  event.words = {{"knob", "max_background_jobs"}, {"why", "lease_expired"}, {"status", "applied"}};
  world.one->take_events({{event}, 0, 2});
  world.other->report({"x", "applied", "", 1, 2});
  fs::remove(world.first);
  world.one->closed("the database is closed");
  world.other->finish();
  CHECK(world.trace.path() != world.first);
  CHECK(world.trace.failing().empty());
  auto connection = trace::Connection::open(world.trace.path(), SQLITE_OPEN_READONLY);
  REQUIRE(connection);
  for (const char* table : {"targets", "incarnations", "database_events", "actuations"}) {
    CHECK(connection->number("SELECT count(*) FROM " + std::string(table)) == 0);
  }
  CHECK(connection->number("SELECT count(*) FROM events WHERE target IS NOT NULL") == 0);
  CHECK(connection->number(
            "SELECT count(*) FROM events WHERE json LIKE '%waiting for the next%'") == 1);
}

TEST_CASE("what somebody puts in a trace's place stays as it is", "[daemon][trace]") {
  TakenTrace world;
  fs::remove(world.first);
  const std::string name = "trace/" + fs::path(world.first).filename().string();
  for (const char* part : {"", "-wal", "-shm"}) {
    fs::remove(world.first + part);
    static_cast<void>(world.tree.file(name + part, "theirs"));
  }
  world.poll_both();
  CHECK(world.trace.path() != world.first);
  for (const char* part : {"", "-wal", "-shm"}) {
    std::string text;
    std::ifstream(world.first + part) >> text;
    CHECK(text == "theirs");
  }
  CHECK(TakenTrace::samples_in(world.trace.path()) == Samples{1, 1});
}

TEST_CASE("a trace that is taken away again and again is begun once a minute", "[daemon][trace]") {
  TakenTrace world;
  fs::remove(world.first);
  world.poll_both();
  const std::string second = world.trace.path();
  fs::remove(second);
  world.poll_both();
  CHECK(world.trace.failing() == "somebody has moved the trace " + second + " away, or removed it");
  CHECK_FALSE(fs::exists(second));
  world.now.tick += 1min;
  world.now.wall += 1min;
  fs::remove_all(world.tree.path("trace"));
  world.poll_both();
  CHECK(world.trace.failing().empty());
  CHECK(TakenTrace::samples_in(world.trace.path()) == Samples{1, 1});
}
