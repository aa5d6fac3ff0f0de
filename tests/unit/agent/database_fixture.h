// A real, small RocksDB with the agent's view of it, and a clock that the test moves.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/database.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent::testing {

// Read by threads of the agent's, some of which outlive the database for a moment.
class TestClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  operator Time() const { return Time(Time::duration(ticks_->load())); }  // NOLINT: is one
  TestClock& operator+=(Time::duration by) {
    *ticks_ += by.count();
    return *this;
  }
  [[nodiscard]] std::function<Time()> read() const {
    return [ticks = ticks_] { return Time(Time::duration(ticks->load())); };
  }

 private:
  using Ticks = std::atomic<Time::rep>;
  std::shared_ptr<Ticks> ticks_ =
      std::make_shared<Ticks>(Time::duration(std::chrono::seconds(1000)).count());
};

struct DatabaseFixture {
  TestClock now;
  TestDatabase host;
  Database database;

  explicit DatabaseFixture(const rocksdb::DBOptions& options = {}, bool prepared = true)
      : host(options, prepared), database(host.db.get(), host.handles, 7, false, now.read()) {}
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
