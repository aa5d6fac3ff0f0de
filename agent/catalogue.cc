#include "agent/catalogue.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace rocktune::agent {
namespace {

constexpr std::int64_t kKiB = std::int64_t{1} << 10;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr std::int64_t kPiB = std::int64_t{1} << 50;

constexpr std::string_view kBoolean = "boolean";
// What a change costs. SetOptions and SetDBOptions write a new OPTIONS file of all column families:
// 2.5 ms with one of them, 17 ms with 64 (7.8.3 of Debian, on this project's test machine).
constexpr std::string_view kFree = "free";
constexpr std::string_view kFile = "options_file";
constexpr std::string_view kNewFiles = "options_file, new SST files only";

constexpr std::string_view kLevel0Order =
    "level0_file_num_compaction_trigger <= level0_slowdown_writes_trigger <= "
    "level0_stop_writes_trigger";
constexpr std::string_view kPendingOrder =
    "soft_pending_compaction_bytes_limit <= hard_pending_compaction_bytes_limit, where neither is "
    "0 (off)";
constexpr std::string_view kMemtableMemory =
    "write_buffer_size * max_write_buffer_number, summed over the column families: at most half of "
    "the memory";
constexpr std::string_view kMemtableNumber =
    "above min_write_buffer_number_to_merge; write_buffer_size * max_write_buffer_number, summed "
    "over the column families: at most half of the memory";
constexpr std::string_view kCompactionSize = "target_file_size_base <= max_compaction_bytes";
constexpr std::string_view kMergeWidths = "universal_min_merge_width <= universal_max_merge_width";

using enum Scope;

// Sources of the ranges: RocksDB's own clamps at open (SanitizeOptions, which SetOptions does not
// run), and where it has none what a machine of today can make sense of.
constexpr std::array kCatalogue = {
    KnobInfo{
        .name = "rate_limiter_bytes_per_second",
        .scope = kLimiter,
        .bundle = Bundle::kRate,
        .unit = "bytes/s",
        .min = kMiB,
        .max = kTiB,
        .when_lowered = Relief::kDevice,
        .cost = kFree,
        .side_effects = "2^40 means unlimited; databases that share the limiter share its rate."},
    KnobInfo{
        .name = "rate_limiter_limit_flushes",
        .scope = kLimiter,
        .bundle = Bundle::kRate,
        .type = kBoolean,
        .min = 0,
        .max = 1,
        .when_raised = Relief::kDevice,
        .cost = kFree,
        .side_effects =
            "1 makes flushes wait for the rate too, so that writers stall when it is too low."},
    KnobInfo{.name = "rate_limiter_l0_weight",
             .scope = kLimiter,
             .bundle = Bundle::kRate,
             .min = 1,
             .max = 16,
             .cost = kFree,
             .side_effects =
                 "How much more of the rate compactions out of level 0 get than deeper ones."},
    KnobInfo{.name = "rate_limiter_limit_reads",
             .scope = kLimiter,
             .bundle = Bundle::kRate,
             .type = kBoolean,
             .min = 0,
             .max = 1,
             .when_raised = Relief::kDevice,
             .cost = kFree,
             .side_effects =
                 "1 charges the reads of compactions to the rate as well, which leaves less "
                 "for their writes."},
    KnobInfo{.name = "block_cache_capacity_bytes",
             .scope = kCache,
             .bundle = Bundle::kCapacity,
             .unit = "bytes",
             .min = kMiB,
             .max = kPiB,
             .ceiling = Ceiling::kMemory,
             .when_lowered = Relief::kMemory,
             .relations = "a strict cache: not below what is pinned",
             .cost = kFree,
             .side_effects =
                 "Lowering it evicts blocks at once; column families and databases that "
                 "share the cache share its capacity."},
    KnobInfo{.name = "max_background_jobs",
             .scope = kDatabase,
             .bundle = Bundle::kJobs,
             .unit = "jobs",
             .min = 1,
             .max = 128,
             .ceiling = Ceiling::kJobs,
             .when_lowered = Relief::kCpu,
             .cost = kFile,
             .side_effects = "Thread pools, which all databases of the Env share, grow and never "
                             "shrink; running jobs go on."},
    KnobInfo{
        .name = "max_subcompactions",
        .scope = kDatabase,
        .bundle = Bundle::kJobs,
        .unit = "threads",
        .min = 1,
        .max = 128,
        .ceiling = Ceiling::kJobs,
        .when_lowered = Relief::kCpu,
        .cost = kFile,
        .side_effects =
            "For compactions that begin after it; they take threads beyond max_background_jobs."},
    KnobInfo{.name = "delayed_write_rate",
             .scope = kDatabase,
             .bundle = Bundle::kFlow,
             .unit = "bytes/s",
             .min = kMiB,
             .max = kTiB,
             .when_lowered = Relief::kDevice,
             .cost = kFile,
             .side_effects = "A write delay in force starts again at this rate."},
    KnobInfo{.name = "bytes_per_sync",
             .scope = kDatabase,
             .bundle = Bundle::kFlow,
             .unit = "bytes",
             .min = 64 * kKiB,
             .max = kGiB,
             .when_lowered = Relief::kDevice,
             .cost = kFile,
             .side_effects = "For files that are opened after it."},
    KnobInfo{.name = "writable_file_max_buffer_size",
             .scope = kDatabase,
             .bundle = Bundle::kFlow,
             .unit = "bytes",
             .min = 64 * kKiB,
             .max = 64 * kMiB,
             .when_lowered = Relief::kDevice,
             .cost = kFile,
             .side_effects = "For files that are opened after it: the largest piece in which "
                             "flushes and compactions write, and what each file buffers."},
    KnobInfo{.name = "compaction_readahead_size",
             .scope = kDatabase,
             .bundle = Bundle::kFlow,
             .unit = "bytes",
             .min = 64 * kKiB,
             .max = 64 * kMiB,
             .when_lowered = Relief::kMemory,
             .special = 0,
             .special_means = "no read-ahead of RocksDB's own",
             .cost = kFile,
             .side_effects =
                 "For compactions that begin after it; each input file has a buffer of this size."},
    KnobInfo{
        .name = "max_open_files",
        .scope = kDatabase,
        .bundle = Bundle::kFiles,
        .unit = "files",
        .min = 64,
        .max = 4'194'304,
        .ceiling = Ceiling::kOpenFiles,
        .when_lowered = Relief::kMemory,
        .cost = kFile,
        .side_effects =
            "Lowering it closes table readers, whose index and filter blocks are read again; files "
            "opened while it was -1 stay open until they are compacted away."},
    KnobInfo{.name = "max_total_wal_size",
             .scope = kDatabase,
             .bundle = Bundle::kFlow,
             .unit = "bytes",
             .min = 16 * kMiB,
             .max = kPiB,
             .special = 0,
             .special_means = "four times all memtables at their fullest",
             .cost = kFile,
             .side_effects =
                 "If the WAL is larger than the new value, the oldest memtables are flushed "
                 "at once, after a wait for the writers."},
    KnobInfo{
        .name = "write_buffer_size",
        .scope = kColumnFamily,
        .bundle = Bundle::kMemtables,
        .unit = "bytes",
        .min = kMiB,
        .max = 64 * kGiB,
        .ceiling = Ceiling::kQuarterOfMemory,
        .when_lowered = Relief::kMemory,
        .relations = kMemtableMemory,
        .cost = kFile,
        .side_effects =
            "Lowering it below what the active memtable holds switches that at the next write."},
    KnobInfo{.name = "max_write_buffer_number",
             .scope = kColumnFamily,
             .bundle = Bundle::kMemtables,
             .unit = "memtables",
             .min = 2,
             .max = 64,
             .when_lowered = Relief::kMemory,
             .relations = kMemtableNumber,
             .cost = kFile,
             .side_effects =
                 "Lowering it to the number of unflushed memtables or below stops writes "
                 "until enough are flushed."},
    KnobInfo{.name = "level0_file_num_compaction_trigger",
             .scope = kColumnFamily,
             .bundle = Bundle::kLevel0,
             .unit = "files",
             .min = 1,
             .max = 4096,
             .relations = kLevel0Order,
             .cost = kFile,
             .side_effects =
                 "Lowering it starts compactions at once; for universal compaction it is "
                 "the number of sorted runs."},
    KnobInfo{
        .name = "level0_slowdown_writes_trigger",
        .scope = kColumnFamily,
        .bundle = Bundle::kLevel0,
        .unit = "files",
        .min = 1,
        .max = 4096,
        .relations = kLevel0Order,
        .cost = kFile,
        .side_effects = "Lowering it below the present number of files delays writes at once."},
    KnobInfo{.name = "level0_stop_writes_trigger",
             .scope = kColumnFamily,
             .bundle = Bundle::kLevel0,
             .unit = "files",
             .min = 1,
             .max = 4096,
             .relations = kLevel0Order,
             .cost = kFile,
             .side_effects = "Lowering it to the present number of files stops writes at once."},
    KnobInfo{.name = "soft_pending_compaction_bytes_limit",
             .scope = kColumnFamily,
             .bundle = Bundle::kPending,
             .unit = "bytes",
             .min = 16 * kMiB,
             .max = kPiB,
             .relations = kPendingOrder,
             .cost = kFile,
             .side_effects = "Lowering it below the present debt delays writes at once."},
    KnobInfo{.name = "hard_pending_compaction_bytes_limit",
             .scope = kColumnFamily,
             .bundle = Bundle::kPending,
             .unit = "bytes",
             .min = 16 * kMiB,
             .max = kPiB,
             .relations = kPendingOrder,
             .cost = kFile,
             .side_effects = "Lowering it below the present debt stops writes at once."},
    KnobInfo{.name = "target_file_size_base",
             .scope = kColumnFamily,
             .bundle = Bundle::kShape,
             .unit = "bytes",
             .min = kMiB,
             .max = 16 * kGiB,
             .relations = kCompactionSize,
             .cost = kNewFiles},
    KnobInfo{.name = "target_file_size_multiplier",
             .scope = kColumnFamily,
             .bundle = Bundle::kShape,
             .min = 1,
             .max = 16,
             .cost = kNewFiles},
    KnobInfo{
        .name = "max_compaction_bytes",
        .scope = kColumnFamily,
        .bundle = Bundle::kShape,
        .unit = "bytes",
        .min = 16 * kMiB,
        .max = kPiB,
        .when_lowered = Relief::kDevice,
        .relations = kCompactionSize,
        .cost = kFile,
        .side_effects =
            "For compactions that begin after it; smaller ones rewrite more of the next level."},
    KnobInfo{.name = "max_bytes_for_level_base",
             .scope = kColumnFamily,
             .bundle = Bundle::kShape,
             .unit = "bytes",
             .min = kMiB,
             .max = kPiB,
             .cost = kFile,
             .side_effects =
                 "Changes every level's target: the compaction debt jumps, and lowering it "
                 "starts compactions."},
    KnobInfo{.name = "max_bytes_for_level_multiplier",
             .scope = kColumnFamily,
             .bundle = Bundle::kShape,
             .min = 2,
             .max = 100,
             .cost = kFile,
             .side_effects =
                 "Changes every level's target: the compaction debt jumps; only whole values."},
    KnobInfo{.name = "block_size",
             .scope = kColumnFamily,
             .bundle = Bundle::kTable,
             .unit = "bytes",
             .min = kKiB,
             .max = kMiB,
             .relations = "a power of two where block_align is set",
             .cost = kNewFiles,
             .side_effects = "Before RocksDB 9.8 every column family that was opened with the same "
                             "table factory object changes with it."},
    KnobInfo{.name = "bloom_bits_per_key",
             .scope = kColumnFamily,
             .bundle = Bundle::kTable,
             .unit = "bits/key",
             .min = 2,
             .max = 32,
             .special = 0,
             .special_means = "no filter",
             .cost = kNewFiles,
             .side_effects = "Filters of new files take more or less memory; only whole values."},
    KnobInfo{.name = "universal_size_ratio",
             .scope = kColumnFamily,
             .bundle = Bundle::kUniversal,
             .unit = "percent",
             .min = 0,
             .max = 1000,
             .cost = kFile},
    KnobInfo{.name = "universal_min_merge_width",
             .scope = kColumnFamily,
             .bundle = Bundle::kUniversal,
             .unit = "runs",
             .min = 2,
             .max = 1024,
             .relations = kMergeWidths,
             .cost = kFile},
    KnobInfo{.name = "universal_max_merge_width",
             .scope = kColumnFamily,
             .bundle = Bundle::kUniversal,
             .unit = "runs",
             .min = 2,
             .max = 4'294'967'295,
             .when_lowered = Relief::kDevice,
             .relations = kMergeWidths,
             .cost = kFile},
    KnobInfo{.name = "universal_max_size_amplification_percent",
             .scope = kColumnFamily,
             .bundle = Bundle::kUniversal,
             .unit = "percent",
             .min = 10,
             .max = 10'000,
             .cost = kFile,
             .side_effects =
                 "Lowering it below the present amplification starts a compaction of everything."},
};

}  // namespace

std::string_view to_string(Scope scope) {
  switch (scope) {
    case kColumnFamily:
      return "column_family";
    case kCache:
      return "cache";
    case kLimiter:
      return "limiter";
    case kDatabase:
      break;
  }
  return "database";
}

std::span<const KnobInfo> catalogue() {
  return kCatalogue;
}

const KnobInfo& catalogue_entry(std::string_view name) {
  const auto* const found = std::ranges::find(kCatalogue, name, &KnobInfo::name);
  assert(found != kCatalogue.end());
  return *found;
}

}  // namespace rocktune::agent
