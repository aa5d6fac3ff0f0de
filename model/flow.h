// FamilyFlow: what the samples of one column family tell of its flow, learnt online from nothing:
// how often a flush adds a file to L0, how fast compactions out of L0 read, how long deeper ones
// take. With the present state that makes a FlowState to roll out. Pure; a fixed size, no
// allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/level_targets.h"
#include "model/rollout.h"
#include "model/sample.h"

namespace rocktune {

class FamilyFlow {
 public:
  // In order of `tick`, when the agent took the reading. Forgets what it learnt when a counter runs
  // backwards, and where something is missing: then true.
  bool update(const ColumnFamilyReading& reading, Nanoseconds tick);

  // What is missing for a roll-out, in words that follow "because "; null: nothing.
  [[nodiscard]] const char* why_not_ready() const;
  // How fast compactions out of L0 may read, bytes/s, rising: what was learnt; until one has ended,
  // some rates that are equally likely, without those by which the running one would be over.
  struct L0Rates {
    std::array<float, 4> values{};
    std::size_t count = 0;  // at least 1
    bool learnt = false;
  };
  [[nodiscard]] L0Rates l0_rates() const;
  // As of the last update, at one of these; only when ready.
  [[nodiscard]] FlowState state(std::size_t slots, double l0_rate) const;
  // To be told of each roll-out: once the rate is learnt, its first peak is compared with what
  // comes.
  void remember(const Rollout& rollout);
  // Whether it has use for one: no peak is waited for.
  [[nodiscard]] bool wants_peak() const { return l0_rate_ && forecast_.files == 0; }
  // The standard error of a peak's forecast, as a share of L0's growth until then.
  [[nodiscard]] double peak_error() const;
  [[nodiscard]] double slowdown_files() const { return slowdown_; }
  // Of L0, with the part of the next one that has been written.
  [[nodiscard]] double files_now() const;

 private:
  struct Counts {
    std::uint64_t flushes = 0;
    std::uint64_t l0 = 0, l0_ms = 0, l0_bytes = 0;
    std::uint64_t deep = 0, deep_ms = 0;
    [[nodiscard]] bool is_before(const Counts& later) const;
  };
  static constexpr Nanoseconds kNoFlush = Nanoseconds::min();
  struct PeakForecast {
    float files = 0, files_then = 0;  // files 0: there is none
  };
  static const char* missing(const ColumnFamilyReading& reading);
  static Counts counts_of(const ColumnFamilyReading& reading);
  void take_limits(const ColumnFamilyReading& reading);
  void take_levels(const ColumnFamilyReading& reading);
  void take_jobs(const ColumnFamilyReading& reading);
  void learn_flushes(const ColumnFamilyReading& reading, const Counts& counts, double removed);
  void learn_l0(const Counts& counts);
  void learn_deep(const Counts& counts);
  void learn_peak_error(double removed);
  [[nodiscard]] double silent_seconds() const;
  [[nodiscard]] double flush_interval() const;

  // Up to 64 of these are kept for each database. Seven digits are enough for all that is measured
  // or learnt; counters and times are kept exactly.
  const char* why_ = "nothing was read yet";
  Nanoseconds tick_{0};
  Counts counts_;
  // Limits, levels and running jobs as last read.
  LevelShape shape_;
  std::array<float, kMostFlowLevels> bytes_{};
  float slowdown_ = 0, file_bytes_ = 0;
  float l0_files_ = 0;
  float l0_job_files_ = 0, l0_job_bytes_ = 0, l0_job_age_ = 0;  // files 0: none is running
  float deep_job_age_ = 0;
  // Learnt.
  std::optional<float> flush_interval_, l0_rate_, deep_seconds_;
  float flush_bytes_ = 0;
  float error2_;
  // For learning.
  float files_before_ = 0;
  PeakForecast forecast_;
  Nanoseconds last_flush_ = kNoFlush;
  bool clean_ = false;  // nothing slowed writes down right after the last flush
  bool seen_ = false;
  std::uint8_t levels_ = 0;
  std::uint8_t deep_job_level_ = 0;  // 0: none is running

 public:
  FamilyFlow();
};

}  // namespace rocktune
