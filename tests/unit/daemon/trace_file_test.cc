// A trace that somebody takes away while it is written.
#include <filesystem>

#include "files/text_file.h"
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

TEST_CASE("a start at whose trace's name there is a file goes on under another one",
          "[daemon][trace]") {
  rocktune::daemon::test::TargetWorld world;
  Instant now = world.now;
  const std::string taken = world.trace.path();
  auto writer = TraceWriter::create(world.config, now, [&now] { return now; }, world.log);
  REQUIRE(writer);
  CHECK_FALSE(writer->is_there());
  CHECK_FALSE(TraceWriter::Step(*writer).commit());
  now.tick += 1s;
  now.wall += 1s;
  CHECK(TraceWriter::Step(*writer).commit());
  CHECK(writer->is_there());
  CHECK(writer->path() != taken);
  CHECK(fs::exists(taken));
}

TEST_CASE("how far back a trace reaches that has outgrown its bound is said once for each growth",
          "[daemon][trace]") {
  const rocktune::daemon::test::TempTree tree;
  Instant now{Nanoseconds(1'700'000'000s), 1000s};
  Log log;
  REQUIRE(log.open("info", tree.path("log")));
  auto config = *load_config(
      {"",
       {},
       {{"trace.directory", tree.directory("trace"), "test"}, {"trace.max_size", "8MiB", "test"}}});
  auto writer = TraceWriter::create(config, now, [&now] { return now; }, log);
  REQUIRE(writer);
  std::int64_t target = 0;
  {
    TraceWriter::Step step(*writer);
    step.add([&](trace::Recorder& recorder) {
      const Result<std::int64_t> id = recorder.add_target({0, "a", "/a", "act", EngineConfig{}});
      if (id) target = *id;
      return id;
    });
    REQUIRE(step.commit());
  }
  Sample sample;
  sample.incarnation = "1";
  sample.health = {{"agent", std::string(4000, 'x')}};  // a large row
  const auto lines = [&] {
    const std::string text = *read_text_file(tree.path("log"));
    std::size_t count = 0;
    for (auto at = text.find("has outgrown 4 MiB"); at != std::string::npos;
         at = text.find("has outgrown 4 MiB", at + 1)) {
      ++count;
    }
    return count;
  };
  const auto record = [&] {
    sample.at = now;
    ++sample.sequence;
    sample.health[0].error.back() = static_cast<char>('a' + sample.sequence % 26);
    TraceWriter::Step step(*writer);
    step.add([&](trace::Recorder& recorder) { return recorder.add_sample(target, sample); });
    REQUIRE(step.commit());
    now.tick += 1s;
    now.wall += 1s;
  };
  const Nanoseconds begin = now.wall;
  for (int i = 0; i < 600; ++i) record();
  CHECK(lines() == 0);
  CHECK_FALSE(writer->reaches_back_to());
  for (int i = 0; i < 500; ++i) record();
  CHECK(lines() == 1);
  REQUIRE(writer->reaches_back_to());
  CHECK(*writer->reaches_back_to() > begin);
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
