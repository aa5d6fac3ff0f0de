#include "agent/own_statistics.h"

#include <latch>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

// One operation, the way RocksDB times it (util/stop_watch.h).
bool time_operation(OwnStatistics& statistics, std::uint32_t type, std::uint64_t microseconds) {
  if (!statistics.HistEnabledForType(type)) return false;
  statistics.reportTimeToHistogram(type, microseconds);
  return true;
}

rocksdb::HistogramData data_of(const OwnStatistics& statistics, std::uint32_t type) {
  rocksdb::HistogramData data;
  statistics.histogramData(type, &data);
  return data;
}

TEST_CASE("tickers are counted, set and reset") {
  OwnStatistics statistics;
  statistics.recordTick(rocksdb::BYTES_WRITTEN, 5);
  statistics.recordTick(rocksdb::BYTES_WRITTEN, 6);
  CHECK(statistics.getTickerCount(rocksdb::BYTES_WRITTEN) == 11);
  CHECK(statistics.getTickerCount(rocksdb::BYTES_READ) == 0);
  statistics.setTickerCount(rocksdb::BYTES_WRITTEN, 3);
  CHECK(statistics.getTickerCount(rocksdb::BYTES_WRITTEN) == 3);
  statistics.recordTick(rocksdb::BYTES_WRITTEN, 4);
  CHECK(statistics.getAndResetTickerCount(rocksdb::BYTES_WRITTEN) == 7);
  CHECK(statistics.getTickerCount(rocksdb::BYTES_WRITTEN) == 0);
  statistics.recordTick(rocksdb::BYTES_WRITTEN, 2);
  CHECK(statistics.Reset().ok());
  CHECK(statistics.getTickerCount(rocksdb::BYTES_WRITTEN) == 0);
}

TEST_CASE("what this version of RocksDB does not know is ignored") {
  OwnStatistics statistics;
  statistics.recordTick(rocksdb::TICKER_ENUM_MAX, 1);
  statistics.recordInHistogram(rocksdb::HISTOGRAM_ENUM_MAX, 1);
  CHECK(statistics.getTickerCount(rocksdb::TICKER_ENUM_MAX) == 0);
  CHECK_FALSE(statistics.HistEnabledForType(rocksdb::HISTOGRAM_ENUM_MAX));
  CHECK(data_of(statistics, rocksdb::HISTOGRAM_ENUM_MAX).count == 0);
}

TEST_CASE("no tick is lost among more threads than there are slots") {
  OwnStatistics statistics;
  constexpr int kThreads = kOwnedNumbers + 20;
  constexpr int kTicks = 2000;
  std::latch all_live(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      statistics.recordTick(rocksdb::BYTES_READ, 1);
      all_live.arrive_and_wait();
      for (int i = 1; i < kTicks; ++i) statistics.recordTick(rocksdb::BYTES_READ, 1);
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(statistics.getTickerCount(rocksdb::BYTES_READ) == kThreads * kTicks);
}

TEST_CASE("what a thread has counted stays when it ends and another one takes its slot") {
  OwnStatistics statistics;
  for (int t = 0; t < 300; ++t) {
    std::thread([&] {
      statistics.recordTick(rocksdb::BYTES_READ, 1);
      time_operation(statistics, rocksdb::DB_GET, 10);
    }).join();
  }
  CHECK(statistics.getTickerCount(rocksdb::BYTES_READ) == 300);
  CHECK(data_of(statistics, rocksdb::DB_GET).count == 300);
}

TEST_CASE("few operations are all measured, poll after poll") {
  OwnStatistics statistics;
  std::uint64_t expected = 0;
  for (int poll = 0; poll < 20; ++poll) {
    for (std::uint32_t i = 0; i < Thinning::kPerInterval; ++i) {
      REQUIRE(time_operation(statistics, rocksdb::DB_WRITE, i));
      ++expected;
    }
    CHECK(statistics.histograms().at("write").sum_us > 0);
    REQUIRE(data_of(statistics, rocksdb::DB_WRITE).count == expected);
  }
}

TEST_CASE("of many operations few are measured, and the summary stays right") {
  OwnStatistics statistics;
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> latency(3.0, 1.0);
  constexpr std::uint64_t kOperations = 1'000'000;
  std::vector<std::uint64_t> values;
  std::uint64_t measured = 0;
  double sum = 0;
  for (std::uint64_t i = 0; i < kOperations; ++i) {
    if (i % 50000 == 0) statistics.histograms();  // a poll
    values.push_back(static_cast<std::uint64_t>(latency(random)));
    sum += static_cast<double>(values.back());
    measured += time_operation(statistics, rocksdb::DB_GET, values.back()) ? 1 : 0;
  }
  CHECK(measured < kOperations / 20);
  const auto data = data_of(statistics, rocksdb::DB_GET);
  CHECK(std::abs(static_cast<double>(data.count) / kOperations - 1) < 0.01);
  CHECK(std::abs(static_cast<double>(data.sum) / sum - 1) < 0.03);
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return static_cast<double>(values[static_cast<std::size_t>(q * kOperations)]);
  };
  CHECK(data.percentile99 >= at(0.985));
  CHECK(data.percentile99 <= at(0.995) + 1);
  CHECK(data.median >= at(0.48));
  CHECK(data.median <= at(0.52) + 1);
}

TEST_CASE("levels turn off what they say") {
  OwnStatistics statistics;
  CHECK(statistics.get_stats_level() == rocksdb::kExceptDetailedTimers);
  statistics.set_stats_level(rocksdb::kExceptTimers);
  statistics.reportTimeToHistogram(rocksdb::DB_GET, 1);
  CHECK(data_of(statistics, rocksdb::DB_GET).count == 0);
  statistics.recordInHistogram(rocksdb::BYTES_PER_READ, 1);
  CHECK(data_of(statistics, rocksdb::BYTES_PER_READ).count == 1);
  statistics.set_stats_level(rocksdb::kDisableAll);
  statistics.recordInHistogram(rocksdb::BYTES_PER_READ, 1);
  statistics.recordTick(rocksdb::BYTES_READ, 1);
  CHECK(data_of(statistics, rocksdb::BYTES_PER_READ).count == 1);
  CHECK(statistics.getTickerCount(rocksdb::BYTES_READ) == 0);
}

TEST_CASE("the stats dump has a line for every ticker and histogram, as RocksDB writes it") {
  OwnStatistics statistics;
  const auto reference = rocksdb::CreateDBStatistics();
  for (rocksdb::Statistics* each :
       {static_cast<rocksdb::Statistics*>(&statistics), reference.get()}) {
    each->recordTick(rocksdb::BYTES_READ, 4711);
    for (int i = 0; i < 10; ++i)
      each->recordInHistogram(rocksdb::NUM_FILES_IN_SINGLE_COMPACTION, 4);
  }
  CHECK(statistics.ToString() == reference->ToString());
  CHECK(statistics.getHistogramString(rocksdb::NUM_FILES_IN_SINGLE_COMPACTION)
            .starts_with("Count: 10 Average: 4.0000"));
  CHECK(statistics.getHistogramString(rocksdb::DB_GET).empty());
}

TEST_CASE("RocksDB keeps no history of statistics for a host that has none") {
  OwnStatistics statistics;
  statistics.recordTick(rocksdb::BYTES_READ, 1);
  std::map<std::string, std::uint64_t> map;
  CHECK_FALSE(statistics.getTickerMap(&map));
  CHECK(map.empty());
}

TEST_CASE("a real database counts exactly and is timed by sample") {
  testing::TestDatabase host;
  auto* const statistics = WindowedStatistics::from(host.db->GetDBOptions().statistics.get());
  REQUIRE(statistics != nullptr);
  REQUIRE_FALSE(statistics->brought_by_host());
  constexpr std::uint64_t kReads = 100000;
  constexpr std::uint64_t kWrites = 500;
  for (std::uint64_t i = 0; i < kWrites; ++i) {
    REQUIRE(host.db->Put({}, std::to_string(i), "value").ok());
  }
  std::string value;
  for (std::uint64_t i = 0; i < kReads; ++i) {
    REQUIRE(host.db->Get({}, std::to_string(i % kWrites), &value).ok());
  }
  CHECK(statistics->getTickerCount(rocksdb::NUMBER_KEYS_READ) == kReads);
  CHECK(statistics->getTickerCount(rocksdb::NUMBER_KEYS_WRITTEN) == kWrites);
  rocksdb::HistogramData data;
  statistics->histogramData(rocksdb::DB_WRITE, &data);
  CHECK(data.count == kWrites);
  statistics->histogramData(rocksdb::DB_GET, &data);
  CHECK(std::abs(static_cast<double>(data.count) / kReads - 1) < 0.01);
  statistics->histogramData(rocksdb::BYTES_PER_READ, &data);
  CHECK(std::abs(static_cast<double>(data.count) / kReads - 1) < 0.01);
  CHECK(data.average == 5);
  std::string dump;
  REQUIRE(host.db->GetProperty("rocksdb.options-statistics", &dump));
  CHECK(dump.find("rocksdb.number.keys.read COUNT : 100000\n") != std::string::npos);
}

TEST_CASE("kept latencies and summaries are one thing, and threads may record at once") {
  OwnStatistics statistics;
  std::vector<std::thread> threads;
  std::atomic<bool> done{false};
  std::thread poller([&] {
    while (!done) {
      statistics.histograms();
      static_cast<void>(statistics.ToString());
      std::this_thread::yield();
    }
  });
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 20000; ++i) time_operation(statistics, rocksdb::DB_SEEK, 100);
    });
  }
  for (auto& thread : threads) thread.join();
  done = true;
  poller.join();
  const auto data = data_of(statistics, rocksdb::DB_SEEK);
  const auto seek = statistics.histograms().at("seek");
  REQUIRE(seek.buckets.size() == 1);
  CHECK(seek.buckets[0].count == data.count);
  CHECK(seek.sum_us == data.sum);
  CHECK(data.count > 78000);
  CHECK(data.count < 82000);
}

}  // namespace
}  // namespace rocktune::agent
