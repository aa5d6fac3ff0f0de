#include "model/knobs.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "model/text.h"
#include "model/units.h"

namespace rocktune {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr std::int64_t kMiB = (1_MiB).value;

// Dwell times are what the knob itself needs: SetOptions writes a file under the database's mutex,
// and what a level's target changes takes minutes to show. Evaluations: until the effect of one
// change can be told from noise.
constexpr KnobSpec kCatalogue[] = {
    {
        knob::kRateLimit,
        "bytes/s",
        kMiB,  // below this even one small flush takes a minute
        kUnlimitedBytesPerSecond,
        4.0,  // a stall must end within seconds; two such steps are a factor of 16
        kMiB,
        seconds(2),   // four polls: the effect on the limiter's use is visible by then
        seconds(15),  // L0 compactions of a few seconds each have to finish
        true,
    },
    {knob::kL0Weight, "weight", 1, 16, 4, 3, seconds(5), seconds(30), false},
    {knob::kLimitFlushes, "switch", 0, 1, 2, 1, seconds(5), seconds(30), true},
    {
        knob::kBackgroundJobs,
        "jobs",
        1,
        kMostJobs,
        1.5,
        2,  // from 2 to 4: with one job more RocksDB often schedules nothing more
        seconds(5),
        seconds(30),
        true,
    },
    {knob::kSubcompactions, "threads", 1, kMostJobs, 2, 1, seconds(5), seconds(30), true},
    {
        knob::kCacheCapacity,
        "bytes",
        kMiB,
        4 * kTiB,
        2,
        (8_MiB).value,
        seconds(5),
        seconds(60),  // a grown cache has to fill before its hit ratio means anything
        true,
    },
    {
        knob::kDelayedWriteRate,
        "bytes/s",
        kMiB,
        kTiB,
        4,
        kMiB,
        seconds(5),
        seconds(15),
        true,
    },
    // How large the single writes are; how much is written stays. New files have it, which are
    // there within seconds while anything is written.
    {knob::kWriteSize, "bytes", 64 << 10, 64 * kMiB, 8, kMiB, seconds(10), seconds(15), true},
    // Memtables: a new size holds from the next memtable on
    {knob::kWriteBufferSize, "bytes", kMiB, kTiB, 2, kMiB, seconds(10), seconds(30), true},
    {knob::kWriteBuffers, "memtables", 2, 64, 2, 2, seconds(10), seconds(30), true},
    // When RocksDB compacts, delays and stops
    {knob::kL0Trigger, "files", 1, 4096, 2, 2, seconds(5), seconds(60), false},
    {knob::kL0Slowdown, "files", 1, 4096, 2, 4, seconds(10), seconds(60), true},
    {knob::kL0Stop, "files", 1, 4096, 2, 4, seconds(10), seconds(60), true},
    {knob::kSoftPending, "bytes", 16 * kMiB, 1024 * kTiB, 2, kMiB, seconds(10), seconds(60), true},
    {knob::kHardPending, "bytes", 16 * kMiB, 1024 * kTiB, 2, kMiB, seconds(10), seconds(60), true},
    // The tree's shape: judged by write amplification and latency over many compactions
    {knob::kTargetFileSize, "bytes", kMiB, 16384 * kMiB, 2, kMiB, seconds(60), seconds(600), false},
    {knob::kLevelBase, "bytes", kMiB, 1024 * kTiB, 4, kMiB, seconds(5), seconds(600), false},
    {knob::kBloomBits, "bits/key", 2, 32, 2, 10, seconds(60), seconds(600), true},
};

struct UnitOf {
  std::string_view name, unit;
};
// Of what agents tell and no policy turns, as agent/catalogue.cc has them.
constexpr UnitOf kOtherUnits[] = {
    {"rate_limiter_limit_reads", "switch"},
    {"bytes_per_sync", "bytes"},
    {"compaction_readahead_size", "bytes"},
    {"max_open_files", "files"},
    {"max_total_wal_size", "bytes"},
    {"max_compaction_bytes", "bytes"},
    {"block_size", "bytes"},
    {"universal_size_ratio", "percent"},
    {"universal_min_merge_width", "runs"},
    {"universal_max_merge_width", "runs"},
    {"universal_max_size_amplification_percent", "percent"},
};

std::string shown_in(std::string_view unit, std::int64_t value) {
  const auto number = static_cast<double>(value);
  if (unit == "bytes/s") {
    return value >= kUnlimitedBytesPerSecond ? "unlimited" : text::rate(number);
  }
  if (unit == "bytes") return text::bytes(number);
  if (unit == "switch") return value == 0 ? "off" : "on";
  return std::to_string(value);
}

}  // namespace

std::span<const KnobSpec> knob_catalogue() {
  return kCatalogue;
}

const KnobSpec* find_knob(std::string_view name) {
  for (const KnobSpec& spec : kCatalogue) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

std::string_view knob_unit(std::string_view name) {
  if (const KnobSpec* spec = find_knob(name)) return spec->unit;
  const auto* const found = std::ranges::find(kOtherUnits, name, &UnitOf::name);
  return found == std::end(kOtherUnits) ? std::string_view() : found->unit;
}

std::string shown(const KnobSpec& spec, std::int64_t value) {
  return shown_in(spec.unit, value);
}

std::string shown(std::string_view knob, std::int64_t value) {
  return shown_in(knob_unit(knob), value);
}

}  // namespace rocktune
