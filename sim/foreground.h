// The foreground of one database: what arrives, what is done of it, and how long it takes. Pure.
#pragma once

#include "sim/device.h"
#include "sim/latency.h"
#include "sim/write_control.h"

namespace rocktune::sim {

// What is asked for until told otherwise.
struct Arrivals {
  double reads_per_second = 0;
  double writes_per_second = 0;
  double threads = 8;  // that do them: as many are under way at most
  // Reads and writes are done in turn by the same threads: where writers wait, reads wait, too.
  bool one_queue = false;
  // What was not done in time is done later, as fast as it goes.
  bool catches_up = false;
  // Nobody asks at a rate: the threads do one after the other, in this mix.
  bool closed = false;
  // How often a look-up misses, as a multiple of what the laws have: what is read moves, too.
  double misses = 1;
  // The share of writes whose keys lie behind all others, as those of a log or of a load in order.
  double appended = 0;
  bool anew = false;  // what was not done before is not done any more
  [[nodiscard]] double per_second() const { return reads_per_second + writes_per_second; }
};

// What a read costs.
struct ReadLaws {
  double read_seconds = 8e-6;   // of CPU, found in memory
  double write_seconds = 6e-6;  // ... of a write
  double lookups = 1;           // in the block cache, for each read
  double lookups_per_l0_file = 0;
  double l0_misses = 1;      // how often those miss, as a multiple of the others; filters seldom do
  double read_bytes = 4096;  // of one read of the device
  // The share of lookups that miss: `miss_ratio` at `cache_bytes`, and falling with the cache's
  // size to this power.
  double miss_ratio = 0;
  double cache_bytes = 8 << 20;
  double cache_exponent = 0.6;
  // RocksDB counts what compactions look up in the block cache among the rest, for each byte that
  // they read: nearly every block misses. They read ahead of it, so none of it goes to the device.
  double compaction_lookups = 0, compaction_misses = 0;
};

// Of a cache of this size, in [0, 1].
double miss_ratio(const ReadLaws& laws, double cache_bytes);

// Of a read, with so many files in level 0: look-ups, and those of them that miss for each of the
// others' miss ratio.
double lookups_per_read(const ReadLaws& laws, double l0_files);
double missing_lookups_per_read(const ReadLaws& laws, double l0_files);

// What stands in a queue is done within this time, where there are threads and CPUs for it: a short
// queue does not make the device's load jump.
inline constexpr double kQueueSeconds = 0.25;

struct ForegroundInput {
  Arrivals arrivals;
  double read_backlog = 0;  // operations that should have been done by now
  double write_backlog = 0;
  // How long those waited that are begun now.
  double read_queued_seconds = 0, write_queued_seconds = 0;
  WriteState write_state = WriteState::kNormal;
  double delayed_writes_per_second = 0;  // that get through while writes are delayed
  double misses_per_read = 0;
  double cpus = 1;  // that background work leaves
};

struct ForegroundRates {
  double reads_per_second = 0;
  double writes_per_second = 0;
  // As many as there would be were no write delayed or stopped: threads that wait for reads are not
  // held back.
  double unheld_writes_per_second = 0;
  LatencyMix read, write;
};

ForegroundRates foreground_rates(const ForegroundInput& input, const ReadLaws& laws,
                                 const DeviceUse& use, double device_read_seconds);

}  // namespace rocktune::sim
