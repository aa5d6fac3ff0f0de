// Sampling and changing a real, small RocksDB.
#include "agent/database.h"

#include <rocksdb/rate_limiter.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>

#include "agent/hosts_rate.h"
#include "agent/shared_objects.h"
#include "agent/statistics.h"
#include "tests/unit/agent/knob_named.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using testing::knob_named;
using testing::TestDatabase;

struct Fixture {
  std::chrono::steady_clock::time_point now{1000s};
  TestDatabase host;
  Database database;

  explicit Fixture(const rocksdb::DBOptions& options = {}, bool prepared = true)
      : host(options, prepared),
        database(host.db.get(), host.handles, 7, false, [this] { return now; }) {}
  ~Fixture() { database.close(); }

  void put(const std::string& key, std::size_t family = 0) {
    REQUIRE(host.db->Put({}, host.handles[family], key, std::string(1000, 'v')).ok());
  }
  void flush(std::size_t family) { REQUIRE(host.db->Flush({}, host.handles[family]).ok()); }

  static std::optional<wire::ColumnFamily> family(const wire::Sample& sample,
                                                  const std::string& name) {
    for (const auto& one : sample.column_families) {
      if (one.name == name) return one;
    }
    return std::nullopt;
  }
};

TEST_CASE("prepare adds what is missing and keeps what is there") {
  rocksdb::DBOptions options;
  prepare(options);
  auto* const added = WindowedStatistics::from(options.statistics.get());
  REQUIRE(added != nullptr);
  CHECK_FALSE(added->brought_by_host());
  REQUIRE(options.rate_limiter);
  CHECK(options.rate_limiter->GetBytesPerSecond() == wire::kUnlimitedBytesPerSecond);
  CHECK(is_ours(options.rate_limiter));
  CHECK(options.delayed_write_rate == 16 << 20);  // not the limiter's rate

  const auto statistics = options.statistics;
  const auto limiter = options.rate_limiter;
  prepare(options);  // twice is the same as once
  CHECK(options.statistics == statistics);
  CHECK(options.rate_limiter == limiter);

  rocksdb::DBOptions own;
  own.statistics = rocksdb::CreateDBStatistics();
  own.rate_limiter.reset(rocksdb::NewGenericRateLimiter(5 << 20));
  const auto inner = own.statistics;
  const auto hosts = own.rate_limiter;
  prepare(own);
  CHECK(WindowedStatistics::from(own.statistics.get())->brought_by_host());
  CHECK(own.rate_limiter == hosts);
  CHECK_FALSE(is_ours(hosts));
  CHECK(own.delayed_write_rate == 0);
}

TEST_CASE("the description tells what the database is") {
  Fixture f;
  const auto& description = f.database.description();
  CHECK(description.id == "7");
  CHECK(description.path == f.host.directory.file("db"));
  CHECK(description.tunable);
  CHECK(description.limiter == "agent");
  CHECK(description.statistics == "agent");
  const Fixture plain({}, false);
  CHECK(plain.database.description().limiter == "none");
  CHECK(plain.database.description().statistics == "none");
}

TEST_CASE("a sample has counters, latencies, properties and levels") {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.put(std::to_string(i));
  f.flush(0);
  std::string value;
  REQUIRE(f.host.db->Get({}, "1", &value).ok());
  const auto sample = f.database.sampler().take();
  CHECK(sample.sequence == 1);
  CHECK(sample.tick_ns == std::chrono::nanoseconds(1000s).count());
  CHECK(sample.tickers.at("number.keys.written") == 100);
  CHECK(sample.tickers.size() > 100);
  CHECK(sample.histograms.at("get").buckets.size() == 1);
  CHECK_FALSE(sample.histograms.at("write").buckets.empty());
  CHECK(sample.properties.at("is-write-stopped") == 0);
  CHECK(sample.properties.contains("num-running-compactions"));
  CHECK(sample.properties.contains("estimate-pending-compaction-bytes"));
  CHECK(sample.cache.at("capacity_bytes") > 0);
  CHECK(sample.limiter.at("bytes_through") > 1000);

  const auto family = f.family(sample, "default");
  REQUIRE(family);
  REQUIRE(family->levels.size() == 7);
  CHECK(family->levels[0].files == 1);
  CHECK(family->levels[0].bytes > 1000);
  CHECK(family->levels[1].files == 0);
  CHECK(family->options.at("level0_stop_writes_trigger") == 36);
  CHECK(family->options.size() == 14);  // the catalogue's, without those of universal compaction
  CHECK(family->properties.contains("num-immutable-mem-table"));
  CHECK(family->properties.contains("estimate-live-data-size"));
  CHECK(f.database.sampler().take().sequence == 2);
}

TEST_CASE("without statistics there are neither tickers nor histograms") {
  Fixture f({}, false);
  const auto sample = f.database.sampler().take();
  CHECK(sample.tickers.empty());
  CHECK(sample.histograms.empty());
  CHECK(sample.limiter.empty());
  CHECK_FALSE(sample.column_families.empty());
}

TEST_CASE("column families with a known handle are sampled in full, the others by their levels") {
  Fixture f;
  f.put("a", 1);
  f.flush(1);
  auto sample = f.database.sampler().take();
  REQUIRE(f.family(sample, "second").has_value());
  CHECK(f.family(sample, "second")->levels.at(0).files == 1);
  CHECK(f.family(sample, "second")->properties.contains("compaction-pending"));

  rocksdb::ColumnFamilyHandle* third = nullptr;
  REQUIRE(f.host.db->CreateColumnFamily({}, "third", &third).ok());
  REQUIRE(f.host.db->Put({}, third, "a", "b").ok());
  REQUIRE(f.host.db->Flush({}, third).ok());
  f.now += 2s;
  sample = f.database.sampler().take();
  REQUIRE(f.family(sample, "third").has_value());
  CHECK(f.family(sample, "third")->levels.at(0).files == 1);
  CHECK(f.family(sample, "third")->properties.empty());
  REQUIRE(f.host.db->DestroyColumnFamilyHandle(third).ok());
}

TEST_CASE("a dropped column family disappears with its handle, a forgotten handle is not used") {
  Fixture f;
  f.database.sampler().take();
  REQUIRE(f.host.db->DropColumnFamily(f.host.handles[1]).ok());
  auto sample = f.database.sampler().take();
  CHECK(f.family(sample, "default").has_value());
  f.database.forget(f.host.handles[1]);
  f.host.destroy_handle(1);
  f.now += 2s;
  sample = f.database.sampler().take();
  CHECK_FALSE(f.family(sample, "second").has_value());
  f.database.forget(f.host.handles[0]);  // the host's own; the database's is used instead
  f.host.destroy_handle(0);
  sample = f.database.sampler().take();
  CHECK(f.family(sample, "default").has_value());
}

TEST_CASE("options are read again after a second") {
  Fixture f;
  f.database.sampler().take();
  REQUIRE(f.host.db->SetOptions(f.host.handles[0], {{"level0_stop_writes_trigger", "50"}}).ok());
  auto sample = f.database.sampler().take();
  CHECK(f.family(sample, "default")->options.at("level0_stop_writes_trigger") == 36);
  f.now += 1100ms;
  sample = f.database.sampler().take();
  CHECK(f.family(sample, "default")->options.at("level0_stop_writes_trigger") == 50);
}

TEST_CASE("options are told in RocksDB's own words") {
  Fixture f;
  f.database.sampler().take();
  const auto options = f.database.sampler().options();
  CHECK(options.database.at("max_background_jobs") == "2");
  CHECK(options.column_families.at("default").at("level0_stop_writes_trigger") == "36");
  CHECK(options.column_families.contains("second"));
}

TEST_CASE("each knob is applied to RocksDB and returned") {
  Fixture f;
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
  Fixture f;
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
  Fixture f;
  auto& control = f.database.control();
  CHECK(knob_named(control, "max_background_jobs").value == 2);
  REQUIRE(f.host.db->SetDBOptions({{"max_background_jobs", "3"}}).ok());
  REQUIRE(control.release({"max_background_jobs", ""}).has_value());
  f.now += 1100ms;
  CHECK(knob_named(control, "max_background_jobs").owner == "found");
  CHECK(knob_named(control, "max_background_jobs").found == 3);
}

TEST_CASE("a host's number of memtables without limit is no small one") {
  Fixture f;
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
  Fixture f(options, false);
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
    Fixture f(options);
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
  knob->state().release(knob->read().value);
  set(30 << 20);
  LimiterGroup second(limiter);  // another database that shares it
  give_back(second, {second.find("rate_limiter_bytes_per_second")}, 1, true);
  CHECK(knob->read().value == wire::kUnlimitedBytesPerSecond);
  CHECK(limiter->GetBytesPerSecond() == kUnlimitedOnHostsLimiter);
}

TEST_CASE("databases that share the agent's limiter agree on its settings") {
  rocksdb::DBOptions options;
  prepare(options);
  Fixture first(options);
  Fixture second(options);
  auto& control = first.database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  REQUIRE(control.apply({"me", {{"1", "rate_limiter_l0_weight", "", 9, {}}}}).has_value());
  CHECK(knob_named(second.database.control(), "rate_limiter_l0_weight").owner == "rocktune");
  first.database.close();
  const auto left = knob_named(second.database.control(), "rate_limiter_l0_weight");
  CHECK(left.owner == "found");
  CHECK(left.value == left.found);
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

TEST_CASE("a database that is only read is never written") {
  TestDatabase host;
  host.close();
  const auto files = host.files();
  auto db = host.reopen_read_only();
  Database database(db.get(), {}, 7, false, std::chrono::steady_clock::now);
  CHECK(database.description().access == "read_only");
  CHECK_THAT(knob_named(database.control(), "max_background_jobs").reason,
             Catch::Matchers::Contains("not open for writing"));
  for (const auto& knob : database.control().describe()) CHECK_FALSE(knob.changeable);
  REQUIRE(database.control().take_lease({"me", 10, "restore", {}}).has_value());
  const auto refused = database.control().apply({"me", {{"1", "max_background_jobs", "", 5, {}}}});
  CHECK(refused->results.at(0).status == "refused");
  CHECK(database.sampler().take().column_families.size() == 1);
  CHECK(host.files() == files);
  database.close();
}

TEST_CASE("a column family's handle may go while the database closes") {
  Fixture f;
  f.database.close();
  f.database.forget(f.host.handles[1]);  // has waited for whoever still read it
  f.host.destroy_handle(1);
}

TEST_CASE("of very many column families a bounded number is read in full") {
  std::vector<std::string> names;
  for (int i = 0; i < 70; ++i) names.push_back("family" + std::to_string(i));
  Fixture plain;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  REQUIRE(plain.host.db->CreateColumnFamilies({}, names, &handles).ok());
  Database database(plain.host.db.get(), handles, 8, false, std::chrono::steady_clock::now);
  database.sampler().rehearse();  // does not list, and does not keep the next one from it
  const auto sample = database.sampler().take();
  CHECK(sample.column_families.size() == 72);
  const auto in_full = std::ranges::count_if(
      sample.column_families, [](const auto& family) { return !family.options.empty(); });
  CHECK(in_full == 64);
  database.close();
  for (auto* const handle : handles) REQUIRE(plain.host.db->DestroyColumnFamilyHandle(handle).ok());
}

TEST_CASE("nobody gets in once the close has begun") {
  Fixture f;
  CHECK(f.database.pass());
  f.database.close();
  CHECK_FALSE(f.database.pass());
  f.database.close();
}

}  // namespace
}  // namespace rocktune::agent
