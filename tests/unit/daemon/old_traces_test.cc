// Which traces of earlier runs go, and which stay.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "daemon/config/load.h"
#include "daemon/trace_directory.h"
#include "daemon/trace_writer.h"
#include "tests/support/catch.h"
#include "tests/support/full_disk.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

// Another process that has a trace open for as long as this lives.
class OtherDaemon {
 public:
  explicit OtherDaemon(const std::string& path) {
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    REQUIRE(::pipe(end_.data()) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::close(end_[1]);
      char byte = 0;
      {
        const auto recorder = trace::Recorder::create(path, {"test", "host", 1s, 0.5}, {});
        if (recorder) static_cast<void>(::write(ready[1], "x", 1));
        static_cast<void>(::read(end_[0], &byte, 1));
      }
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(end_[0]);
    char byte = 0;
    const bool opened = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    REQUIRE(opened);
  }
  ~OtherDaemon() {
    ::close(end_[1]);
    ::waitpid(pid_, nullptr, 0);
  }
  OtherDaemon(const OtherDaemon&) = delete;
  OtherDaemon& operator=(const OtherDaemon&) = delete;

 private:
  std::array<int, 2> end_{};
  pid_t pid_ = -1;
};

// A daemon's writer, by clocks that are set by hand, and a run of ten days ago beside it.
struct OldRun {
  test::TempTree tree;
  Instant now{Nanoseconds(1'700'000'000s), 1000s};
  Log log;
  Config config = *load_config(
      {"", {}, {{"trace.directory", tree.path(), "test"}, {"trace.max_age", "7d", "test"}}});
  TraceWriter writer = *TraceWriter::create(config, now, [this] { return now; }, log);
  std::string old = tree.file("rocktune-20231104T000000Z-1.sqlite", "old");

  OldRun() {
    REQUIRE(log.open("error", "stderr"));
    using Time = std::filesystem::file_time_type;
    const auto then = std::chrono::file_clock::from_sys(std::chrono::sys_seconds(1'700'000'000s));
    std::filesystem::last_write_time(old, Time(then) - 240h);
  }
  bool look_after(Nanoseconds tick, Nanoseconds wall) {
    now = {now.wall + wall, now.tick + tick};
    writer.remove_old_runs(config);
    return std::filesystem::exists(old);
  }
};

}  // namespace

TEST_CASE("old traces go by age, then by size, never the current one", "[daemon][trace]") {
  CHECK(trace_file_name(Nanoseconds(std::chrono::seconds(1769860800)), 42) ==
        "rocktune-20260131T120000Z-42.sqlite");
  CHECK(is_trace_file_name("rocktune-20260131T120000Z-42.sqlite"));
  for (const char* other :
       {"other.sqlite", "rocktune-incident.sqlite", "rocktune-.sqlite",
        "rocktune-20260131T120000Z-.sqlite", "rocktune-20260131T120000Z.sqlite",
        "rocktune-20260131T120000Z-42.sqlite.old", "rocktune-2026013XT120000Z-42.sqlite",
        "rocktune-20260131T120000Z-42b.sqlite"}) {
    CAPTURE(other);
    CHECK_FALSE(is_trace_file_name(other));
  }
  const std::vector<TraceFile> files{{"/t/c", Bytes{50}, 300s},
                                     {"/t/now", Bytes{70}, 1s},
                                     {"/t/a", Bytes{10}, 100s},
                                     {"/t/b", Bytes{40}, 200s}};
  const auto removed = [&](Bytes size, Nanoseconds age) {
    std::string names;
    for (const TraceFile& f : expired_traces(files, "/t/now", 400s, size, age)) names += f.path;
    return names;
  };
  CHECK(removed(Bytes{1000}, 1000s).empty());
  CHECK(removed(Bytes{1000}, 250s) == "/t/a");
  CHECK(removed(Bytes{120}, 1000s) == "/t/a/t/b");
  CHECK(removed(Bytes{1}, 1000s) == "/t/a/t/b/t/c");

  const test::TempTree tree;
  tree.file("rocktune-20260131T120000Z-1.sqlite", "12345");
  tree.file("rocktune-20260131T120000Z-1.sqlite-wal", "123");
  tree.file("notes.txt", "x");
  const auto listed = list_traces(tree.path());
  REQUIRE(listed);
  REQUIRE(listed->size() == 1);
  CHECK(listed->front().size == Bytes{8});
  REQUIRE(remove_trace(listed->front()));
  CHECK(list_traces(tree.path())->empty());
  CHECK(std::filesystem::exists(tree.path("notes.txt")));
  Log log;
  const auto refused = ensure_directory("/proc/nowhere/x", "traces", log);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("/proc/nowhere/x") != std::string::npos);
}

TEST_CASE("a run is old by a clock that goes, not by one that was set", "[daemon][trace]") {
  OldRun run;
  CHECK(run.look_after(0s, 0s));  // at the start nobody knows how the clock went
  SECTION("an hour later it is old") {
    CHECK_FALSE(run.look_after(1h, 1h));
  }
  SECTION("a jump makes nothing old, and is over at the look after it") {
    CHECK(run.look_after(1h, 1000h));
    CHECK_FALSE(run.look_after(1h, 1h));
  }
  SECTION("by size it goes at once") {
    run.config.trace_max_size = Bytes{1};
    CHECK_FALSE(run.look_after(1s, 1000h));
  }
  CHECK(std::filesystem::exists(run.writer.path()));
}

TEST_CASE("a trace that somebody removes under the daemon is a failure", "[daemon][trace]") {
  OldRun run;
  run.look_after(1h, 1h);
  CHECK(run.writer.failures() == 0);
  REQUIRE(std::filesystem::remove(run.writer.path()));
  run.look_after(1h, 1h);
  CHECK(run.writer.failures() == 1);
}

TEST_CASE("a trace leaves room on its disk", "[daemon][trace]") {
  CHECK(trace_reserve(8192_GiB).value == (1_GiB).value);
  CHECK(trace_reserve(20_GiB).value == (1_GiB).value);
  CHECK(trace_reserve(100_MiB).value == (5_MiB).value);
  CHECK(check_room("/t", DiskSpace{5_MiB, 100_MiB}));
  const auto full = check_room("/t", DiskSpace{4_MiB, 100_MiB});
  REQUIRE_FALSE(full);
  CHECK(full.error().message == "/t has 4 MiB free, and a trace leaves 5 MiB of its disk");
  const test::TempTree tree;
  CHECK(disk_space(tree.path())->all.value > 0);
  CHECK_FALSE(disk_space(tree.path("none")));
  CHECK(check_room(tree.path("none"), std::nullopt));  // who writes there is told what is wrong
}

TEST_CASE("a trace is not recorded while its disk has next to no room", "[daemon][trace]") {
  const test::TempTree tree;
  Instant now{Nanoseconds(1'700'000'000s), 1000s};
  Log log;
  REQUIRE(log.open("error", "stderr"));
  const Config config = *load_config({"", {}, {{"trace.directory", tree.path(), "test"}}});
  Bytes free = GENERATE(1_MiB, 6_MiB);  // when it begins
  Result<TraceWriter> made = TraceWriter::create(
      config, now, [&] { return now; }, log,
      [&](const std::string&) { return DiskSpace{free, 100_MiB}; });
  REQUIRE(made);
  const bool begun = free.value > (5_MiB).value;
  CHECK(TraceWriter::Step(*made).commit() == begun);
  CHECK(std::filesystem::exists(made->path()) == begun);
  free = 4_MiB;
  CHECK_FALSE(TraceWriter::Step(*made).commit());
  CHECK(made->failing().find("and a trace leaves 5 MiB") != std::string::npos);
  free = 50_MiB;
  now.tick += 1min;
  CHECK(TraceWriter::Step(*made).commit());
  CHECK(made->failing().empty());
}

TEST_CASE("a trace for which there is no room is begun once there is", "[daemon][trace]") {
  const test::TempTree tree;
  Instant now{Nanoseconds(1'700'000'000s), 1000s};
  Log log;
  REQUIRE(log.open("error", "stderr"));
  const Config config = *load_config({"", {}, {{"trace.directory", tree.path(), "test"}}});
  std::optional<TraceWriter> writer;
  {
    const tests::FullDisk full(1000);
    Result<TraceWriter> made = TraceWriter::create(config, now, [&] { return now; }, log);
    REQUIRE(made);
    writer.emplace(*std::move(made));
    CHECK_FALSE(TraceWriter::Step(*writer).commit());
  }
  CHECK_FALSE(TraceWriter::Step(*writer).commit());  // tried once a minute
  CHECK(writer->failures() == 2);
  CHECK_FALSE(std::filesystem::exists(writer->path()));
  now.tick += 1min;
  CHECK(TraceWriter::Step(*writer).commit());
  CHECK(std::filesystem::exists(writer->path()));
  CHECK(writer->failures() == 2);
}

TEST_CASE("a trace that another process has open is not removed", "[daemon][trace]") {
  OldRun run;
  run.config.trace_max_size = Bytes{1};
  const std::string theirs = run.tree.path("rocktune-20231104T000000Z-2.sqlite");
  {
    const OtherDaemon other(theirs);
    CHECK(is_open_elsewhere(theirs));
    CHECK_FALSE(run.look_after(1h, 1h));
    CHECK(std::filesystem::exists(theirs));
  }
  CHECK_FALSE(is_open_elsewhere(theirs));
  CHECK_FALSE(is_open_elsewhere(run.tree.path("none")));
  run.look_after(1h, 1h);
  CHECK_FALSE(std::filesystem::exists(theirs));
}
