// Evidence: what a recording of one database comes to, folded sample by sample. Rules see nothing
// else (advice/rules.h). Memory is bounded by the number of column families. Pure; not thread-safe.
//
// Every figure is absent until it was read. When the database is opened again with other options
// than before, what was seen before says nothing of them: the evidence begins anew.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advice/family_evidence.h"
#include "advice/settled_knobs.h"
#include "advice/tallies.h"
#include "model/feature_stream.h"
#include "model/open_options.h"
#include "model/sample.h"

namespace rocktune::advice {

// What is known of one opening of the database besides its samples; empty where it was not told.
struct Opening {
  std::string rocksdb_version;  // "7.8.3"
  std::string limiter;          // "host", "agent", "none"
  std::string statistics;       // "host", "agent", "none"
  OpenOptions options;          // as the trace has them, or RocksDB's file, where it was given
};

// What reads looked up in the block cache. Compactions look up each block that they read, too, and
// mostly in vain: time in which they may have had a part in the misses does not count.
struct LookupTally {
  Sum hits, misses;
  Sum reads;  // seeks among them

  void add(const LookupTally& other);
  [[nodiscard]] Value lookups() const;
  [[nodiscard]] Value hit_ratio() const;
};

inline constexpr double kLeastLookupSeconds = 30;  // for a hit ratio to count

// The same while the block cache had one capacity.
struct CacheTally {
  LookupTally reads;
  Mean fill;
};

// By rocktune, above what was found.
inline bool is_raised(const KnobReading& knob) {
  return knob.owner == KnobOwner::kRocktune && knob.value > knob.found;
}

struct Evidence {
  Opening opening;  // of the last sample
  // The operator's budget of block cache and write buffers together, bytes: the last recording's.
  std::optional<std::uint64_t> memory_max;

  Nanoseconds first_wall{0}, last_wall{0};
  std::uint64_t samples = 0;  // with a reading of the database
  double seconds = 0;         // between readings of which rates could be had
  std::uint64_t openings = 0;
  std::uint64_t begun_anew = 0;  // opened with other options than before

  // Foreground
  Sum reads, writes, seeks, user_bytes, wal_bytes;
  Sum stalled;             // seconds in which writers waited, summed over writers, at most all
  Share delayed, stopped;  // of writes
  // Each with one or more writes, and the time that they took; a histogram has both.
  Sum write_calls, write_call_us;
  Mean read_mean_us, write_p50_us;
  Mean read_p99_us_compacting, read_p99_us_quiet;  // while compactions ran, and while none did
  Value peak_user_bytes_per_second, peak_flushed_bytes_per_second;  // over kPeakSeconds
  Mean undelayed_user_bytes_per_second, undelayed_flushed_bytes_per_second;
  bool reads_timed = false;  // a histogram of reads has counted any

  // Background
  Sum flushed, compaction_written, compaction_read, flushed_while_flushing;
  Mean running_compactions;
  Share slots_full;    // as many compactions as compaction_slots()
  Share limiter_full;  // at least kFullLimiter of the limiter's rate was used; unlimited: not so
  Mean limiter_rate, limiter_passed;  // while there was a limit
  Value last_limiter_rate;            // as last read; absent while nothing is limited
  Share limiter_raised;               // rocktuned had it above the rate found

  // Cache
  Sum hits, filter_useful;  // of all
  LookupTally read_lookups;
  Mean cache_usage;
  std::map<std::uint64_t, CacheTally> by_capacity;  // at most kMostCapacities

  // Device and host
  Mean device_write_iops, device_write_await_ms, device_busy, device_queue;
  Mean cpu_busy, cpu_pressure, process_cores, memory_pressure, memory_available;
  Value cpus, memory_total, cache_capacity;  // as last read
  // Databases that grow into the same free memory, this one included; absent: not known.
  std::optional<std::uint64_t> memory_sharers;

  KnobReadings knobs;  // as last read
  SettledKnobs settled;
  std::map<std::string, FamilyEvidence> families;

  // The database's knob, as last read, or as it was opened with; absent when neither is known.
  [[nodiscard]] Value knob(std::string_view name) const;
  // max_background_compactions or max_background_flushes is set: max_background_jobs is not heeded.
  [[nodiscard]] bool jobs_overridden() const;
  // Of the background jobs, those that compactions may take; absent when that is not known.
  [[nodiscard]] Value compaction_slots() const;
  // As it was opened; absent when it was not told.
  [[nodiscard]] std::optional<std::string> option(const std::string& name) const;
  [[nodiscard]] std::optional<std::string> option(const std::string& family,
                                                  const std::string& name) const;
  // Values lie in blob files, which samples do not count: by the options, or because flushes wrote
  // far more than tables of level 0 hold. Of any column family, or of this one.
  [[nodiscard]] bool blob_files() const;
  [[nodiscard]] bool blob_files(const FamilyEvidence& family) const;
  // Of the memory that is free on the host, as much as is for this database where each that shares
  // it follows its advice.
  [[nodiscard]] Value free_memory() const;
  // (flush + compaction) / flush: how often a flushed byte is written until it rests.
  [[nodiscard]] Value writes_per_flushed_byte() const;
  // (flush + compaction) / user bytes: source 003's write amplification.
  [[nodiscard]] Value write_amplification() const;
  // The largest share of the time in which RocksDB held writers up, by whatever tells it.
  [[nodiscard]] Value write_trouble() const;
  // Whether a limiter was full for most of the time, so that compactions waited for it; absent
  // where there is one, or may be, and what it let pass was not read.
  [[nodiscard]] std::optional<bool> limiter_holds() const;
};

// Of so many background jobs, those that compactions may take: a quarter is for flushes
// (DBImpl::GetBGJobLimits, RocksDB 5 to 11).
double compaction_slots(double jobs);

inline constexpr double kPeakSeconds = 10;  // a burst that memtables may have to take
inline constexpr double kFullLimiter = 0.9;
inline constexpr double kMostlyFullLimiter = 0.5;  // of the time
inline constexpr std::size_t kMostCapacities = 64;

class EvidenceFold {
 public:
  // Samples in the order of time; `opening` is of this sample's incarnation.
  void add(const Sample& sample, const Opening& opening);
  // A recording of the database begins, with the operator's budget then: nothing lies between it
  // and what came before.
  void begin_recording(std::optional<std::uint64_t> memory_max);
  [[nodiscard]] const Evidence& evidence() const { return evidence_; }

 private:
  void see_options(const Sample& sample, const OpenOptions& options);
  void add_rates(const Features& features);
  void add_gauges(const Features& features, const DatabaseReading& now);
  void add_lookups(const Features& features, const DatabaseReading& now);
  void add_limiter(const Features& features, const Sample& sample);
  void add_peak(const Features& features);
  void begin_anew();

  Evidence evidence_;
  FeatureStream stream_;
  std::optional<DatabaseReading> last_;  // of the same incarnation
  std::string incarnation_;
  std::map<std::string, ColumnFamilyReading> opened_with_;  // options alone, by column family
  double window_seconds_ = 0, window_user_bytes_ = 0, window_flushed_bytes_ = 0;
};

}  // namespace rocktune::advice
