// The catalogue's knobs on a real, small RocksDB.
#include <rocksdb/filter_policy.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <set>

#include "agent/database.h"
#include "tests/unit/agent/knob_named.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using testing::knob_entry;
using testing::knob_named;
using testing::open_database;

rocksdb::BlockBasedTableOptions table_with(std::shared_ptr<rocksdb::Cache> cache,
                                           double bits = 10) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = std::move(cache);
  if (bits > 0) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits));
  return table;
}

rocksdb::ColumnFamilyOptions family_with(const rocksdb::BlockBasedTableOptions& table) {
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// Three column families: the default one, a universal one with a cache of its own, and a FIFO one
// that shares the default's cache.
struct KnobsFixture {
  std::chrono::steady_clock::time_point now{1000s};
  tests::TempDirectory directory;
  std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(32 << 20);
  std::shared_ptr<rocksdb::Cache> second_cache = rocksdb::NewLRUCache(16 << 20);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  std::unique_ptr<Database> database;

  KnobsFixture() {
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    prepare(options);
    auto universal = family_with(table_with(second_cache));
    universal.compaction_style = rocksdb::kCompactionStyleUniversal;
    auto fifo = family_with(table_with(cache, 0));
    fifo.compaction_style = rocksdb::kCompactionStyleFIFO;
    const auto status = open_database(
        options, directory.file("db"),
        {{"default", family_with(table_with(cache))}, {"universal", universal}, {"fifo", fifo}},
        &handles, &db);
    INFO(status.ToString());
    REQUIRE(status.ok());
    database = std::make_unique<Database>(db.get(), handles, 7, false, [this] { return now; });
    REQUIRE(control().take_lease({"me", 10, "restore", {}}).has_value());
  }
  ~KnobsFixture() {
    database->close();
    for (auto* const handle : handles) delete handle;
  }

  Control& control() const { return database->control(); }
  std::vector<wire::ChangeResult> change(std::vector<wire::Change> changes) {
    static int id = 0;
    for (auto& change : changes) change.id = std::to_string(++id);
    const auto answer = control().apply({"me", std::move(changes)});
    REQUIRE(answer.has_value());
    return answer->results;
  }
  wire::ChangeResult set(const std::string& knob, std::int64_t value,
                         const std::string& column_family = "") {
    return change({{"", knob, column_family, value, {}}}).at(0);
  }
  // Every option of everything, in RocksDB's words.
  std::string everything() const {
    std::string all;
    for (const auto& [name, value] : database->sampler().options().database) {
      all += name + "=" + value + "\n";
    }
    for (const auto& [family, options] : database->sampler().options().column_families) {
      for (const auto& [name, value] : options) all += family + "." + name + "=" + value + "\n";
    }
    return all + std::to_string(cache->GetCapacity()) + " " +
           std::to_string(second_cache->GetCapacity());
  }
};

// Another value that is accepted next to the others as they are found.
std::int64_t another(const wire::Knob& knob) {
  const bool lower = knob.name == "level0_slowdown_writes_trigger" ||
                     knob.name == "soft_pending_compaction_bytes_limit" ||
                     knob.name == "universal_max_merge_width" || knob.value >= knob.max;
  const auto step = std::max<std::int64_t>(1, knob.value / 4);
  const auto wanted = lower ? knob.value - step : knob.value + step;
  return std::clamp(wanted, knob.min, knob.max);
}

TEST_CASE("each knob that can be changed is applied, read back, and returned as it was found") {
  KnobsFixture f;
  const auto before = f.everything();
  const auto found = f.control().catalogue();
  int changed = 0;
  std::set<std::string> unchangeable;
  for (const auto& [knob, details] : found.knobs) {
    INFO(knob.name << " of '" << knob.column_family << "', found at " << knob.value);
    CHECK(knob.owner == "found");
    if (!knob.changeable) {
      unchangeable.insert(knob.name + " " + knob.column_family);
      CHECK(f.set(knob.name, another(knob), knob.column_family).reason == knob.reason);
      continue;
    }
    const auto result = f.set(knob.name, another(knob), knob.column_family);
    INFO(result.reason);
    if (knob.name == "max_open_files") {  // something that RocksDB does check
      CHECK(result.status == "failed");
      CHECK_THAT(result.reason, Contains("FIFO compaction only supported"));
      continue;
    }
    CHECK(result.status == "applied");
    CHECK(result.before == knob.value);
    CHECK(knob_named(f.control(), knob.name, knob.column_family).owner == "rocktune");
    ++changed;
  }
  CHECK(changed >= 42);
  CHECK(unchangeable.contains("max_bytes_for_level_base universal"));
#if ROCKSDB_MAJOR < 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR < 8)
  CHECK(unchangeable.contains("bloom_bits_per_key fifo"));
#endif
  CHECK(f.everything() != before);
  f.control().restore(false);
  CHECK(f.everything() == before);
  for (const auto& [knob, details] : f.control().catalogue().knobs) CHECK(knob.owner == "found");
}

TEST_CASE("what stays behind in the OPTIONS file is what was found") {
  KnobsFixture f;
  REQUIRE(f.set("write_buffer_size", 8 << 20, "universal").status == "applied");
  REQUIRE(f.set("block_size", 8192, "default").status == "applied");
  f.database->close();
  rocksdb::DBOptions options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const rocksdb::ConfigOptions config;
  REQUIRE(rocksdb::LoadLatestOptions(config, f.directory.file("db"), &options, &families).ok());
  REQUIRE(families.size() == 3);
  for (const auto& family : families) {
    CHECK(family.options.write_buffer_size == std::size_t{64} << 20);
    const auto* const table =
        family.options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    REQUIRE(table != nullptr);
    CHECK(table->block_size == 4096);
  }
}

TEST_CASE("absurd values never reach RocksDB") {
  KnobsFixture f;
  const auto before = f.everything();
  for (const auto& [knob, details] : f.control().catalogue().knobs) {
    for (const auto value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
      const bool fine = (value >= knob.min && value <= knob.max) || value == knob.found ||
                        value == details.special;
      if (fine && knob.changeable) continue;
      INFO(knob.name << " = " << value);
      CHECK(f.set(knob.name, value, knob.column_family).status == "refused");
    }
  }
  CHECK(f.everything() == before);
}

TEST_CASE("relations are checked on what a batch would make of them") {
  KnobsFixture f;
  const auto refused = [&](const char* knob, std::int64_t value) {
    const auto result = f.set(knob, value, "default");
    CHECK(result.status == "refused");
    return result.reason;
  };
  CHECK_THAT(refused("level0_file_num_compaction_trigger", 21),
             Contains("level0_slowdown_writes_trigger"));
  CHECK_THAT(refused("level0_slowdown_writes_trigger", 37), Contains("level0_stop_writes_trigger"));
  CHECK_THAT(refused("level0_stop_writes_trigger", 19), Contains("slowdown"));
  CHECK_THAT(refused("soft_pending_compaction_bytes_limit", std::int64_t{1} << 45),
             Contains("hard_pending_compaction_bytes_limit"));
  CHECK_THAT(refused("max_compaction_bytes", 32 << 20), Contains("target_file_size_base"));
  for (const auto& result :
       f.change({{"", "level0_stop_writes_trigger", "default", 80, {}},
                 {"", "level0_slowdown_writes_trigger", "default", 60, {}},
                 {"", "level0_file_num_compaction_trigger", "default", 40, {}}})) {
    CHECK(result.status == "applied");
  }
  const auto options = f.db->GetOptions(f.handles[0]);
  CHECK(options.level0_slowdown_writes_trigger == 60);
  CHECK(options.level0_stop_writes_trigger == 80);
  CHECK_THAT(f.set("universal_min_merge_width", 30, "universal").status, Contains("applied"));
  CHECK_THAT(f.set("universal_max_merge_width", 29, "universal").reason,
             Contains("universal_min_merge_width would be 30"));
}

TEST_CASE("memtables of all column families stay within half of the memory") {
  KnobsFixture f;
  const auto quarter = knob_named(f.control(), "write_buffer_size", "default").max;
  const auto result = f.change({{"", "write_buffer_size", "default", quarter, {}},
                                {"", "max_write_buffer_number", "default", 3, {}}})
                          .at(0);
  CHECK(result.status == "refused");
  CHECK_THAT(result.reason, Contains("half of the memory"));
  CHECK(f.db->GetOptions(f.handles[0]).write_buffer_size == std::size_t{64} << 20);
  // Two of a quarter leave nothing to the others.
  CHECK_THAT(f.set("write_buffer_size", quarter, "default").reason, Contains("half of the memory"));
}

TEST_CASE("each cache has one knob, under the name of the column family that brought it") {
  KnobsFixture f;
  CHECK(f.set("block_cache_capacity_bytes", 64 << 20).status == "applied");
  CHECK(f.set("block_cache_capacity_bytes", 8 << 20, "universal").status == "applied");
  CHECK_THAT(f.set("block_cache_capacity_bytes", 8 << 20, "fifo").reason, Contains("no knob"));
  CHECK(f.cache->GetCapacity() == 64 << 20);
  CHECK(f.second_cache->GetCapacity() == 8 << 20);
  CHECK(knob_entry(f.control(), "block_cache_capacity_bytes", "universal").details.scope ==
        "cache");
}

TEST_CASE("a column family that comes has knobs; one that goes takes them, returned") {
  KnobsFixture f;
  const auto own_cache = rocksdb::NewLRUCache(4 << 20);
  rocksdb::ColumnFamilyHandle* third = nullptr;
  REQUIRE(f.db->CreateColumnFamily(family_with(table_with(own_cache)), "third", &third).ok());
  f.database->add(third);
  REQUIRE(f.set("write_buffer_size", 8 << 20, "third").status == "applied");
  REQUIRE(f.set("block_cache_capacity_bytes", 8 << 20, "third").status == "applied");
  CHECK(f.db->GetOptions(third).write_buffer_size == 8 << 20);
  f.database->forget(third);
  CHECK(f.db->GetOptions(third).write_buffer_size == std::size_t{64} << 20);
  CHECK(own_cache->GetCapacity() == 4 << 20);
  CHECK(f.set("write_buffer_size", 8 << 20, "third").status == "refused");
  REQUIRE(f.db->DropColumnFamily(third).ok());
  REQUIRE(f.db->DestroyColumnFamilyHandle(third).ok());
  f.database->sampler().take();
  f.now += 2s;
  f.database->sampler().take();
  CHECK(own_cache.use_count() == 1);  // nothing of it is held
}

TEST_CASE("a cache whose column family goes is the knob of the next that has it") {
  KnobsFixture f;
  rocksdb::ColumnFamilyHandle* third = nullptr;
  REQUIRE(f.db->CreateColumnFamily(family_with(table_with(f.second_cache)), "third", &third).ok());
  f.database->add(third);
  REQUIRE(f.set("block_cache_capacity_bytes", 8 << 20, "universal").status == "applied");
  f.database->forget(f.handles[1]);
  CHECK(f.second_cache->GetCapacity() == 8 << 20);  // the third has it still
  CHECK(f.set("block_cache_capacity_bytes", 4 << 20, "third").status == "applied");
  f.control().restore(false);
  CHECK(f.second_cache->GetCapacity() == 16 << 20);
  f.database->forget(third);
  REQUIRE(f.db->DestroyColumnFamilyHandle(third).ok());
}

TEST_CASE("a Bloom filter's bits are read, and changed where RocksDB can") {
  KnobsFixture f;
  const auto knob = knob_named(f.control(), "bloom_bits_per_key", "default");
  CHECK(knob.value == 10);
#if ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 8)
  CHECK(f.set("bloom_bits_per_key", 14, "default").status == "applied");
  const auto options = f.db->GetOptions(f.handles[0]);
  const auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  CHECK(table->filter_policy->GetId() == "bloomfilter:14:false");
  CHECK(table->block_cache == f.cache);
  // None is 0, and can be had again.
  const auto filter_of_fifo = [&f] {
    const auto fifo = f.db->GetOptions(f.handles[2]);
    return fifo.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
  };
  CHECK(knob_named(f.control(), "bloom_bits_per_key", "fifo").value == 0);
  CHECK(f.set("bloom_bits_per_key", 1, "fifo").status == "refused");
  CHECK(f.set("bloom_bits_per_key", 10, "fifo").status == "applied");
  REQUIRE(filter_of_fifo() != nullptr);
  CHECK(filter_of_fifo()->GetId() == "bloomfilter:10:false");
  f.control().restore(false);
  CHECK(filter_of_fifo() == nullptr);
#else
  CHECK_THAT(knob.reason, Contains("9.8 and later can"));
  CHECK_FALSE(knob_named(f.control(), "bloom_bits_per_key", "fifo").changeable);
#endif
}

TEST_CASE("column families that share a table factory agree on its block size") {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  const tests::TempDirectory directory;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::ColumnFamilyOptions family;  // for both
  REQUIRE(open_database(options, directory.file("db"), {{"default", family}, {"second", family}},
                        &handles, &db)
              .ok());
  Database database(db.get(), handles, 9, false, std::chrono::steady_clock::now);
  auto& control = database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  const auto answer = control.apply({"me", {{"1", "block_size", "default", 16384, {}}}});
  CHECK(answer->results.at(0).status == "applied");
  CHECK(knob_named(control, "block_size", "second").owner != "manual");
  control.restore(false);
  CHECK(knob_named(control, "block_size", "second").owner == "found");
  database.close();
  for (auto* const handle : handles) {
    const auto now = db->GetOptions(handle);
    CHECK(now.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->block_size == 4096);
    delete handle;
  }
}

TEST_CASE("without a limiter the first change of an option moves bytes_per_sync along") {
  testing::TestDatabase host({}, false);
  Database database(host.db.get(), host.handles, 9, false, std::chrono::steady_clock::now);
  auto& control = database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  CHECK_THAT(knob_named(control, "bytes_per_sync").reason, Contains("does not take back"));
  REQUIRE(control.apply({"me", {{"1", "max_background_jobs", "", 4, {}}}})->results.at(0).status ==
          "applied");
  CHECK(host.db->GetDBOptions().bytes_per_sync == 1 << 20);
  CHECK(knob_named(control, "bytes_per_sync").owner == "found");
  CHECK(knob_named(control, "bytes_per_sync").changeable);
  database.close();
}

TEST_CASE("a real-valued option that is not whole is not changeable") {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  rocksdb::ColumnFamilyOptions family;
  family.max_bytes_for_level_multiplier = 7.5;
  const tests::TempDirectory directory;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  REQUIRE(open_database(options, directory.file("db"), {{"default", family}}, &handles, &db).ok());
  Database database(db.get(), handles, 9, false, std::chrono::steady_clock::now);
  CHECK_THAT(knob_named(database.control(), "max_bytes_for_level_multiplier", "default").reason,
             Contains("not a whole number"));
  const auto sample = database.sampler().take();
  CHECK_FALSE(sample.column_families.at(0).options.contains("max_bytes_for_level_multiplier"));
  database.close();
  for (auto* const handle : handles) delete handle;
}

}  // namespace
}  // namespace rocktune::agent
