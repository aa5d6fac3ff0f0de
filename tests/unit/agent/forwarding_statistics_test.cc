#include "agent/forwarding_statistics.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using rocksdb::StatsLevel;

struct ForwardingSetup {
  std::shared_ptr<rocksdb::Statistics> inner = rocksdb::CreateDBStatistics();
  ForwardingStatistics outer{inner};
};

std::uint64_t count_of(WindowedStatistics& statistics, const std::string& name) {
  const auto all = statistics.histograms();
  std::uint64_t count = 0;
  if (const auto it = all.find(name); it != all.end()) {
    for (const auto& bucket : it->second.buckets) count += bucket.count;
  }
  return count;
}

TEST_CASE("the host's object sees every call") {
  ForwardingSetup s;
  s.outer.recordTick(rocksdb::BYTES_WRITTEN, 5);
  s.outer.recordTick(rocksdb::BYTES_WRITTEN, 6);
  CHECK(s.inner->getTickerCount(rocksdb::BYTES_WRITTEN) == 11);
  CHECK(s.outer.getTickerCount(rocksdb::BYTES_WRITTEN) == 11);
  s.outer.setTickerCount(rocksdb::BYTES_READ, 3);
  CHECK(s.outer.getAndResetTickerCount(rocksdb::BYTES_READ) == 3);
  CHECK(s.inner->getTickerCount(rocksdb::BYTES_READ) == 0);

  s.outer.recordInHistogram(rocksdb::DB_GET, 100);
  s.outer.reportTimeToHistogram(rocksdb::DB_GET, 200);
  s.outer.recordInHistogram(rocksdb::BYTES_PER_READ, 300);
  rocksdb::HistogramData data;
  s.inner->histogramData(rocksdb::DB_GET, &data);
  CHECK(data.count == 2);
  CHECK(data.max == 200);
  s.outer.histogramData(rocksdb::BYTES_PER_READ, &data);
  CHECK(data.count == 1);
  CHECK(s.outer.getHistogramString(rocksdb::DB_GET) ==
        s.inner->getHistogramString(rocksdb::DB_GET));
  CHECK(s.outer.ToString() == s.inner->ToString());
  std::map<std::string, std::uint64_t> map;
  CHECK(s.outer.getTickerMap(&map));
  CHECK(map.at("rocksdb.bytes.written") == 11);
  CHECK(s.outer.HistEnabledForType(rocksdb::DB_GET));
}

TEST_CASE("the five latencies are kept, and a reset does not touch them") {
  ForwardingSetup s;
  s.outer.reportTimeToHistogram(rocksdb::DB_GET, 1);
  s.outer.reportTimeToHistogram(rocksdb::DB_WRITE, 2);
  s.outer.reportTimeToHistogram(rocksdb::DB_SEEK, 3);
  s.outer.reportTimeToHistogram(rocksdb::DB_MULTIGET, 4);
  s.outer.recordInHistogram(rocksdb::WRITE_STALL, 5);
  s.outer.recordInHistogram(rocksdb::COMPACTION_TIME, 6);
  const auto all = s.outer.histograms();
  CHECK(all.size() == 5);
  std::uint64_t expected = 1;
  for (const char* name : {"get", "write", "seek", "multiget", "write_stall"}) {
    REQUIRE(all.at(name).buckets.size() == 1);
    CHECK(all.at(name).buckets[0] == wire::Histogram::Bucket{expected, expected + 1, 1});
    CHECK(all.at(name).sum_us == expected++);
  }
  CHECK(s.outer.Reset().ok());
  rocksdb::HistogramData data;
  s.inner->histogramData(rocksdb::DB_GET, &data);
  CHECK(data.count == 0);
  CHECK(count_of(s.outer, "get") == 1);
}

TEST_CASE("the level is kept in step, whichever side is changed") {
  ForwardingSetup s;
  s.inner->set_stats_level(StatsLevel::kExceptTimers);
  CHECK(s.outer.HistEnabledForType(rocksdb::DB_GET));
  CHECK(s.outer.get_stats_level() == StatsLevel::kExceptTimers);
  s.outer.set_stats_level(StatsLevel::kAll);
  CHECK(s.outer.HistEnabledForType(rocksdb::DB_GET));
  CHECK(s.inner->get_stats_level() == StatsLevel::kAll);
  s.inner->set_stats_level(StatsLevel::kDisableAll);
  s.outer.keep_level_in_step();
  CHECK(s.outer.get_stats_level() == StatsLevel::kDisableAll);
}

TEST_CASE("a level that the host changes under load stays what the host made it") {
  ForwardingSetup s;
  std::atomic<bool> stop{false};
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) {
    users.emplace_back([&] {
      while (!stop) s.outer.HistEnabledForType(rocksdb::DB_GET);
    });
  }
  int lost = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto level = i % 2 == 0 ? StatsLevel::kExceptTimers : StatsLevel::kAll;
    s.inner->set_stats_level(level);
    for (int spin = 0; spin < 1000 && s.outer.get_stats_level() != level; ++spin) {
      std::this_thread::yield();
    }
    if (s.inner->get_stats_level() != level) ++lost;
  }
  stop = true;
  for (auto& user : users) user.join();
  CHECK(lost == 0);
}

TEST_CASE("nothing is kept at a level that does not measure") {
  ForwardingSetup s;
  s.inner->set_stats_level(StatsLevel::kExceptTimers);
  s.outer.keep_level_in_step();
  s.outer.reportTimeToHistogram(rocksdb::DB_GET, 1);
  CHECK(count_of(s.outer, "get") == 0);
  s.outer.recordInHistogram(rocksdb::WRITE_STALL, 1);
  CHECK(count_of(s.outer, "write_stall") == 1);

  ForwardingSetup off;
  off.inner->set_stats_level(StatsLevel::kExceptHistogramOrTimers);
  off.outer.keep_level_in_step();
  off.outer.recordInHistogram(rocksdb::WRITE_STALL, 1);
  CHECK(off.outer.histograms().empty());
}

TEST_CASE("of many operations the host's object gets all, and the intervals an estimate") {
  ForwardingSetup s;
  constexpr std::uint64_t kOperations = 200000;
  s.outer.histograms();
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < kOperations; ++i) {
    s.outer.reportTimeToHistogram(rocksdb::DB_GET, i % 64);
    sum += i % 64;
  }
  rocksdb::HistogramData data;
  s.inner->histogramData(rocksdb::DB_GET, &data);
  CHECK(data.count == kOperations);
  CHECK(data.sum == sum);
  CHECK(count_of(s.outer, "get") > kOperations * 99 / 100);
  CHECK(count_of(s.outer, "get") < kOperations * 101 / 100);
}

TEST_CASE("of an object that databases share each counts its own, from the second one on") {
  const std::shared_ptr<rocksdb::Statistics> inner = rocksdb::CreateDBStatistics();
  const auto first = ForwardingStatistics::around(inner);
  first->recordTick(rocksdb::BYTES_WRITTEN, 100);
  ForwardingStatistics::around(rocksdb::CreateDBStatistics());  // somebody else's
  CHECK_FALSE(first->shared_by_host());
  CHECK(first->own_count(rocksdb::BYTES_WRITTEN) == 100);
  ForwardingStatistics::around(inner).reset();  // it never opens
  auto second = ForwardingStatistics::around(inner);
  CHECK(first->shared_by_host());
  CHECK(second->shared_by_host());
  CHECK(first->own_count(rocksdb::BYTES_WRITTEN) == 0);
  first->recordTick(rocksdb::BYTES_WRITTEN, 5);
  second->recordTick(rocksdb::BYTES_WRITTEN, 7);
  std::thread([&] { second->recordTick(rocksdb::BYTES_WRITTEN, 2); }).join();
  CHECK(second->own_count(rocksdb::TICKER_ENUM_MAX) == 0);
  CHECK(first->own_count(rocksdb::BYTES_WRITTEN) == 5);
  CHECK(second->own_count(rocksdb::BYTES_WRITTEN) == 9);
  CHECK(first->getTickerCount(rocksdb::BYTES_WRITTEN) == 114);
  CHECK(inner->getTickerCount(rocksdb::BYTES_WRITTEN) == 114);
  CHECK(inner->Reset().ok());
  CHECK(first->own_count(rocksdb::BYTES_WRITTEN) == 5);  // as its latencies
  inner->set_stats_level(StatsLevel::kDisableAll);
  second->keep_level_in_step();
  second->recordTick(rocksdb::BYTES_WRITTEN, 3);
  CHECK(second->own_count(rocksdb::BYTES_WRITTEN) == 9);
  second.reset();
  first->recordTick(rocksdb::BYTES_WRITTEN, 1);
  CHECK(first->own_count(rocksdb::BYTES_WRITTEN) == 6);
}

TEST_CASE("databases come and go while others count, and no count of the object is lost") {
  const std::shared_ptr<rocksdb::Statistics> inner = rocksdb::CreateDBStatistics();
  const auto first = ForwardingStatistics::around(inner);
  constexpr std::uint64_t kTicks = 50000;
  std::atomic<bool> stop{false};
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) {
    users.emplace_back([&] {
      for (std::uint64_t n = 0; n < kTicks; ++n) first->recordTick(rocksdb::BYTES_WRITTEN, 1);
    });
  }
  std::uint64_t most = 0;
  std::thread sampler([&] {
    while (!stop) most = std::max(most, first->own_count(rocksdb::BYTES_WRITTEN));
  });
  for (int i = 0; i < 100; ++i) {
    ForwardingStatistics::around(inner)->recordTick(rocksdb::BYTES_READ, 1);
  }
  for (auto& user : users) user.join();
  stop = true;
  sampler.join();
  CHECK(most <= 3 * kTicks);
  CHECK(inner->getTickerCount(rocksdb::BYTES_WRITTEN) == 3 * kTicks);
  CHECK(inner->getTickerCount(rocksdb::BYTES_READ) == 100);
  CHECK(first->own_count(rocksdb::BYTES_READ) == 0);
}

TEST_CASE("the last of those that shared an object counts for all of it again when it is opened") {
  const std::shared_ptr<rocksdb::Statistics> inner = rocksdb::CreateDBStatistics();
  ForwardingStatistics::around(inner).reset();
  const auto reopened = ForwardingStatistics::around(inner);
  reopened->recordTick(rocksdb::BYTES_WRITTEN, 4);
  CHECK_FALSE(reopened->shared_by_host());
}

TEST_CASE("what is held of a closed database is no second one until it is opened anew") {
  const std::shared_ptr<rocksdb::Statistics> inner = rocksdb::CreateDBStatistics();
  const auto held = ForwardingStatistics::around(inner);
  held->attached();
  held->detached();
  const auto reopened = ForwardingStatistics::around(inner);
  CHECK_FALSE(held->shared_by_host());
  CHECK_FALSE(reopened->shared_by_host());
  held->attached();
  CHECK(held->shared_by_host());
  CHECK(reopened->shared_by_host());
}

TEST_CASE("of two databases with the same prepared options one may close, and the other counts") {
  const std::shared_ptr<rocksdb::Statistics> inner = rocksdb::CreateDBStatistics();
  const auto both = ForwardingStatistics::around(inner);
  both->attached();
  both->attached();
  both->detached();
  const auto third = ForwardingStatistics::around(inner);
  CHECK(both->shared_by_host());
  CHECK(third->shared_by_host());
}

TEST_CASE("the wrapper is recognised, other classes are not") {
  ForwardingSetup s;
  CHECK(WindowedStatistics::from(&s.outer) == &s.outer);
  CHECK(WindowedStatistics::from(s.inner.get()) == nullptr);
  CHECK(WindowedStatistics::from(nullptr) == nullptr);
  CHECK(s.outer.brought_by_host());
}

}  // namespace
}  // namespace rocktune::agent
