// Openings of a database in a LOG, and the time between them.
#include "log_text.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "trace/reader.h"
#include "trace/rocksdb_log/import.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;
using rocktune::trace::Reader;
using rocktune::trace::rocksdb_log::test::LogText;

namespace {

struct Grid {
  std::uint64_t sequence = 0;
  std::string incarnation;
  bool operator==(const Grid&) const = default;
};

std::vector<Grid> imported(const std::string& text) {
  const tests::TempDirectory directory;
  ImportRequest request;
  request.source = directory.write("LOG", text);
  request.output = directory.file("out.sqlite");
  REQUIRE(import_log(request, [](std::uint64_t, std::uint64_t) { return true; }));
  auto reader = Reader::open(request.output);
  REQUIRE(reader);
  auto steps = reader->steps(1);
  REQUIRE(steps);
  std::vector<Grid> all;
  while (true) {
    const auto step = steps->next();
    REQUIRE(step);
    if (!*step) return all;
    all.push_back({(*step)->sample.sequence, (*step)->sample.incarnation});
  }
}

}  // namespace

TEST_CASE("A database that crashed is not sampled until it is opened again") {
  for (const bool told : {true, false}) {  // ids of sessions: since 6.12
    INFO(told);
    const std::string version = told ? "7.8.3" : "6.11.0";
    LogText log;
    log.header(0, version, told ? "first" : "");
    log.flush(2.1, 2, 7, 1000, 1);
    log.header(1800.5, version, told ? "second" : "", 1);
    log.flush(1802.1, 2, 9, 1000, 2);
    const auto grid = imported(log.text());
    REQUIRE(grid.size() == 5);
    CHECK(grid[1] == Grid{2, told ? "log:first" : "log:1"});
    CHECK(grid[2] == Grid{1801, told ? "log:second" : "log:2"});
    CHECK(grid[4] == Grid{1803, told ? "log:second" : "log:2"});
  }
}

TEST_CASE("A LOG that rolls while the database rests leaves no gap") {
  for (const bool told : {true, false}) {
    INFO(told);
    const std::string version = told ? "7.8.3" : "6.11.0";
    LogText log;
    log.header(0, version, told ? "first" : "");
    log.flush(2.1, 2, 7, 1000, 1);
    log.rolled(60.5, version, told ? "first" : "");
    log.flush(62.1, 3, 9, 1000, 2);
    const auto grid = imported(log.text());
    REQUIRE(grid.size() == 63);
    CHECK(grid[62] == Grid{63, told ? "log:first" : "log:1"});
  }
}
