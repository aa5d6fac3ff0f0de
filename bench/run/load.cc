#include "bench/run/load.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/run/backlog.h"
#include "bench/run/records.h"
#include "scenario/workload/requests.h"

namespace rocktune::bench {
namespace {

// Sorts before every "user..." key.
constexpr const char* kMarkKey = "!rocktune-bench.loaded";
// Threads take turns at neighbouring chunks: in key order, the files of one memtable then hardly
// overlap and sink to their level without being rewritten.
constexpr std::int64_t kChunk = 1000;
constexpr auto kProgressInterval = std::chrono::milliseconds(500);

struct Shared {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  rocksdb::Status failure;  // guarded by mutex
};

struct LoadPlan {
  Database& database;
  const scenario::Workload& workload;
  const scenario::FamilyMap families;
  const scenario::LoadSequence sequence;
  const ValuePool values;
};

rocksdb::Status write_record(const LoadPlan& plan, std::uint64_t record,
                             const rocksdb::WriteOptions& options, std::string& key) {
  return plan.database.db().Put(
      options, &plan.database.family(plan.families.of(record)), record_key(record, key),
      plan.values.value(scenario::fnv_hash(record),
                        scenario::loaded_value_bytes(plan.workload, record)));
}

void write_chunks(const LoadPlan& plan, const std::atomic<bool>& stop, Shared& shared) {
  std::string key;
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  while (!stop.load(std::memory_order_relaxed) && !shared.failed.load()) {
    const std::int64_t begin = shared.next.fetch_add(kChunk);
    const std::int64_t end = std::min(begin + kChunk, plan.sequence.size());
    if (begin >= end) return;
    std::int64_t written = 0;
    for (std::int64_t place = begin; place < end; ++place) {
      const auto record = plan.sequence.at(place);
      if (!record) continue;
      ++written;
      const auto status = write_record(plan, static_cast<std::uint64_t>(*record), options, key);
      if (!status.ok()) {
        const std::lock_guard lock(shared.mutex);
        shared.failure = status;
        shared.failed = true;
        return;
      }
    }
    shared.done.fetch_add(written);
  }
}

Result<void> write_mark(Database& database, const scenario::Workload& workload) {
  const Loaded loaded = load_of(workload);
  const nlohmann::json mark = {{"records", loaded.records},
                               {"value_size", loaded.value_size},
                               {"families", loaded.families},
                               {"order", loaded.order},
                               {"backlog", loaded.backlog}};
  auto status = database.db().Put(rocksdb::WriteOptions(), kMarkKey, mark.dump());
  if (status.ok()) status = database.db().Flush(rocksdb::FlushOptions());
  if (!status.ok()) return fail(ErrorCode::kIo, "load: " + status.ToString());
  return {};
}

Result<void> flush_families(Database& database, const scenario::Workload& workload) {
  for (std::size_t i = 0; i < workload.families.size(); ++i) {
    const auto status = database.db().Flush(rocksdb::FlushOptions(), &database.family(i));
    if (!status.ok()) return fail(ErrorCode::kIo, "load: " + status.ToString());
  }
  return {};
}

tl::unexpected<Error> reading_failed(const rocksdb::Status& status) {
  return fail(ErrorCode::kIo, "reading what was loaded: " + status.ToString());
}

// Whether its first and its last key are records', or it has none.
Result<bool> holds_records_alone(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  const std::unique_ptr<rocksdb::Iterator> keys(db.NewIterator(rocksdb::ReadOptions(), family));
  keys->SeekToFirst();
  bool records = !keys->Valid() || is_record_key(keys->key());
  if (keys->status().ok()) keys->SeekToLast();
  records = records && (!keys->Valid() || is_record_key(keys->key()));
  if (!keys->status().ok()) return reading_failed(keys->status());
  return records;
}

// Nobody's data is to be written over: without the mark a database is empty, or holds the records
// of a load that was stopped.
Result<void> check_ours(Database& database) {
  for (rocksdb::ColumnFamilyHandle* family : database.handles()) {
    const auto ours = holds_records_alone(database.db(), family);
    if (!ours) return tl::unexpected(ours.error());
    if (*ours) continue;
    return fail(ErrorCode::kConflict, database.db().GetName() +
                                          " holds keys that rocktune-bench did not write (column "
                                          "family " +
                                          family->GetName() + "): take another --db");
  }
  return {};
}

}  // namespace

Result<std::optional<Loaded>> read_loaded(Database& database) {
  std::string text;
  const auto status = database.db().Get(rocksdb::ReadOptions(), kMarkKey, &text);
  if (status.IsNotFound()) {
    if (auto ours = check_ours(database); !ours) return tl::unexpected(ours.error());
    return std::optional<Loaded>{};
  }
  if (!status.ok()) return reading_failed(status);
  const auto mark = nlohmann::json::parse(text, nullptr, false);
  const auto is_text = [&](const char* key) { return mark.contains(key) && mark[key].is_string(); };
  if (!mark.is_object() || !mark.contains("records") || !mark["records"].is_number_integer() ||
      !is_text("backlog") || !is_text("value_size") || !is_text("families") || !is_text("order")) {
    return fail(ErrorCode::kCorrupt,
                "the database's load mark is unreadable or of another version: delete and reload "
                "it");
  }
  return Loaded{mark["records"].get<std::int64_t>(), mark["value_size"].get<std::string>(),
                mark["families"].get<std::string>(), mark["order"].get<std::string>(),
                mark["backlog"].get<std::string>()};
}

Loaded load_of(const scenario::Workload& workload) {
  return {workload.records, workload.value_size.text(), scenario::families_text(workload.families),
          scenario::load_order_name(workload.load_order), scenario::backlog_text(workload.backlog)};
}

std::string loaded_text(const Loaded& loaded) {
  const std::string families = loaded.families == rocksdb::kDefaultColumnFamilyName
                                   ? ""
                                   : ", in families " + loaded.families;
  return std::to_string(loaded.records) + " records of " + loaded.value_size + " bytes in order " +
         loaded.order + families + loaded.backlog;
}

Result<void> load_records(Database& database, const scenario::Workload& workload,
                          const std::atomic<bool>& stop, const LoadProgress& progress) {
  const LoadPlan plan{
      database, workload,
      scenario::FamilyMap(workload.families, static_cast<std::uint64_t>(workload.records)),
      scenario::LoadSequence(workload.load_order, workload.records),
      ValuePool(workload.value_size.largest(), static_cast<std::uint64_t>(workload.seed))};
  if (workload.backlog.level0_files > 0) {
    if (auto on = database.set_family_option("disable_auto_compactions", "false"); !on) return on;
  }
  Shared shared;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(workload.threads));
  for (std::int64_t i = 0; i < workload.threads; ++i) {
    threads.emplace_back([&] { write_chunks(plan, stop, shared); });
  }
  auto due = std::chrono::steady_clock::now();
  while (shared.done < workload.records && !stop.load() && !shared.failed.load()) {
    due += kProgressInterval;
    while (shared.done < workload.records && std::chrono::steady_clock::now() < due &&
           !stop.load() && !shared.failed.load()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    progress(shared.done, false);
  }
  for (std::thread& thread : threads) thread.join();
  if (shared.failed) return fail(ErrorCode::kIo, "load: " + shared.failure.ToString());
  if (stop.load()) return {};
  if (auto flushed = flush_families(database, workload); !flushed) return flushed;
  progress(shared.done, true);
  database.wait_for_background(stop);
  if (stop.load()) return {};
  if (auto left = leave_backlog(database, workload, plan.values, stop); !left) return left;
  if (stop.load()) return {};
  // After the rest: a tree that came to none is not loaded.
  if (auto marked = write_mark(database, workload); !marked) return marked;
  database.wait_for_background(stop);  // the mark's file may be the one that a compaction is due at
  return {};
}

}  // namespace rocktune::bench
