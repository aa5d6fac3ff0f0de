// Everything that a real, small RocksDB tells.
#include "agent/report.h"

#include <rocksdb/statistics.h>

#include <algorithm>

#include "agent/names.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;

struct ReportFixture {
  std::chrono::steady_clock::time_point now{1000s};
  std::chrono::steady_clock::time_point cpu{};
  std::chrono::milliseconds each_clock{0};    // what passes at each look at the clock
  std::chrono::milliseconds each_reading{0};  // CPU time that each look at its clock finds used
  testing::TestDatabase host;
  std::shared_ptr<Families> families;
  Report report;

  explicit ReportFixture(const rocksdb::DBOptions& options = {}, bool prepared = true)
      : host(options, prepared),
        families(std::make_shared<Families>(host.db.get(), host.handles, [this] { return now; })),
        report(
            host.db.get(), families, host.db->GetDBOptions().statistics,
            rocksdb::NewLRUCache(1 << 20), [this] { return now += each_clock; },
            [this] { return cpu += each_reading; }) {}

  void fill() {
    for (int i = 0; i < 200; ++i) {
      REQUIRE(host.db->Put({}, std::to_string(i), std::string(1000, 'v')).ok());
    }
    REQUIRE(host.db->Flush({}).ok());
    std::string value;
    for (int i = 0; i < 200; ++i) REQUIRE(host.db->Get({}, std::to_string(i), &value).ok());
  }
};

TEST_CASE("every ticker and histogram of the running version is there by its name") {
  ReportFixture f;
  f.fill();
  const auto report = f.report.take();
  CHECK(report.tickers.size() == rocksdb::TickersNameMap.size());
  CHECK(report.histograms.size() == rocksdb::HistogramsNameMap.size());
  CHECK(report.tickers.at("number.keys.written") == 200);
  const auto& gets = report.histograms.at("db.get.micros");
  CHECK(gets.count > 0);
  CHECK(gets.sum > 0);
  CHECK(gets.max >= gets.p99);
  CHECK(gets.p99 >= gets.p50);
  CHECK(report.histograms.at("db.seek.micros").count == 0);
}

TEST_CASE("properties are found in RocksDB's own header") {
  const auto& names = properties();
  CHECK(std::ranges::is_sorted(names));
  for (const char* const name :
       {"rocksdb.cfstats", "rocksdb.num-immutable-mem-table", "rocksdb.is-write-stopped",
        "rocksdb.estimate-table-readers-mem", "rocksdb.block-cache-pinned-usage"}) {
    INFO(name);
    CHECK(std::ranges::find(names, name) != names.end());
  }
}

TEST_CASE(
    "properties belong to the database or to a column family, and levels have their entries") {
  ReportFixture f;
  f.fill();
  const auto report = f.report.take();
  CHECK(report.left_out.empty());
  CHECK(report.properties.at("is-write-stopped") == 0);
  CHECK(report.properties.contains("num-running-compactions"));
  CHECK(report.maps.contains("dbstats"));
  CHECK(report.maps.contains("block-cache-entry-stats"));
  REQUIRE(report.column_families.size() == 2);
  const auto& family = report.column_families[0];
  CHECK(family.name == "default");
  CHECK(report.column_families[1].name == "second");
  CHECK(family.properties.size() > 20);
  CHECK(family.properties.at("total-sst-files-size") > 0);
  CHECK(family.properties.at("estimate-num-keys") == 200);
  CHECK_FALSE(family.properties.contains("is-write-stopped"));
  REQUIRE(family.levels.size() >= 2);
  CHECK(family.levels.front().first == "L0");
  CHECK(family.levels.back().first == "Sum");
  CHECK(std::stod(family.levels.front().second.at("NumFiles")) == 1.0);
  const auto& rest = family.maps.at("cfstats");
  CHECK_FALSE(rest.empty());
  for (const auto& [key, value] : rest) CHECK_FALSE(key.starts_with("compaction."));
}

TEST_CASE("memory is told by its parts") {
  ReportFixture f;
  f.fill();
  const auto report = f.report.take();
  CHECK(report.memory.at("block_cache_capacity_bytes") == 1 << 20);
  CHECK(report.memory.contains("block_cache_usage_bytes"));
  CHECK(report.memory.contains("block_cache_pinned_bytes"));
  CHECK(report.memory.at("memtables_bytes") > 0);
  CHECK(report.memory.at("memtables_and_pinned_ones_bytes") >= report.memory.at("memtables_bytes"));
  CHECK(report.memory.at("table_readers_bytes") > 0);
}

// A HyperClock cache visits every block for it, and RocksDB asks it under the DB mutex.
TEST_CASE("what is pinned is asked of the cache only, not at the attach, and left alone if slow") {
  ReportFixture f;
  f.each_reading = 11ms;
  f.report.rehearse();
  f.each_reading = 0ms;
  auto report = f.report.take();
  CHECK(std::ranges::count(report.left_out, "cfstats: took too long, and is left alone") == 1);
  CHECK(report.memory.contains("block_cache_pinned_bytes"));
  f.now += 10min;
  report = f.report.take();
  CHECK(report.left_out.empty());
  CHECK_FALSE(report.column_families.at(0).properties.contains("block-cache-pinned-usage"));
  CHECK_FALSE(report.column_families.at(0).properties.contains("blob-cache-pinned-usage"));
  f.each_reading = 11ms;
  f.report.take();
  CHECK_FALSE(f.report.take().memory.contains("block_cache_pinned_bytes"));
}

TEST_CASE("figures follow from the same tickers") {
  ReportFixture f;
  f.fill();
  const auto report = f.report.take();
  for (const auto& derived : report.derived) {
    INFO(derived.name);
    CHECK_THAT(derived.reason, !Catch::Matchers::StartsWith("not counted"));  // its tickers exist
    for (const auto& [name, value] : derived.inputs) CHECK(report.tickers.at(name) == value);
    if (derived.name != "write_amplification") continue;
    REQUIRE(derived.value);
    CHECK(*derived.value > 0);
  }
}

TEST_CASE("without statistics the rest is told, and what is missing is said") {
  ReportFixture f({}, false);
  const auto report = f.report.take();
  CHECK(report.tickers.empty());
  CHECK(report.histograms.empty());
  CHECK(report.left_out ==
        std::vector<std::string>{"tickers and histograms: the database has no Statistics"});
  CHECK_FALSE(report.column_families.empty());
  for (const auto& derived : report.derived) CHECK_FALSE(derived.value);
}

TEST_CASE("a level that turns statistics off is said") {
  ReportFixture f;
  f.host.db->GetDBOptions().statistics->set_stats_level(
      rocksdb::StatsLevel::kExceptHistogramOrTimers);
  auto report = f.report.take();
  CHECK_FALSE(report.tickers.empty());
  CHECK(report.histograms.empty());
  CHECK(report.left_out.size() == 1);
  f.host.db->GetDBOptions().statistics->set_stats_level(rocksdb::StatsLevel::kDisableAll);
  report = f.report.take();
  CHECK(report.tickers.empty());
  CHECK(report.left_out.size() == 2);
}

TEST_CASE("a property that took too long is left alone for ten minutes") {
  ReportFixture f;
  f.each_reading = 11ms;
  f.report.take();
  f.each_reading = 0ms;
  auto report = f.report.take();
  CHECK(report.properties.empty());
  CHECK_FALSE(report.left_out.empty());
  CHECK(std::ranges::count(report.left_out, "is-write-stopped: took too long, and is left alone") ==
        1);
  CHECK(std::ranges::count(report.left_out, "cfstats: took too long, and is left alone") == 1);
  f.now += 10min;
  report = f.report.take();
  CHECK(report.left_out.empty());
  CHECK(report.properties.contains("is-write-stopped"));
}

TEST_CASE("an answer that takes too long ends with what it has") {
  ReportFixture f;
  f.each_clock = 100ms;
  const auto report = f.report.take();
  CHECK(report.column_families.empty());
  CHECK(std::ranges::count(report.left_out,
                           "column family 'second': the time for one answer was used up") == 1);
}

TEST_CASE("a forgotten handle is not used") {
  ReportFixture f;
  f.families->forget(f.host.handles[1]);
  f.host.destroy_handle(1);
  CHECK(f.report.take().column_families.size() == 1);
}

}  // namespace
}  // namespace rocktune::agent
