// The Statistics that a database was opened with, once it is closed.
#include "agent/statistics.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/agent/database_fixture.h"

namespace rocktune::agent {
namespace {

using testing::DatabaseFixture;
using testing::open_database;

bool is_shared(const DatabaseFixture& f) {
  return WindowedStatistics::from(f.host.db->GetDBOptions().statistics.get())->shared_by_host();
}

TEST_CASE("a database that is opened again is alone, whatever of the host's holds what it had") {
  rocksdb::DBOptions options;
  options.statistics = rocksdb::CreateDBStatistics();
  options.sst_file_manager.reset(rocksdb::NewSstFileManager(rocksdb::Env::Default()));
  for (int i = 0; i < 2; ++i) {
    const DatabaseFixture f(options);
    CHECK_FALSE(is_shared(f));
  }
  const DatabaseFixture f(options);
  const DatabaseFixture beside(options);
  CHECK(is_shared(f));
  CHECK(is_shared(beside));
}

// One that an agent is attached to, with a Statistics of its own; it records read amplification.
struct Recording {
  std::weak_ptr<rocksdb::Statistics> statistics;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocksdb::DB> db;
  std::unique_ptr<Database> database;

  Recording(const std::string& path, const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    table.read_amp_bytes_per_bit = 8;
    rocksdb::ColumnFamilyOptions family;
    family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.statistics = rocksdb::CreateDBStatistics();
    statistics = options.statistics;
    prepare(options);
    REQUIRE(open_database(options, path, {{"default", family}}, &handles, &db).ok());
    database = std::make_unique<Database>(db.get(), handles, 7, false,
                                          [] { return std::chrono::steady_clock::now(); });
  }
  ~Recording() {
    database->close();
    for (auto* const handle : handles) delete handle;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  [[nodiscard]] std::unique_ptr<rocksdb::Iterator> at_first() const {
    std::unique_ptr<rocksdb::Iterator> first(db->NewIterator({}));
    first->SeekToFirst();
    REQUIRE(first->Valid());
    CHECK(first->value().size() == 50);
    return first;
  }
};

TEST_CASE("what a cached block points to is there when the database that read it is closed") {
  const rocktune::tests::TempDirectory directory;
  const auto cache = rocksdb::NewLRUCache(8 << 20);
  const Recording first(directory.file("db"), cache);
  for (int i = 0; i < 40; ++i) {
    REQUIRE(first.db->Put({}, std::to_string(i), std::string(50, 'v')).ok());
  }
  REQUIRE(first.db->Flush({}).ok());
  rocksdb::Checkpoint* made = nullptr;
  REQUIRE(rocksdb::Checkpoint::Create(first.db.get(), &made).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  REQUIRE(checkpoint->CreateCheckpoint(directory.file("links")).ok());

  const auto reader = first.at_first();
  std::weak_ptr<rocksdb::Statistics> of_closed;
  {
    const Recording second(directory.file("links"), cache);
    of_closed = second.statistics;
    CHECK(second.at_first()->Valid());
  }
  const auto left = of_closed.lock();
  REQUIRE(left != nullptr);
  const auto before = left->getTickerCount(rocksdb::READ_AMP_ESTIMATE_USEFUL_BYTES);
  for (reader->Next(); reader->Valid(); reader->Next()) CHECK(reader->value().size() == 50);
  CHECK(left->getTickerCount(rocksdb::READ_AMP_ESTIMATE_USEFUL_BYTES) > before);
}

}  // namespace
}  // namespace rocktune::agent
