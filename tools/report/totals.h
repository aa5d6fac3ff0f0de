// Totals: one recording in figures: how long, how loaded, what stalled, what was warned of and
// decided. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/decision.h"
#include "model/event.h"
#include "model/features.h"
#include "model/objective.h"

namespace rocktune::tools {

// The share of the time in which writes were delayed or stopped: all of it where they are at the
// sample, else what RocksDB counted between two samples, added over writers and at most 1.
Value held_back_ratio(const Features& features);

// An amount, and for how long it was known.
struct Known {
  double amount = 0;   // the integral over that time
  double seconds = 0;  // 0: never known
  double most = 0;

  void add(const Value& rate, double interval_seconds);
  [[nodiscard]] std::optional<double> mean() const;
};

// P99 over a whole opening of the database, and how long it lay above its SLO.
class LatencyTotal {
 public:
  void add(const std::optional<LatencyHistogram>& reading, bool reset, const Value& p99_us,
           double slo_seconds, double interval_seconds);
  // Since the database was last opened within the recording; absent: not known.
  [[nodiscard]] Value p99_us() const;
  [[nodiscard]] const Known& above() const { return above_; }

 private:
  std::optional<LatencyHistogram> first_, last_;
  Known above_;
};

struct Totals {
  Nanoseconds first_wall{0}, last_wall{0};
  double seconds = 0;         // from the first to the last sample, by the monotonic clock
  std::uint64_t due = 0;      // polls
  std::uint64_t samples = 0;  // with a reading of the database
  std::uint64_t reopened = 0;
  Known reads, writes, seeks, user_bytes, flushed_bytes, compacted_bytes;
  Known held_back;  // the share of the time in which writes were delayed or stopped
  Known device_busy;
  LatencyTotal read, write;
  std::map<std::string, std::uint64_t> stalls;  // told by RocksDB, by cause
  std::map<std::string, std::uint64_t> raised;  // alerts, by indicator
  std::map<VerdictKind, std::uint64_t> verdicts;
  std::map<std::string, std::uint64_t> actuations, outcomes;  // by status, by result

  void add_sample(const Sample& sample, const Features& features, const Objective& objective);
  void add_event(const DatabaseEvent& event);

 private:
  std::optional<Nanoseconds> first_tick_;
  std::optional<std::uint64_t> first_sequence_;
};

}  // namespace rocktune::tools
