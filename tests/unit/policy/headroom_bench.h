// headroom on hand-made features, tick by tick: no plant, no guard.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

inline constexpr std::int64_t kHeadroomMiB = std::int64_t{1} << 20;

class HeadroomBench {
 public:
  HeadroomBench() {
    f.fresh = true;
    f.interval_seconds = 0.5;
    f.l0_files = 2;
    f.l0_slowdown_files = 20;
    f.l0_ratio = 0.1;
    f.pending_bytes = 0;
    f.pending_ratio = 0;
    f.immutable_memtables = 0;
    f.max_write_buffers = 2;
    f.memtable_ratio = 0;
    f.stalled_ratio = 0;
    f.write_stopped = 0;
    f.user_write_bytes_per_second = 10e6;
    f.flush_bytes_per_second = 10e6;
    f.compaction_write_bytes_per_second = 20e6;
    f.running_compactions = 0;
    f.running_flushes = 0;
    f.cpus = 4;
    f.cpu_busy_ratio = 0.3;
    f.read_p99_us = 500;
    f.reads_per_second = 20e3;
    f.device_queue = 1;
    f.device_read_await_ms = 0.2;
    f.device_read_iops = 5000;
    f.cache_hit_ratio = 0.99;
    f.cache_misses_per_second = 10;
    f.cache_fill_ratio = 1;
    f.memory_available_bytes = 8e9;
    f.memory_total_bytes = 16e9;
    f.memory_pressure_ratio = 0;
    f.knobs = {limiter_knob(kUnlimitedBytesPerSecond), jobs_knob(2),
               cache_knob(256 * kHeadroomMiB, 256 * kHeadroomMiB)};
    set_limit(kUnlimitedBytesPerSecond, 30e6);
  }
  void set_limit(std::int64_t limit, double passes) {
    f.knobs.edit()[0].value = limit;
    f.limiter_bytes_per_second = passes;
    f.limiter_rate.reset();
    f.limiter_use_ratio.reset();
    if (limit >= kUnlimitedBytesPerSecond) return;
    f.limiter_rate = static_cast<double>(limit);
    f.limiter_use_ratio = passes / static_cast<double>(limit);
  }
  void backlog(double l0_files) {
    f.l0_files = l0_files;
    f.l0_ratio = l0_files / 20;
    bool warns = l0_files >= 18;
    indicators.resize(1);
    indicators[0].kind = IndicatorKind::kCompactionBacklog;
    indicators[0].valid = true;
    indicators[0].cause = "l0";
    indicators[0].state = warns ? AlertState::kWarning : AlertState::kOk;
  }
  // A calibrated forecast of slow reads or writes.
  Indicator& foresee_slow(const char* cause) {
    indicators.resize(1);
    Indicator& p99 = indicators[0];
    p99.kind = IndicatorKind::kP99;
    p99.valid = p99.calibrated = true;
    p99.cause = cause;
    p99.state = AlertState::kWarning;
    return p99;
  }
  std::vector<Proposal> tick() {
    ++f.sequence;
    f.at.tick += at_seconds(f.interval_seconds);
    f.total_pending_bytes = f.pending_bytes;
    if (f.pending_bytes) *f.total_pending_bytes += others_pending_bytes;
    for (ColumnFamilyReading& one : f.column_families) {
      one.write_buffer_bytes = static_cast<std::uint64_t>(knob(knob::kWriteBufferSize).value);
      one.flushes = *one.flushes + flushes_per_tick;
      // Every other time a compaction takes what was flushed the time before.
      one.levels[0].files += f.sequence % 2 == 1 ? flushes_per_tick : -flushes_per_tick;
      one.levels[0].bytes = static_cast<std::uint64_t>(
          file_of_buffer * static_cast<double>(one.levels[0].files * *one.write_buffer_bytes));
      if (flushes_per_tick > 0) {
        f.flush_bytes_per_second =
            (file_of_buffer + blobs_of_buffer) * static_cast<double>(flushes_per_tick) *
            static_cast<double>(*one.write_buffer_bytes) / f.interval_seconds;
      }
      // The next level holds as much again as a compaction's files of level 0.
      one.l0_compactions_input_bytes =
          *one.l0_compactions_input_bytes +
          static_cast<std::uint64_t>(
              file_of_buffer *
              static_cast<double>(merged_again * flushes_per_tick * *one.write_buffer_bytes));
    }
    return policy->decide({f, indicators, objective, budget});
  }
  // The last proposal for the knob in that time...
  std::optional<Proposal> run(double seconds, std::string_view name) {
    return run_ticks(static_cast<int>(seconds / f.interval_seconds), name, [](int) {});
  }
  // ...in so many ticks, before each of which `change` is called with its number.
  template <class Change>
  std::optional<Proposal> run_ticks(int count, std::string_view name, Change change) {
    std::optional<Proposal> last;
    for (int i = 0; i < count; ++i) {
      change(i);
      for (const Proposal& proposal : tick()) {
        if (proposal.knob == name) last = proposal;
      }
    }
    return last;
  }

  // One column family with buffers of `size` (2 of them) that flush `flushes` times a second.
  void family(std::int64_t size, std::uint64_t flushes) {
    ColumnFamilyReading& reading = f.column_families.emplace_back();
    reading.name = "default";
    reading.leveled_compaction = 1;
    reading.level0_compaction_trigger = 4;
    reading.soft_pending_limit_bytes = std::uint64_t{64} << 30;
    reading.levels = {{2 + (f.sequence % 2 == 1 ? flushes / 2 : 0), 64u << 20},
                      {8, 512u << 20},
                      {64, std::uint64_t{5} << 30}};
    reading.flushes = 0;
    reading.l0_compactions_input_bytes = 0;
    flushes_per_tick = flushes / 2;
    auto add = [this](std::string_view name, std::int64_t value, std::int64_t min,
                      std::int64_t max) {
      f.knobs.edit().push_back(knob_reading(name, value, value, min, max));
      f.knobs.edit().back().column_family = "default";
    };
    add(knob::kWriteBufferSize, size, 1 << 20, std::int64_t{1} << 36);
    add(knob::kWriteBuffers, 2, 2, 64);
    add(knob::kLevelBase, 256 * kHeadroomMiB, 1 << 20, std::int64_t{1} << 40);
    add(knob::kTargetFileSize, 64 * kHeadroomMiB, 1 << 20, std::int64_t{1} << 34);
  }
  KnobReading& knob(std::string_view name) {
    for (KnobReading& reading : f.knobs.edit()) {
      if (reading.name == name) return reading;
    }
    f.knobs.edit().push_back(knob_reading(name, 0, 0, 0, std::int64_t{1} << 40));
    return f.knobs.edit().back();
  }
  // As the actuator would.
  void apply(const Proposal& proposal) {
    KnobReading& reading = knob(proposal.knob);
    reading.value = proposal.to;
    reading.owner = reading.value == reading.found ? KnobOwner::kFound : KnobOwner::kRocktune;
  }

  std::unique_ptr<Policy> policy = *make_policy("headroom", {});
  Features f;
  std::vector<Indicator> indicators;
  Objective objective;
  Budget budget;
  std::uint64_t flushes_per_tick = 0;
  double others_pending_bytes = 0;  // of column families that are not the worst off
  std::uint64_t merged_again = 2;   // what level-0 compactions read for each byte flushed
  double file_of_buffer = 1;        // bytes of the file for each of the buffer's
  double blobs_of_buffer = 0;       // ...and of the blob file
};

}  // namespace rocktune::test
