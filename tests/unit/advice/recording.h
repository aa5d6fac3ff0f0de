// Made recordings for the tests of advice: one sample a second of a healthy database, in which a
// test changes what its rule looks at.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "advice/evidence.h"
#include "advice/rules.h"

namespace rocktune::advice {

inline constexpr std::uint64_t kMiBytes = 1 << 20;
inline constexpr std::uint64_t kGiBytes = 1 << 30;

// What grows in each second, and the gauges that stay. The defaults give no rule a reason.
struct Recording {
  Recording();

  int seconds = 300;
  // Growth a second
  std::uint64_t reads = 2000, writes = 500, seeks = 0, bytes_per_write = 500;
  std::uint64_t writes_per_call = 1;
  double wal_per_written = 1, flushed_per_written = 1, compacted_per_flushed = 3;
  std::uint64_t hits = 4000, misses = 100, filter_useful = 2000;
  std::uint64_t stall_us = 0;
  std::uint64_t read_us = 100, write_us = 5;
  double flushes = 0.01, l0_compactions = 0.0025;
  std::uint64_t l0_compaction_ms = 2000, l0_compaction_input_bytes = 512u << 20;
  std::uint64_t device_writes = 20, device_write_ms_each = 1, device_busy_ms = 100;
  std::uint64_t cpu_busy_us = 1'000'000;  // of all 8
  Sample sample;                          // gauges, options, knobs
  Opening opening{"7.8.3", "host", "host", {}};
  std::optional<std::uint64_t> memory_max;
  // May change the recording itself before each second.
  std::function<void(Recording&, int second)> each = [](Recording&, int) {};

  ColumnFamilyReading& family() { return sample.database->column_families.front(); }
  [[nodiscard]] Evidence evidence() const;
  [[nodiscard]] Report report() const { return judge(evidence()); }

 private:
  void step();
  std::map<std::uint64_t, std::uint64_t> read_counts_, write_counts_;
  double flushes_ = 0, compactions_ = 0;
};

// The advice of this rule; fails the test when there is none, or more than one.
const Advice& only_advice(const Report& report, std::string_view rule);
bool advises(const Report& report, std::string_view rule);
// Why the rule is content, or could not judge; empty when it is not so.
std::string content_of(const Report& report, std::string_view rule);
std::string not_judged_of(const Report& report, std::string_view rule);

}  // namespace rocktune::advice
