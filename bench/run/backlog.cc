#include "bench/run/backlog.h"

#include <cstdint>
#include <string>

#include "scenario/workload/generator.h"
#include "scenario/workload/requests.h"

namespace rocktune::bench {
namespace {

// RocksDB may call a memtable full once its arena leaves less than 40% of a block: it must be
// flushed before, or there is one file more.
constexpr double kFull = 0.75;

rocksdb::Status write_update(Database& database, const scenario::Workload& workload,
                             const ValuePool& values, scenario::Random& random) {
  std::string key;
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  const std::uint64_t record = random.below(static_cast<std::uint64_t>(workload.records));
  return database.db().Put(
      options, &database.family(0), record_key(record, key),
      values.value(scenario::fnv_hash(record), scenario::loaded_value_bytes(workload, record)));
}

// Writes until the memtable is three quarters full, then flushes it.
rocksdb::Status write_file(Database& database, const scenario::Workload& workload,
                           const ValuePool& values, scenario::Random& random,
                           const std::atomic<bool>& stop) {
  using Properties = rocksdb::DB::Properties;
  rocksdb::DB& db = database.db();
  rocksdb::ColumnFamilyHandle* family = &database.family(0);
  const double full = kFull * static_cast<double>(db.GetOptions(family).write_buffer_size);
  std::uint64_t bytes = 0;
  while (static_cast<double>(bytes) < full && !stop.load()) {
    auto status = write_update(database, workload, values, random);
    if (!status.ok()) return status;
    if (!db.GetIntProperty(family, Properties::kCurSizeActiveMemTable, &bytes)) {
      return rocksdb::Status::NotSupported(Properties::kCurSizeActiveMemTable);
    }
  }
  return db.Flush(rocksdb::FlushOptions(), family);
}

}  // namespace

Result<void> leave_backlog(Database& database, const scenario::Workload& workload,
                           const ValuePool& values, const std::atomic<bool>& stop) {
  if (workload.backlog.level0_files == 0) return {};
  if (auto off = database.set_family_option("disable_auto_compactions", "true"); !off) return off;
  const auto before = static_cast<std::int64_t>(database.read_family_gauges(0).l0_files);
  scenario::Random random(static_cast<std::uint64_t>(workload.seed));
  for (std::int64_t i = 0; i < workload.backlog.level0_files && !stop.load(); ++i) {
    const auto status = write_file(database, workload, values, random, stop);
    if (!status.ok()) {
      return fail(ErrorCode::kIo, "leaving files in level 0: " + status.ToString());
    }
  }
  const auto left = static_cast<std::int64_t>(database.read_family_gauges(0).l0_files) - before;
  if (left != workload.backlog.level0_files && !stop.load()) {
    return fail(ErrorCode::kInvalidArgument, "backlog: " + std::to_string(left) +
                                                 " files were left in level 0 instead of " +
                                                 std::to_string(workload.backlog.level0_files) +
                                                 ": values must be small beside the write buffer");
  }
  return {};
}

}  // namespace rocktune::bench
