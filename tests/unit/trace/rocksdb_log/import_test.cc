// From LOG files to a trace, read back.
#include "trace/rocksdb_log/import.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "log_text.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "trace/reader.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;
using rocktune::trace::Reader;
using rocktune::trace::RecordedStep;
using rocktune::trace::rocksdb_log::test::LogText;

namespace {

bool go_on(std::uint64_t /*done*/, std::uint64_t /*all*/) {
  return true;
}

std::vector<RecordedStep> steps_of(const std::string& path) {
  auto reader = Reader::open(path);
  REQUIRE(reader);
  auto steps = reader->steps(1);
  REQUIRE(steps);
  std::vector<RecordedStep> all;
  while (true) {
    auto step = steps->next();
    REQUIRE(step);
    if (!*step) return all;
    all.push_back(std::move(**step));
  }
}

std::size_t files_in(const tests::TempDirectory& directory) {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(Iterator(directory.path()), Iterator()));
}

LogText one_flush() {
  LogText log;
  log.header(0, "6.11.0", "2e9619b3");
  log.flush(2.1, 2, 7, 1000, 1);
  log.line(5.5, "[db/db_impl/db_impl.cc:496] Shutdown: canceling all background work");
  return log;
}

}  // namespace

TEST_CASE("A LOG becomes a sample a second") {
  const tests::TempDirectory directory;
  ImportRequest request;
  request.source = directory.write("LOG", one_flush().text());
  request.output = directory.file("out.sqlite");
  request.version = "1.2.3";
  const auto qps = directory.write("qps.csv", "secs,qps\n1,10\n2,20\n3,30\n4,40\n5,50\n");
  request.sides.push_back(*parse_side_spec(qps + ":time=secs,keys_written=rate(qps)"));
  const auto summary = import_log(request, go_on);
  REQUIRE(summary);
  CHECK(summary->samples == 5);
  CHECK(summary->versions == std::vector<std::string>{"6.11.0"});
  CHECK(summary->events.at("flush_end") == 1);
  CHECK_FALSE(summary->absent.empty());

  const auto steps = steps_of(request.output);
  REQUIRE(steps.size() == 5);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Sample& sample = steps[i].sample;
    CHECK(sample.sequence == i + 1);
    // The LOG's zone is two hours ahead of UTC.
    CHECK(sample.at.wall ==
          Nanoseconds((LogText::kStart + 1'000'000 * std::int64_t(i + 1)) * 1000));
    CHECK(sample.incarnation == "log:2e9619b3");
    REQUIRE(sample.database);
    CHECK_FALSE(sample.database->read_latency);
    CHECK_FALSE(sample.device);
    CHECK(sample.database->keys_written == std::vector{10u, 30u, 60u, 100u, 150u}[i]);
    CHECK(sample.database->column_families.at(0).levels.at(0).files == (i < 2 ? 0u : 1u));
  }
  CHECK(steps[2].events.size() == 2);
  CHECK(steps[1].sample.at.tick - steps[0].sample.at.tick == std::chrono::seconds(1));

  auto reader = Reader::open(request.output);
  REQUIRE(reader);
  CHECK(reader->run().daemon_version == "1.2.3 from a RocksDB LOG");
  const auto targets = reader->targets();
  REQUIRE(targets);
  CHECK(targets->at(0).info.path == "/data/db");
  CHECK(targets->at(0).incarnations.at(0).rocksdb_version == "6.11.0");
}

TEST_CASE("Jobs that other options override say so") {
  const tests::TempDirectory directory;
  for (const char* compactions : {"-1", "3"}) {
    LogText log = one_flush();
    log.line(2, "[db/db_impl/db_impl.cc:1] SetDBOptions() succeeded");
    log.line(2, std::string("     Options.max_background_compactions: ") + compactions);
    log.flush(6, 3, 8, 1000, 1);
    ImportRequest request;
    request.source = directory.write("LOG", log.text());
    request.output = directory.file(std::string("out") + compactions + ".sqlite");
    REQUIRE(import_log(request, go_on));
    const auto steps = steps_of(request.output);
    const KnobReading* jobs = steps.back().sample.knobs.find("max_background_jobs", "");
    REQUIRE(jobs != nullptr);
    const bool told = jobs->reason.find("max_background_compactions") != std::string::npos;
    CHECK(told == (compactions[0] != '-'));
    CHECK(steps.back().sample.knobs.find("delayed_write_rate", "")->reason.find("override") ==
          std::string::npos);
  }
}

TEST_CASE("What a LOG without its header does not tell is not taken for absent") {
  for (const bool header : {true, false}) {
    INFO("header " << header);
    const tests::TempDirectory directory;
    LogText log;
    if (header) log.header(0, "6.11.0", "2e9619b3");
    log.flush(2.1, 2, 7, 1000, 1);
    log.flush(5.1, 3, 8, 1000, 2);
    ImportRequest request;
    request.source = directory.write("LOG", log.text());
    request.output = directory.file("out.sqlite");
    REQUIRE(import_log(request, go_on));
    auto reader = Reader::open(request.output);
    REQUIRE(reader);
    const auto targets = reader->targets();
    REQUIRE(targets);
    CHECK(targets->at(0).incarnations.at(0).statistics == (header ? "host" : ""));
    CHECK(targets->at(0).incarnations.at(0).limiter == (header ? "none" : ""));
  }
}

TEST_CASE("Rotated files are read in their order; another open is another incarnation") {
  const tests::TempDirectory directory;
  const tests::TempDirectory out;
  (void)directory.write("LOG.old.1709287206000000", one_flush().text());
  LogText second;
  second.header(10.2, "6.11.0", "another", 1);
  second.flush(12, 2, 9, 1000, 2);
  (void)directory.write("LOG", second.text());
  ImportRequest request;
  request.source = directory.path().string();
  request.output = out.file("out.sqlite");
  request.name = "mine";
  const auto summary = import_log(request, go_on);
  REQUIRE(summary);
  CHECK(summary->sessions == 2);
  const auto steps = steps_of(request.output);
  REQUIRE(steps.size() == 8);
  CHECK(steps[4].sample.sequence == 5);
  CHECK(steps[5].sample.sequence == 11);  // closed in between
  CHECK(steps[5].sample.incarnation == "log:another");
  CHECK(steps[7].sample.database->column_families.at(0).levels.at(0).files == 2);
}

TEST_CASE("A long silence is a gap, not a database at rest") {
  const tests::TempDirectory directory;
  LogText log;
  log.header(0, "6.11.0", "2e9619b3");
  log.flush(2, 2, 7, 1000, 1);
  log.flush(2 + 2 * 3600, 3, 8, 1000, 2);
  ImportRequest request;
  request.source = directory.write("LOG", log.text());
  request.output = directory.file("out.sqlite");
  REQUIRE(import_log(request, go_on));
  const auto steps = steps_of(request.output);
  CHECK(steps.size() < 10);
  CHECK(steps.back().sample.sequence == 7203);
}

TEST_CASE("A database at rest, whose dumps alone go on, keeps its times") {
  const tests::TempDirectory directory;
  LogText log;
  log.header(0, "6.11.0", "2e9619b3");
  log.flush(2, 2, 7, 1000, 1);
  for (int i = 1; i <= 24; ++i) {
    log.line(600 * i, "[db/db_impl/db_impl.cc:1] ------- DUMPING STATS -------");
  }
  ImportRequest request;
  request.source = directory.write("LOG", log.text());
  request.output = directory.file("out.sqlite");
  request.interval = std::chrono::minutes(1);
  const auto summary = import_log(request, go_on);
  REQUIRE(summary);
  CHECK(summary->set_backs == 0);
  CHECK(summary->samples == 240);
  CHECK(summary->last == Micros(LogText::at(600 * 24)));
}

TEST_CASE("Dumps that come once an hour are no summer time") {
  const tests::TempDirectory directory;
  LogText log;
  log.header(0, "6.11.0", "2e9619b3");
  log.flush(2, 2, 7, 1000, 1);
  for (int i = 1; i <= 6; ++i) {
    log.line(3600 * i, "[db/db_impl/db_impl.cc:1] ------- DUMPING STATS -------");
  }
  log.flush(3600 * 6 + 60, 3, 8, 1000, 2);
  ImportRequest request;
  request.source = directory.write("LOG", log.text());
  request.output = directory.file("out.sqlite");
  request.interval = std::chrono::minutes(1);
  const auto summary = import_log(request, go_on);
  REQUIRE(summary);
  CHECK(summary->set_backs == 0);
  const Micros last(LogText::at(3600 * 6 + 60));
  CHECK((summary->last >= last && summary->last - last <= request.interval));
  // No hour without a sample but the first, whose dump might have been the end of summer time.
  Nanoseconds before{0}, longest{0};
  for (const auto& step : steps_of(request.output)) {
    if (before.count() > 0) longest = std::max(longest, step.sample.at.wall - before);
    before = step.sample.at.wall;
  }
  CHECK(longest <= std::chrono::hours(2));
}

TEST_CASE("A clock that is set back does not stop the trace") {
  const tests::TempDirectory directory;
  LogText log;
  log.header(3600, "6.11.0", "2e9619b3");
  log.flush(3602, 2, 7, 1000, 1);
  log.flush(2, 3, 8, 1000, 2);  // an hour earlier
  log.flush(6, 4, 9, 1000, 3);
  ImportRequest request;
  request.source = directory.write("LOG", log.text());
  request.output = directory.file("out.sqlite");
  REQUIRE(import_log(request, go_on));
  const auto steps = steps_of(request.output);
  REQUIRE(steps.size() >= 2);
  CHECK(steps.size() < 20);
  CHECK(steps.back().sample.database->column_families.at(0).levels.at(0).files == 3);
}

TEST_CASE("What cannot be imported leaves nothing behind") {
  const tests::TempDirectory directory;
  ImportRequest request;
  request.output = directory.file("out.sqlite");

  request.source = directory.write("notes.txt", std::string("no LOG\n\0\x01\xff", 10));
  auto failed = import_log(request, go_on);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kCorrupt);

  std::string many = one_flush().text();
  for (int i = 0; i < 3000; ++i) many += "more\n";
  request.source = directory.write("LOG", many);
  failed = import_log(request, [](std::uint64_t, std::uint64_t) { return false; });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kUnavailable);
  CHECK(files_in(directory) == 2);

  (void)directory.write("out.sqlite", "mine");
  failed = import_log(request, go_on);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kConflict);
  CHECK(std::filesystem::file_size(request.output) == 4);
}

TEST_CASE("--force replaces an empty file or a trace, and no source") {
  const tests::TempDirectory directory;
  ImportRequest request;
  request.source = directory.write("LOG", one_flush().text());
  request.replace = true;
  const auto refused = [&](ErrorCode code, const std::string& why) {
    const auto failed = import_log(request, go_on);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == code);
    INFO(failed.error().message);
    CHECK(failed.error().message.find(why) != std::string::npos);
  };
  request.output = directory.write("out.sqlite", "mine");
  refused(ErrorCode::kConflict, "is no rocktune trace");
  request.output = request.source;
  refused(ErrorCode::kInvalidArgument, "which is read");
  request.output = directory.file("link");
  std::filesystem::create_hard_link(request.source, request.output);
  refused(ErrorCode::kInvalidArgument, "which is read");
  const auto side = directory.write("qps.csv", "");
  request.sides.push_back(*parse_side_spec(side + ":time=secs,keys_written=qps"));
  request.output = side;
  refused(ErrorCode::kInvalidArgument, "which is read");
  request.sides.clear();
  request.output = directory.file("symlink");
  std::filesystem::create_symlink(directory.file("elsewhere"), request.output);
  refused(ErrorCode::kInvalidArgument, "is no regular file");
  CHECK(std::filesystem::file_size(request.source) == one_flush().text().size());

  request.output = directory.write("empty", "");
  CHECK(import_log(request, go_on));
  CHECK(import_log(request, go_on));  // over the trace that is there now
  CHECK(steps_of(request.output).size() == 5);
  (void)directory.write("empty-wal", "what a killed process left");
  refused(ErrorCode::kConflict, "empty-wal exists");
}

TEST_CASE("A pipe is refused, not read in part") {
  const tests::TempDirectory directory;
  ImportRequest request;
  request.source = directory.file("pipe");
  request.output = directory.file("out.sqlite");
  REQUIRE(::mkfifo(request.source.c_str(), 0600) == 0);
  const auto failed = import_log(request, go_on);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kInvalidArgument);
  CHECK(failed.error().message.find("is no regular file") != std::string::npos);
}

TEST_CASE("An import is stopped also between two lines") {
  const tests::TempDirectory directory;
  ImportRequest request;
  LogText log;
  log.header(0, "6.11.0", "2e9619b3");
  log.flush(2, 2, 7, 1000, 1);
  log.flush(3000, 3, 8, 1000, 2);
  request.source = directory.write("LOG", log.text());
  request.output = directory.file("out.sqlite");
  int asked = 0;
  const auto failed =
      import_log(request, [&](std::uint64_t, std::uint64_t) { return ++asked < 4; });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kUnavailable);
  CHECK(files_in(directory) == 1);
}

TEST_CASE("A clock that is set back again and again leads to no time that cannot be") {
  const tests::TempDirectory directory;
  std::string text = one_flush().text().substr(0, one_flush().text().rfind("2024/"));
  const std::string what = " 1 [default] Level summary: files[1 0 0 0 0 0 0] max score 0\n";
  for (int i = 0; i < 60; ++i) {
    for (const char* day : {"2190/01/01", "2011/01/01"}) {
      text += std::string(day) + "-00:00:01.000000" + what + day + "-00:00:02.000000" + what;
    }
  }
  ImportRequest request;
  request.source = directory.write("LOG", text);
  request.output = directory.file("out.sqlite");
  const auto summary = import_log(request, go_on);
  REQUIRE(summary);
  CHECK(summary->set_backs > 0);
  REQUIRE(summary->damage.size() == 1);
  CHECK(summary->damage[0].find("after 2250") != std::string::npos);
  for (const RecordedStep& step : steps_of(request.output)) {
    CHECK(step.sample.at.tick.count() > 0);
    CHECK(step.sample.at.wall.count() > 0);
  }
}

TEST_CASE("However many dumps come between two samples, all are kept") {
  const tests::TempDirectory directory;
  LogText log;
  log.header(0, "6.11.0", "2e9619b3");
  log.flush(2, 2, 7, 1000, 1);
  for (int i = 0; i < 100; ++i) {
    log.line(3, "[db/db_impl/db_impl.cc:1] ------- DUMPING STATS -------");
    log.raw("Uptime(secs): 3.0 total, 3.0 interval\n");
  }
  log.flush(6, 3, 8, 1000, 2);
  ImportRequest request;
  request.source = directory.write("LOG", log.text());
  request.output = directory.file("out.sqlite");
  REQUIRE(import_log(request, go_on));
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(request.output.c_str(), &file) == SQLITE_OK);
  const char* dumps = "SELECT count(*) FROM events WHERE kind = 'stats_dump'";
  std::string count;
  REQUIRE(sqlite3_exec(
              file, dumps,
              [](void* to, int, char** values, char**) {
                *static_cast<std::string*>(to) = values[0];
                return 0;
              },
              &count, nullptr) == SQLITE_OK);
  sqlite3_close(file);
  CHECK(count == "100");
}

TEST_CASE("A side CSV that is cut in the middle of its gzip data is reported") {
  const tests::TempDirectory directory;
  const auto side = directory.file("qps.csv.gz");
  gzFile file = gzopen(side.c_str(), "wb");
  REQUIRE(gzputs(file, "secs,qps\n1,10\n2,20\n3,30\n4,40\n5,50\n") > 0);
  REQUIRE(gzclose(file) == Z_OK);
  std::filesystem::resize_file(side, std::filesystem::file_size(side) - 9);
  ImportRequest request;
  request.source = directory.write("LOG", one_flush().text());
  request.output = directory.file("out.sqlite");
  request.sides.push_back(*parse_side_spec(side + ":time=secs,keys_written=rate(qps)"));
  const auto summary = import_log(request, go_on);
  REQUIRE(summary);
  REQUIRE_FALSE(summary->damage.empty());
  CHECK(summary->damage[0].find("qps.csv.gz is read in part") != std::string::npos);
}

TEST_CASE("What a killed import left is removed by the next one to the same place") {
  const tests::TempDirectory directory;
  ImportRequest request;
  request.source = directory.write("LOG", one_flush().text());
  request.output = directory.file("out.sqlite");
  const std::string gone = ".out.sqlite.importing-2147483000";  // above every kernel.pid_max
  const std::string runs = ".out.sqlite.importing-" + std::to_string(::getppid());
  for (const std::string& name :
       {gone, gone + "-wal", runs, std::string(".other.importing-2147483000")}) {
    CHECK_FALSE(directory.write(name, "half a trace").empty());
  }
  REQUIRE(import_log(request, go_on));
  CHECK_FALSE(std::filesystem::exists(directory.file(gone)));
  CHECK_FALSE(std::filesystem::exists(directory.file(gone + "-wal")));
  CHECK(std::filesystem::exists(directory.file(runs)));
  CHECK(files_in(directory) == 4);  // the LOG, the trace, and what is none of its business
}
