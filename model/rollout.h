// The roll-out: the flow of one column family with leveled compaction, simulated event by event
// from its present state. L0 gains a file with each flush and falls when a compaction out of it
// ends; which compaction comes next, and how long it takes, follows from the levels' sizes as
// RocksDB picks. Flushes in between need no event of their own: L0 grows evenly. Pure, no
// allocation, at most kMostRolloutSteps events.
//
// One background job at a time is exact but for what it leaves out: subcompactions (their effect is
// in the learnt rate), compactions within L0, compactions that the host asks for, and stalls, which
// are not fed back: L0 runs on past its limit, and by how far is the margin. With several slots two
// lanes run side by side: compactions out of L0 and out of the level under it, which exclude each
// other as they want the same files; and those of all deeper levels, as one lane that is faster by
// the number of slots that are left.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace rocktune {

// As far as it looks. Beyond this the present rates say little.
inline constexpr double kRolloutSeconds = 62;
inline constexpr double kBusySeconds = 30;
// Past this share of the limit it does not matter by how much: the roll-out may end.
inline constexpr double kFarPast = 1.2;
inline constexpr std::size_t kMostRolloutSteps = 600;
// Horizons for which peaks are told: the three that rocktune scores, and the caller's own.
inline constexpr std::size_t kRolloutHorizons = 4;
using Horizons = std::array<double, kRolloutHorizons>;

// Levels that a roll-out knows; RocksDB has 7 unless told otherwise. Each costs time and memory
// for each of 64 column families.
inline constexpr std::size_t kMostFlowLevels = 12;
using FlowLevels = std::array<double, kMostFlowLevels>;  // index = level

struct FlowState {
  double l0_files = 0;
  double l0_trigger = 4;
  double l0_slowdown = 20;
  double flush_interval_seconds = 1;
  double next_flush_seconds = 1;  // from now; above 0
  double flush_bytes = 0;         // of one file of L0
  // Compactions out of L0 read this much a second; those of other levels last so long each.
  double l0_bytes_per_second = 1;
  double deep_job_seconds = 1;
  double file_bytes = 0;  // that a deeper compaction moves down
  double l1_base_bytes = 0;
  std::size_t levels = 7;
  std::size_t base_level = 1;  // into which L0 is compacted
  FlowLevels level_bytes{};
  FlowLevels level_targets{};  // bytes, above 0; those of L0 and above the base level do not count
  std::size_t slots = 1;       // compactions that may run at a time

  struct L0Job {
    double seconds_left = 0;
    double files = 0;  // of L0
  };
  struct DeepJob {
    double seconds_left = 0;
    std::size_t level = 1;
  };
  std::optional<L0Job> l0_job;      // running
  std::optional<DeepJob> deep_job;  // running
};

// L0 is counted with the part of the next file that has been written: a flush interval's fraction.
struct Rollout {
  double files_now = 0;
  std::optional<double> eta_seconds;             // until L0 reaches its slowdown trigger
  std::array<double, kRolloutHorizons> peaks{};  // the most files of L0 until each horizon
  // When it was so far past the limit that it was followed no further: all peaks from then on are
  // what they were there.
  std::optional<double> far_past_seconds;
  // The end of the first compaction out of L0, and the files just before it.
  std::optional<double> first_end_seconds;
  double first_end_files = 0;
  // When the next compaction out of L0 begins, from now: 0 where one runs or is due; absent: none
  // begins in the time that is looked at.
  std::optional<double> l0_begin_seconds;
  double busy_ratio = 0;  // the share of the next kBusySeconds during which any compaction runs
};

// All of `now` finite, intervals, rates and targets above 0, `levels` from 2 to kMostFlowLevels.
// Horizons above 0, to kRolloutSeconds.
Rollout roll_out(const FlowState& now, const Horizons& horizons);

// The same, but no further than the longer of two horizons and, where `first_end`, to the end of
// the first compaction out of L0. Only the peaks (the first two), `eta_seconds` (absent beyond it)
// and the first end tell something.
Rollout glance(const FlowState& now, const std::array<double, 2>& horizons, bool first_end);

}  // namespace rocktune
