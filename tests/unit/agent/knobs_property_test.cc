// Whatever batches come, RocksDB never holds a value that is out of range or contradicts another,
// and a restore gives back exactly what was found.
#include <random>

#include "agent/database.h"
#include "tests/unit/agent/knob_named.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

class Batches {
 public:
  explicit Batches(const Control& control) : knobs_(control.catalogue().knobs) {}

  std::vector<wire::Change> next() {
    std::vector<wire::Change> batch;
    for (auto left = pick(1, 8); left > 0; --left) {
      const auto& [knob, details] =
          knobs_[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(knobs_.size()) - 1))];
      batch.push_back({std::to_string(++id_), knob.name, knob.column_family, value(knob), {}});
    }
    return batch;
  }
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  std::int64_t value(const wire::Knob& knob) {
    switch (pick(0, 5)) {
      case 0:
        return pick(INT64_MIN, INT64_MAX);
      case 1:
        return pick(-2, 40);
      case 2:
        return pick(knob.min, knob.max);
      default: {  // near what was found
        const auto reach = std::max<std::int64_t>(4, knob.found / 2);
        return pick(knob.found - std::min(knob.found, reach), knob.found + reach);
      }
    }
  }

  std::mt19937_64 random_{20261120};
  const std::vector<wire::Knobs::Entry> knobs_;
  int id_ = 0;
};

void check_family(const rocksdb::ColumnFamilyOptions& options) {
  CHECK(options.write_buffer_size >= std::size_t{1} << 20);
  CHECK(options.write_buffer_size <= std::size_t{64} << 30);
  CHECK(options.max_write_buffer_number >= 2);
  CHECK(options.max_write_buffer_number > options.min_write_buffer_number_to_merge);
  CHECK(options.level0_file_num_compaction_trigger >= 1);
  CHECK(options.level0_slowdown_writes_trigger >= options.level0_file_num_compaction_trigger);
  CHECK(options.level0_stop_writes_trigger >= options.level0_slowdown_writes_trigger);
  CHECK(options.soft_pending_compaction_bytes_limit > 0);
  CHECK(options.hard_pending_compaction_bytes_limit >= options.soft_pending_compaction_bytes_limit);
  CHECK(options.target_file_size_base >= std::uint64_t{1} << 20);
  CHECK(options.max_compaction_bytes >= options.target_file_size_base);
  CHECK(options.max_bytes_for_level_multiplier >= 2);
  CHECK(options.max_bytes_for_level_base >= std::uint64_t{1} << 20);
}

void check_database(const rocksdb::DBOptions& options) {
  CHECK(options.max_background_jobs >= 1);
  CHECK(options.max_background_jobs <= 128);
  CHECK(options.max_subcompactions >= 1);
  CHECK(options.delayed_write_rate >= std::uint64_t{1} << 20);
  CHECK(options.bytes_per_sync >= std::uint64_t{64} << 10);
  CHECK((options.max_open_files == -1 || options.max_open_files >= 64));
  CHECK((options.max_total_wal_size == 0 || options.max_total_wal_size >= std::uint64_t{16} << 20));
}

TEST_CASE("no sequence of batches gets past the checks, and all of them can be undone") {
  testing::TestDatabase host;
  auto now = std::chrono::steady_clock::time_point(std::chrono::seconds(1000));
  Database database(host.db.get(), host.handles, 5, false, [&] { return now; });
  auto& control = database.control();
  Batches batches(control);
  const auto found = wire::encode(database.sampler().options());
  constexpr int kRounds = 6;
  constexpr int kBatches = 40;
  int applied = 0;
  for (int round = 0; round < kRounds; ++round) {
    REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
    for (int i = 0; i < kBatches; ++i) {
      const auto answer = control.apply({"me", batches.next()});
      REQUIRE(answer.has_value());
      for (const auto& result : answer->results) {
        CHECK(result.status != "mismatch");
        if (result.status == "applied") ++applied;
      }
      check_database(host.db->GetDBOptions());
      for (auto* const handle : host.handles) check_family(host.db->GetOptions(handle));
    }
    if (round % 2 == 0) {
      control.restore(false);
    } else {
      now += std::chrono::seconds(10);
      for (int i = 0; i < 30; ++i) {
        control.tick();
        check_database(host.db->GetDBOptions());
        for (auto* const handle : host.handles) check_family(host.db->GetOptions(handle));
      }
    }
    CHECK(wire::encode(database.sampler().options()) == found);
    for (const auto& entry : control.catalogue().knobs) {
      INFO(entry.knob.name << " of '" << entry.knob.column_family << "'");
      CHECK(entry.knob.owner == "found");
      CHECK(entry.knob.value == entry.knob.found);
    }
  }
  CHECK(applied > 100);
  database.close();
}

}  // namespace
}  // namespace rocktune::agent
