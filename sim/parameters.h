// What the plant (sim/plant.h) is made of: the options that a database has, and the laws of the
// machine and of the data under it. Plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/foreground.h"
#include "sim/tree.h"
#include "sim/write_control.h"

namespace rocktune::sim {

struct FamilyOptions {
  double write_buffer_bytes = 64 << 20;
  StallLimits limits;
  TreeOptions tree;
  bool operator==(const FamilyOptions&) const = default;
};

struct PlantOptions {
  std::int64_t max_background_jobs = 2;
  std::int64_t max_subcompactions = 1;
  std::uint64_t delayed_write_rate = 16 << 20;  // bytes/s
  double rate_limit = 0;  // bytes/s written by flushes and compactions; 0: none
  // auto_tuned: by RocksDB's own rule, no higher than rate_limit was at first. A plant's options
  // have the rate of the moment.
  bool limit_tunes_itself = false;
  // Flushes wait for it, and come first. Else what they write is charged: compactions make up for
  // it with at most half of the rate (agent/limiter/fair_budget.h).
  bool limit_flushes = true;
  // What compactions out of level 0 weigh at the agent's own limiter, against 1 of the others; 0:
  // the limiter is RocksDB's, which makes no difference between them.
  std::int64_t l0_weight = 0;
  double cache_bytes = 8 << 20;        // block cache
  double write_piece_bytes = 1 << 20;  // writable_file_max_buffer_size
  // Since RocksDB 8.10 a debt that is large for the data gives compaction all slots.
  bool debt_for_size_speeds_up = false;
  std::vector<FamilyOptions> families = std::vector<FamilyOptions>(1);
  bool operator==(const PlantOptions&) const = default;
};

// As the agent does to a host without a limiter: its own, which limits nothing at first.
inline void bring_limiter(PlantOptions& options) {
  options.rate_limit = 0;
  options.limit_flushes = false;
  options.l0_weight = 4;  // FairBudget::kDefaultL0Weight
}

// What a second of work comes to. The defaults are what 24 recorded runs of RocksDB 6.11 with one
// background job had in the middle (NVMe, SATA SSD, disk, persistent memory; 2021), and a start for
// calibration (sim/calibrate/lsm.h) only.
struct Laws {
  TreeLaws tree;
  double bytes_per_write = 1000;          // key and value
  double memtable_fill = 0.87;            // user bytes / write_buffer_size when it is switched
  double flush_output = 1;                // bytes of the file / user bytes in the memtable
  double flush_bytes_per_second = 150e6;  // of one flush, written
  double l0_bytes_per_second = 60e6;      // of one thread of a compaction out of L0, read
  double deep_bytes_per_second = 60e6;    // of another compaction, read
  double subcompaction_gain = 0.8;        // n threads work n^this times as fast as one
  double job_spread = 0.1;                // deviation of the logarithm of a job's speed
  // User bytes that get through for each byte of the delayed rate: it counts the whole batch.
  double delayed_bytes = 1;
  double read_piece_bytes = 256 << 10;  // that compactions read ahead at a time
  ReadLaws reads;
};

// Which laws a recorded run has shown. The others are as they usually are, and only assumed.
struct Seen {
  bool flush_speed = false, l0_speed = false, deep_speed = false;
  bool overlap = false;
  bool cache = false;
  bool operator==(const Seen&) const = default;
};

// No single thread merges faster: what seems to is a broken counter, or a device that is faster
// than it was said to be.
inline constexpr double kFastestJob = 1e9;  // bytes/s

}  // namespace rocktune::sim
