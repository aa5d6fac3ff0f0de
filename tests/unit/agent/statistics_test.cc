// The Statistics that a database was opened with, once it is closed.
#include "agent/statistics.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_manager.h>

#include "tests/unit/agent/database_fixture.h"

namespace rocktune::agent {
namespace {

using testing::DatabaseFixture;

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

}  // namespace
}  // namespace rocktune::agent
