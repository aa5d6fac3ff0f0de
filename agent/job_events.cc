#include "agent/job_events.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace rocktune::agent {
namespace {

using rocksdb::BackgroundErrorReason;
using rocksdb::CompactionReason;
using rocksdb::FlushReason;

// The enumerators of rocksdb/listener.h, in their order up to RocksDB 11.8.
constexpr std::string_view kFlushReasons[] = {"Others",
                                              "GetLiveFiles",
                                              "ShutDown",
                                              "ExternalFileIngestion",
                                              "ManualCompaction",
                                              "WriteBufferManager",
                                              "WriteBufferFull",
                                              "Test",
                                              "DeleteFiles",
                                              "AutoCompaction",
                                              "ManualFlush",
                                              "ErrorRecovery",
                                              "ErrorRecoveryRetryFlush",
                                              "WalFull",
                                              "CatchUpAfterErrorRecovery",
                                              "MemtableMaxRangeDeletions"};
static_assert(static_cast<int>(FlushReason::kWriteBufferFull) == 6);
static_assert(static_cast<int>(FlushReason::kWalFull) == 13);

constexpr std::string_view kCompactionReasons[] = {"Unknown",
                                                   "LevelL0FilesNum",
                                                   "LevelMaxLevelSize",
                                                   "UniversalSizeAmplification",
                                                   "UniversalSizeRatio",
                                                   "UniversalSortedRunNum",
                                                   "FIFOMaxSize",
                                                   "FIFOReduceNumFiles",
                                                   "FIFOTtl",
                                                   "ManualCompaction",
                                                   "FilesMarkedForCompaction",
                                                   "BottommostFiles",
                                                   "Ttl",
                                                   "Flush",
                                                   "ExternalSstIngestion",
                                                   "PeriodicCompaction",
                                                   "ChangeTemperature",
                                                   "ForcedBlobGC",
                                                   "RoundRobinTtl",
                                                   "RefitLevel",
                                                   "ReadTriggered"};
static_assert(static_cast<int>(CompactionReason::kManualCompaction) == 9);
static_assert(static_cast<int>(CompactionReason::kRoundRobinTtl) == 18);

constexpr std::string_view kErrorReasons[] = {
    "Flush",         "Compaction", "WriteCallback",      "MemTable",
    "ManifestWrite", "FlushNoWAL", "ManifestWriteNoWAL", "AsyncFileOpen"};
static_assert(static_cast<int>(BackgroundErrorReason::kManifestWriteNoWAL) == 6);

template <std::size_t kCount, class Reason>
std::string name_in(const std::string_view (&names)[kCount], Reason reason) {
  const auto index = static_cast<std::size_t>(reason);
  return index < kCount ? std::string(names[index]) : "reason " + std::to_string(index);
}

std::int64_t number(std::uint64_t value) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, kMax));
}

std::int64_t micros(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

wire::Event event(const char* kind, const std::string& family) {
  wire::Event made;
  made.kind = kind;
  made.column_family = bounded(family);
  return made;
}

struct Size {
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
};

// As good as the file's size, which a listener is not told: the rest of it is a few hundred bytes.
Size size_of(const rocksdb::TableProperties& table) {
  return {table.data_size + table.index_size + table.filter_size, table.num_entries};
}

Size size_of(const std::vector<std::string>& files,
             const rocksdb::TablePropertiesCollection& tables) {
  Size sum;
  for (const auto& file : files) {
    const auto it = tables.find(file);
    if (it == tables.end() || !it->second) continue;
    const auto one = size_of(*it->second);
    sum.bytes += one.bytes;
    sum.records += one.records;
  }
  return sum;
}

wire::Event compaction(const char* kind, const rocksdb::CompactionJobInfo& info) {
  auto made = event(kind, info.cf_name);
  made.numbers = {{"job", info.job_id},
                  {"input_level", info.base_input_level},
                  {"output_level", info.output_level},
                  {"input_files", number(info.input_files.size())}};
  made.words = {{"reason", name_of(info.compaction_reason)}};
  return made;
}

wire::Event failure(const char* kind, const char* phase, BackgroundErrorReason reason,
                    const rocksdb::Status& status) {
  auto made = event(kind, {});
  made.words = {{"reason", name_of(reason)}, {"status", bounded(status.ToString())}};
  if (phase != nullptr) made.words.emplace("phase", phase);
  return made;
}

}  // namespace

std::string bounded(const std::string& text) {
  constexpr std::size_t kMost = 512;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

std::string name_of(rocksdb::WriteStallCondition condition) {
  switch (condition) {
    case rocksdb::WriteStallCondition::kDelayed:
      return "delayed";
    case rocksdb::WriteStallCondition::kStopped:
      return "stopped";
    default:
      return "normal";
  }
}

std::string name_of(FlushReason reason) {
  return name_in(kFlushReasons, reason);
}

std::string name_of(CompactionReason reason) {
  return name_in(kCompactionReasons, reason);
}

std::string name_of(BackgroundErrorReason reason) {
  return name_in(kErrorReasons, reason);
}

wire::Event flush_begin(const rocksdb::FlushJobInfo& info) {
  auto made = event("flush_begin", info.cf_name);
  made.numbers = {{"job", info.job_id}};
  made.words = {{"reason", name_of(info.flush_reason)}};
  return made;
}

wire::Event flush_end(const rocksdb::FlushJobInfo& info, Elapsed elapsed) {
  auto made = event("flush_end", info.cf_name);
  const auto& table = info.table_properties;
  const auto output = size_of(table);
  made.numbers = {{"job", info.job_id},
                  {"input_bytes", number(table.raw_key_size + table.raw_value_size)},
                  {"output_bytes", number(output.bytes)},
                  {"output_records", number(output.records)},
                  {"output_level", 0}};
  if (elapsed) made.numbers.emplace("elapsed_us", micros(*elapsed));
  made.words = {{"reason", name_of(info.flush_reason)}};
  return made;
}

wire::Event compaction_begin(const rocksdb::CompactionJobInfo& info) {
  auto made = compaction("compaction_begin", info);
  const auto input = size_of(info.input_files, info.table_properties);
  made.numbers.emplace("input_bytes", number(input.bytes));
  made.numbers.emplace("input_records", number(input.records));
  return made;
}

bool moves_files(const rocksdb::CompactionJobInfo& info) {
  const auto& outputs = info.output_files;
  return !outputs.empty() &&
         std::ranges::find(info.input_files, outputs.front()) != info.input_files.end();
}

// In RocksDB 7 a file's `level` is its place among the job's input levels, of which the base level
// is the first.
Level0Input level0_input(const rocksdb::CompactionJobInfo& info) {
  Level0Input out;
  if (info.base_input_level != 0) return out;
  const std::size_t files = std::min(info.input_files.size(), info.input_file_infos.size());
  for (std::size_t i = 0; i < files; ++i) {
    if (info.input_file_infos[i].level != 0) continue;
    ++out.files;
    const auto table = info.table_properties.find(info.input_files[i]);
    if (table == info.table_properties.end() || !table->second) continue;
    const std::uint64_t bytes = size_of(*table->second).bytes;
    out.bytes += bytes;
    // kVersion of its table/sst_file_writer_collectors.h, in 7.8.3 and 11.8.1 alike.
    const bool ingested =
        table->second->user_collected_properties.contains("rocksdb.external_sst_file.version");
    if (ingested) out.ingested_bytes += bytes;
  }
  return out;
}

// Those of a later RocksDB are none of these, as far as anybody knows.
bool is_for_size(CompactionReason reason) {
  switch (reason) {
    case CompactionReason::kUnknown:
    case CompactionReason::kLevelL0FilesNum:
    case CompactionReason::kLevelMaxLevelSize:
    case CompactionReason::kUniversalSizeAmplification:
    case CompactionReason::kUniversalSizeRatio:
    case CompactionReason::kUniversalSortedRunNum:
    case CompactionReason::kFIFOMaxSize:
    case CompactionReason::kFIFOReduceNumFiles:
      return true;
    default:
      return false;
  }
}

wire::Event compaction_end(const rocksdb::CompactionJobInfo& info, Elapsed elapsed) {
  auto made = compaction("compaction_end", info);
  // It counts nothing for the files that it moves.
  const auto& outputs = info.output_files;
  const bool moves = moves_files(info);
  const auto& stats = info.stats;
  const Size input = moves ? size_of(info.input_files, info.table_properties)
                           : Size{stats.total_input_bytes, stats.num_input_records};
  made.numbers.insert({{"output_files", number(outputs.size())},
                       {"moved_files", moves ? number(outputs.size()) : 0},
                       {"input_bytes", number(input.bytes)},
                       {"output_bytes", number(stats.total_output_bytes)},
                       {"input_records", number(input.records)},
                       {"output_records", number(stats.num_output_records)}});
  if (stats.elapsed_micros > 0) {
    made.numbers.insert(
        {{"elapsed_us", number(stats.elapsed_micros)}, {"cpu_us", number(stats.cpu_micros)}});
  } else if (elapsed) {
    made.numbers.emplace("elapsed_us", micros(*elapsed));
  }
  made.words.emplace("status", bounded(info.status.ToString()));
  return made;
}

wire::Event background_error(BackgroundErrorReason reason, const rocksdb::Status& status) {
  return failure("background_error", nullptr, reason, status);
}

wire::Event recovery_begin(BackgroundErrorReason reason, const rocksdb::Status& status) {
  return failure("error_recovery", "begin", reason, status);
}

wire::Event recovery_end(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  auto made = event("error_recovery", {});
  made.words = {{"phase", "end"},
                {"before", bounded(info.old_bg_error.ToString())},
                {"status", bounded(info.new_bg_error.ToString())}};
  return made;
}

}  // namespace rocktune::agent
