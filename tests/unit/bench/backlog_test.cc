#include "scenario/workload/backlog.h"

#include <atomic>
#include <string>

#include "bench/cli/temporary.h"
#include "bench/host/database.h"
#include "bench/run/load.h"
#include "scenario/workload/workload.h"
#include "tests/support/catch.h"

namespace rocktune::bench {
namespace {

// RocksDB as installed is not instrumented: what its threads hand each other looks like a race.
#ifdef __SANITIZE_THREAD__
constexpr bool kThreadsAreSeen = false;
#else
constexpr bool kThreadsAreSeen = true;
#endif

const std::string kPhases = "phases: [{name: run, seconds: 1, workload: A}]\n";

// Files of 256 KiB, levels of 1 MiB times 10.
OpenSettings small_database(const std::string& path) {
  OpenSettings settings{path, {}};
  settings.agent = false;
  settings.configuration.write_buffer_bytes = 256 << 10;
  settings.configuration.target_file_bytes = 256 << 10;
  settings.configuration.max_bytes_for_level_base = 1 << 20;
  return settings;
}

std::uint64_t level0_files(Database& database) {
  std::string files;
  REQUIRE(database.db().GetProperty(rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &files));
  return std::stoull(files);
}

struct Tree {
  std::uint64_t level0_files = 0;
  std::uint64_t pending_bytes = 0;
};

// Loads 6 MiB, and looks at the tree after the database was closed and opened again.
Tree tree_after_load(const std::string& backlog) {
  const auto workload =
      scenario::parse_workload(backlog + "records: 6000\nthreads: 2\n" + kPhases, "w.yaml");
  REQUIRE(workload);
  const auto directory = TemporaryDirectory::create("rocktune-test");
  REQUIRE(directory);
  OpenSettings settings = small_database(directory->path() + "/db");
  settings.compactions = workload->backlog.level0_files == 0;
  const std::atomic<bool> stop{false};
  {
    auto database = Database::open(settings);
    REQUIRE(database);
    REQUIRE(load_records(**database, *workload, stop, [](auto&&...) {}));
  }
  auto database = Database::open(settings);
  REQUIRE(database);
  const auto loaded = read_loaded(**database);
  REQUIRE(loaded);
  CHECK(*loaded == load_of(*workload));
  return {level0_files(**database), (*database)->read_gauges().pending_compaction_bytes};
}

}  // namespace

TEST_CASE("a workload says what its load leaves", "[bench][workload]") {
  const auto none = scenario::parse_workload(kPhases, "w.yaml");
  REQUIRE(none);
  CHECK(none->backlog == scenario::Backlog{0});
  CHECK(scenario::backlog_text(none->backlog).empty());
  const auto some = scenario::parse_workload("backlog: {level0_files: 8}\n" + kPhases, "w.yaml");
  REQUIRE(some);
  CHECK(some->backlog == scenario::Backlog{8});
  CHECK(scenario::backlog_text(some->backlog) == ", leaving 8 files in level 0");
  CHECK(load_of(*some) != load_of(*none));
}

TEST_CASE("a backlog that cannot be made is refused", "[bench][workload]") {
  const auto wrong =
      scenario::parse_workload("backlog: {level0_files: -1, files: 3}\n" + kPhases, "w.yaml");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message ==
        "w.yaml:1:25: backlog.level0_files: -1 is out of range: give 0 to 1000\n"
        "w.yaml:1:29: backlog.files: is not known here; known: level0_files");
  const auto families = scenario::parse_workload(
      "backlog: {level0_files: 1}\n"
      "families: [{name: a, share: 0.5}, {name: b, share: 0.5}]\n" +
          kPhases,
      "w.yaml");
  REQUIRE_FALSE(families);
  CHECK(families.error().message ==
        "w.yaml:1:10: backlog: level0_files needs a workload of one column family");
}

TEST_CASE("a load leaves just its backlog", "[bench][load]") {
  if (!kThreadsAreSeen) {
    WARN("not run under ThreadSanitizer, which does not see into RocksDB");
    return;
  }
  const Tree settled = tree_after_load("");
  CHECK(settled.level0_files < 4);  // that start no compaction
  CHECK(settled.pending_bytes == 0);
  const Tree files = tree_after_load("backlog: {level0_files: 30}\n");
  CHECK(files.level0_files >= 30 + 1);
  CHECK(files.level0_files <= 30 + 4);
}

}  // namespace rocktune::bench
