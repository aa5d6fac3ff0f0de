// A real, small RocksDB with the agent's view of it, and a clock that the test moves.
#pragma once

#include <optional>
#include <string>

#include "agent/database.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent::testing {

struct DatabaseFixture {
  std::chrono::steady_clock::time_point now{std::chrono::seconds(1000)};
  TestDatabase host;
  Database database;

  explicit DatabaseFixture(const rocksdb::DBOptions& options = {}, bool prepared = true)
      : host(options, prepared),
        database(host.db.get(), host.handles, 7, false, [this] { return now; }) {}
  ~DatabaseFixture() { database.close(); }

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

}  // namespace rocktune::agent::testing
