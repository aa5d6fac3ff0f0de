// Changing a real, small RocksDB.

#include <rocksdb/cache.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include "agent/hosts_rate.h"
#include "tests/unit/agent/database_fixture.h"
#include "tests/unit/agent/knob_named.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using testing::DatabaseFixture;
using testing::knob_named;
using testing::TestDatabase;

TEST_CASE("each knob is applied to RocksDB and returned") {
  DatabaseFixture f;
  auto& control = f.database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  const auto answer = control.apply({"me",
                                     {{"1", "rate_limiter_bytes_per_second", "", 8 << 20, {}},
                                      {"2", "max_background_jobs", "", 6, 2},
                                      {"3", "block_cache_capacity_bytes", "", 64 << 20, {}}}});
  REQUIRE(answer.has_value());
  for (const auto& result : answer->results) {
    INFO(result.id << " " << result.reason);
    CHECK(result.status == "applied");
  }
  const auto options = f.host.db->GetOptions();
  CHECK(options.rate_limiter->GetBytesPerSecond() == 8 << 20);
  CHECK(options.max_background_jobs == 6);
  const auto cache =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->block_cache;
  CHECK(cache->GetCapacity() == 64 << 20);

  control.restore(false);
  CHECK(options.rate_limiter->GetBytesPerSecond() == wire::kUnlimitedBytesPerSecond);
  CHECK(f.host.db->GetDBOptions().max_background_jobs == 2);
  for (const auto& knob : control.describe()) {
    CHECK(knob.value == knob.found);
    CHECK(knob.owner == "found");
  }
}

TEST_CASE("a change by the host makes the knob manual") {
  DatabaseFixture f;
  auto& control = f.database.control();
  REQUIRE(f.host.db->SetDBOptions({{"max_background_jobs", "3"}}).ok());
  f.now += 1100ms;
  CHECK(knob_named(control, "max_background_jobs").owner == "manual");
  f.host.db->GetOptions().rate_limiter->SetBytesPerSecond(9 << 20);
  CHECK(knob_named(control, "rate_limiter_bytes_per_second").owner == "manual");
  CHECK(knob_named(control, "rate_limiter_bytes_per_second").found ==
        wire::kUnlimitedBytesPerSecond);
}

TEST_CASE("a release takes what the host set a moment ago") {
  DatabaseFixture f;
  auto& control = f.database.control();
  CHECK(knob_named(control, "max_background_jobs").value == 2);
  REQUIRE(f.host.db->SetDBOptions({{"max_background_jobs", "3"}}).ok());
  REQUIRE(control.release({"max_background_jobs", ""}).has_value());
  f.now += 1100ms;
  CHECK(knob_named(control, "max_background_jobs").owner == "found");
  CHECK(knob_named(control, "max_background_jobs").found == 3);
}

TEST_CASE("a host's number of memtables without limit is no small one") {
  DatabaseFixture f;
  const auto& name = rocksdb::kDefaultColumnFamilyName;
  REQUIRE(f.host.db->SetOptions({{"write_buffer_size", "8589934592"}}).ok());
  REQUIRE(f.host.db->SetOptions({{"max_write_buffer_number", "2147483647"}}).ok());
  auto& control = f.database.control();
  REQUIRE(control.release({}).has_value());
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  const auto answer = control.apply({"me", {{"1", "max_write_buffer_number", name, 3, {}}}});
  REQUIRE(answer.has_value());
  CHECK(answer->results[0].status == "applied");  // less than what is there
}

TEST_CASE("what cannot be changed says why") {
  rocksdb::DBOptions options;
  options.max_background_compactions = 2;
  DatabaseFixture f(options, false);
  const auto& control = f.database.control();
  const auto limiter = knob_named(control, "rate_limiter_bytes_per_second");
  const auto jobs = knob_named(control, "max_background_jobs");
  CHECK_THAT(limiter.reason, Catch::Matchers::Contains("without a rate limiter"));
  CHECK_THAT(jobs.reason, Catch::Matchers::Contains("max_background_compactions"));
  CHECK_FALSE(limiter.changeable);
  CHECK_FALSE(jobs.changeable);
  CHECK(knob_named(control, "block_cache_capacity_bytes").changeable);
}

TEST_CASE("a strict cache is not shrunk below what is pinned") {
  const auto cache = rocksdb::NewLRUCache(64 << 20, 0, true);
  CacheGroup group(cache, "");
  auto* const knob = group.find("block_cache_capacity_bytes");
  REQUIRE(knob != nullptr);
  CHECK(group.excess({{knob, 2 << 20}}).empty());
  rocksdb::Cache::Handle* handle = nullptr;
#if ROCKSDB_MAJOR < 8
  REQUIRE(cache->Insert("k", nullptr, 8 << 20, [](const rocksdb::Slice&, void*) {}, &handle).ok());
  CHECK_THAT(group.excess({{knob, 2 << 20}}), Catch::Matchers::Contains("pinned"));
  CHECK_FALSE(group.why_not_now({{knob, 2 << 20}}).empty());  // nor is it returned so far
  CHECK(group.excess({{knob, 16 << 20}}).empty());
  cache->Release(handle);
#else
  static_cast<void>(handle);
#endif
  CHECK(group.write({{knob, 3 << 20}}).empty());
  CHECK(cache->GetCapacity() == 3 << 20);
}

TEST_CASE("a limiter that outlives its database is returned at close") {
  rocksdb::DBOptions options;
  options.rate_limiter.reset(rocksdb::NewGenericRateLimiter(20 << 20));
  {
    DatabaseFixture f(options);
    REQUIRE(f.database.control().take_lease({"me", 10, "restore", {}}).has_value());
    REQUIRE(f.database.control()
                .apply({"me", {{"1", "rate_limiter_bytes_per_second", "", 10 << 20, {}}}})
                ->results.at(0)
                .status == "applied");
    CHECK(options.rate_limiter->GetBytesPerSecond() == 10 << 20);
  }
  CHECK(options.rate_limiter->GetBytesPerSecond() == 20 << 20);
  CHECK(options.rate_limiter.use_count() == 1);  // nothing holds it
}

TEST_CASE("a host's own limiter is made unlimited so that it can come down again") {
  const auto unlimited = wire::kUnlimitedBytesPerSecond;
  const auto set = [](LimiterGroup& group, std::int64_t rate) {
    Batch batch{{group.find("rate_limiter_bytes_per_second"), rate, {}, {}, false}};
    apply(group, batch, 1);
    INFO(batch[0].result.reason);
    CHECK(batch[0].result.status == "applied");
    CHECK(batch[0].result.after == rate);
  };
  const std::shared_ptr<rocksdb::RateLimiter> slow(rocksdb::NewGenericRateLimiter(20 << 20));
  LimiterGroup group(slow);
  set(group, unlimited);
  CHECK(slow->GetBytesPerSecond() == kUnlimitedOnHostsLimiter);
  set(group, 30 << 20);
  CHECK(slow->GetBytesPerSecond() == 30 << 20);
  give_back(group, {group.find("rate_limiter_bytes_per_second")}, 1, true);
  CHECK(slow->GetBytesPerSecond() == 20 << 20);

  const std::shared_ptr<rocksdb::RateLimiter> fast(rocksdb::NewGenericRateLimiter(unlimited));
  LimiterGroup other(fast);
  set(other, 30 << 20);
  give_back(other, {other.find("rate_limiter_bytes_per_second")}, 1, true);
  CHECK(fast->GetBytesPerSecond() == unlimited);  // as the host had it
}

TEST_CASE("unlimited is never less than the host's own limiter had") {
  constexpr std::int64_t kHosts = std::int64_t{20} << 30;
  const std::shared_ptr<rocksdb::RateLimiter> limiter(rocksdb::NewGenericRateLimiter(kHosts));
  LimiterGroup group(limiter);
  auto* const knob = group.find("rate_limiter_bytes_per_second");
  for (const std::int64_t rate :
       {wire::kUnlimitedBytesPerSecond, std::int64_t{30} << 20, wire::kUnlimitedBytesPerSecond}) {
    Batch batch{{knob, rate, {}, {}, false}};
    apply(group, batch, 1);
    CHECK(batch[0].result.status == "applied");
    CHECK(limiter->GetBytesPerSecond() == std::min(rate, kHosts + 1));
  }
  give_back(group, {knob}, 1, true);
  CHECK(limiter->GetBytesPerSecond() == kHosts);
}

TEST_CASE("a host's limiter that was released while unlimited does not go back to 2^40") {
  const std::shared_ptr<rocksdb::RateLimiter> limiter(rocksdb::NewGenericRateLimiter(20 << 20));
  LimiterGroup group(limiter);
  auto* const knob = group.find("rate_limiter_bytes_per_second");
  const auto set = [&](std::int64_t rate) {
    Batch batch{{knob, rate, {}, {}, false}};
    apply(group, batch, 1);
    CHECK(batch[0].result.status == "applied");
  };
  set(wire::kUnlimitedBytesPerSecond);
  knob->state().accept(knob->read().value);
  set(30 << 20);
  LimiterGroup second(limiter);  // another database that shares it
  give_back(second, {second.find("rate_limiter_bytes_per_second")}, 1, true);
  CHECK(knob->read().value == wire::kUnlimitedBytesPerSecond);
  CHECK(limiter->GetBytesPerSecond() == kUnlimitedOnHostsLimiter);
}

TEST_CASE("databases that share the agent's limiter agree on its settings") {
  rocksdb::DBOptions options;
  prepare(options);
  DatabaseFixture first(options);
  DatabaseFixture second(options);
  auto& control = first.database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  REQUIRE(control.apply({"me", {{"1", "rate_limiter_l0_weight", "", 9, {}}}}).has_value());
  CHECK(knob_named(second.database.control(), "rate_limiter_l0_weight").owner == "rocktune");
  CHECK(knob_named(second.database.control(), "rate_limiter_bytes_per_second").databases == 2);
  CHECK(knob_named(second.database.control(), "rate_limiter_bytes_per_second").object ==
        knob_named(first.database.control(), "rate_limiter_bytes_per_second").object);
  CHECK(knob_named(second.database.control(), "block_cache_capacity_bytes").databases == 1);
  CHECK(knob_named(second.database.control(), "max_background_jobs").databases == 1);
  first.database.close();
  CHECK(knob_named(second.database.control(), "rate_limiter_bytes_per_second").databases == 1);
  const auto left = knob_named(second.database.control(), "rate_limiter_l0_weight");
  CHECK(left.owner == "found");
  CHECK(left.value == left.found);
}

TEST_CASE("a close that waits for a request has returned the limiter before") {
  rocksdb::DBOptions options;
  prepare(options);
  DatabaseFixture f(options);
  auto& control = f.database.control();
  REQUIRE(control.take_lease({"me", 60, "restore", {}}).has_value());
  const auto changed =
      control.apply({"me",
                     {{"1", "rate_limiter_bytes_per_second", "", std::int64_t{5} << 20, {}},
                      {"2", "max_background_jobs", "", 5, {}}}});
  for (const auto& result : changed->results) REQUIRE(result.status == "applied");
  const auto limiter = f.host.db->GetDBOptions().rate_limiter;
  REQUIRE(limiter->GetBytesPerSecond() == 5 << 20);

  // One whose option RocksDB keeps waiting until compactions have ended a write stop.
  auto request = std::unique_ptr<const Gate::Pass>(new Gate::Pass(f.database.pass()));
  std::thread closing([&] { f.database.close(); });
  while (f.database.pass()) std::this_thread::yield();  // until the close waits
  CHECK(limiter->GetBytesPerSecond() == wire::kUnlimitedBytesPerSecond);
  CHECK(f.host.db->GetDBOptions().max_background_jobs == 5);
  request.reset();
  closing.join();
  CHECK(f.host.db->GetDBOptions().max_background_jobs == 2);
}

TEST_CASE("the options that stay behind are those that were found") {
  TestDatabase host;
  Database database(host.db.get(), host.handles, 7, false, std::chrono::steady_clock::now);
  REQUIRE(database.control().take_lease({"me", 10, "restore", {}}).has_value());
  const auto applied = database.control().apply({"me", {{"1", "max_background_jobs", "", 5, {}}}});
  REQUIRE(applied->results.at(0).status == "applied");
  const auto jobs_in_file = [&] {
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    const rocksdb::ConfigOptions config;
    REQUIRE(
        rocksdb::LoadLatestOptions(config, host.directory.file("db"), &options, &families).ok());
    return options.max_background_jobs;
  };
  CHECK(jobs_in_file() == 5);
  database.close();
  CHECK(jobs_in_file() == 2);
}

}  // namespace
}  // namespace rocktune::agent
