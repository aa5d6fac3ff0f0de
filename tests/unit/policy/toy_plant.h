// A toy LSM tree on a toy device, just enough for closed loops: memtables, L0, debt below L0,
// RocksDB's stall rules, a limiter and compaction slots. Deterministic; gives Samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

class ToyPlant {
 public:
  // What a test sets.
  double demand = 30e6;             // user bytes/s
  double read_demand = 5000;        // gets/s
  double device_bandwidth = 400e6;  // bytes/s of background writes
  double thread_rate = 70e6;        // one compaction thread
  double buffers = 2;               // memtables; of more than 3 the last but one delays
  double read_p99_us = 800;         // undisturbed
  double disturbance = 0;           // share by which a fully used device slows reads
  double other_use = 0;             // share of the device that others take
  std::int64_t limit = kUnlimitedBytesPerSecond, found_limit = kUnlimitedBytesPerSecond;
  std::int64_t jobs = 2, found_jobs = 2;
  std::int64_t cache = 256 * kMiB, found_cache = 256 * kMiB;
  double memory_available = 8e9;
  // Above 0: what reads touch evenly; the cache is then always full, and its memory, a machine's 16
  // GiB and what others use of them decide what is available.
  double working_set = 0, others = 0;
  double write_await_ms = 0;  // above 0: of the device's writes; its reads then take 0.2 ms
  // Above 0: what reads take the device while compactions run, and 0.2 ms else.
  double loaded_await_ms = 0;
  // Above 0: after so many seconds the device does no more than `degraded_bandwidth`.
  double degrades_after = 0, degraded_bandwidth = 0;
  // Knobs beside limiter, jobs and cache; see add_all_knobs().
  std::vector<KnobReading> more;

  // Every knob that headroom turns, and what its loops look at. Those with an effect here: the
  // delayed write rate, subcompactions and the write buffers' size.
  void add_all_knobs() {
    constexpr std::int64_t kMost = std::int64_t{1} << 40, kMega = kMiB;
    auto add = [this](std::string_view name, std::int64_t value, std::int64_t min, std::int64_t max,
                      const char* family = "") {
      more.push_back(knob_reading(name, value, value, min, max));
      more.back().column_family = family;
    };
    add(knob::kSubcompactions, 1, 1, 64);
    add(knob::kDelayedWriteRate, 2 * kMega, kMega, kMost);
    add(knob::kWriteBufferSize, 8 * kMega, kMega, kMost, "default");
    add(knob::kWriteBuffers, 2, 2, 64, "default");
    add(knob::kLevelBase, 256 * kMega, kMega, kMost, "default");
    add(knob::kTargetFileSize, 64 * kMega, kMega, kMost, "default");
    add(knob::kBloomBits, 2, 2, 32, "default");
    add(knob::kL0Trigger, 4, 1, 4096, "default");
    add(knob::kL0Slowdown, 20, 1, 4096, "default");
    add(knob::kWriteSize, kMega, 64 << 10, kMost);
  }
  // nullptr: it is not there.
  KnobReading* find_more(std::string_view name) {
    for (KnobReading& one : more) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }

  ToyPlant() : sample_(quiet_sample(0, 1000)) {}

  // Lives for half a second and says what can be seen then.
  Sample poll() {
    for (int i = 0; i < 50; ++i) live(0.01);
    sample_ = next_sample(sample_);
    fill();
    return sample_;
  }
  [[nodiscard]] double written() const { return user_; }
  [[nodiscard]] double l0() const { return l0_; }
  [[nodiscard]] double debt() const { return debt_; }
  [[nodiscard]] double background() const { return passed_; }  // bytes since the start
  [[nodiscard]] double stalled_seconds() const { return stalled_us_ / 1e6; }

 private:
  static constexpr double kSmallBuffer = 8e6, kTrigger = 4, kStop = 36;
  static constexpr double kBelow = 3;  // bytes written below L0 per byte that leaves it

  double value_of(std::string_view name, double otherwise) {
    const KnobReading* known = find_more(name);
    return known == nullptr ? otherwise : static_cast<double>(known->value);
  }

  [[nodiscard]] double slots() const {
    return std::max<double>(1, static_cast<double>(jobs - std::max<std::int64_t>(1, jobs / 4)));
  }

  void live(double dt) {
    if (degrades_after > 0 && time_ >= degrades_after) device_bandwidth = degraded_bandwidth;
    const double buffer = value_of(knob::kWriteBufferSize, kSmallBuffer);
    stopped_ = immutable_ >= buffers || l0_ >= kStop;
    delayed_ = !stopped_ && (l0_ >= value_of(knob::kL0Slowdown, 20) ||
                             (buffers > 3 && immutable_ >= buffers - 1));
    double rate = stopped_   ? 0
                  : delayed_ ? std::min(demand, value_of(knob::kDelayedWriteRate, 2e6))
                             : demand;
    if (stopped_ || delayed_) stalled_us_ += dt * 1e6 * (1 - rate / demand);
    user_ += rate * dt;
    memtable_ += rate * dt;
    if (memtable_ >= buffer && immutable_ < buffers) {
      memtable_ -= buffer;
      ++immutable_;
    }
    double left = device_bandwidth * (1 - other_use);
    double budget = std::min(left, static_cast<double>(limit)) * dt;
    double start = budget;
    budget -= flush(std::min(budget, thread_rate * dt));
    budget -= compact(budget, dt);
    passed_ += start - budget;
    own_use_ = (start - budget) / (device_bandwidth * dt);
    device_use_ = std::min(1.0, own_use_ + other_use);
    time_ += dt;
    queue_ms_ += dt * 1e3 * 40 * device_use_;
    reads_ += read_demand * dt;
    read_await_ms_ += dt * 1000 * (loaded_await_ms > 0 && running_ > 0 ? loaded_await_ms : 0.2);
  }

  double flush(double amount) {
    if (immutable_ < 1) return 0;
    const double buffer = value_of(knob::kWriteBufferSize, kSmallBuffer);
    flushing_ += amount;
    flushed_ += amount;
    if (flushing_ >= buffer) {
      flushing_ = 0;
      --immutable_;
      ++l0_;
      ++flushes_;
    }
    return amount;
  }

  // One thread works on L0, which cannot be split; the others on the debt below.
  double compact(double budget, double dt) {
    const double buffer = value_of(knob::kWriteBufferSize, kSmallBuffer);
    double free_slots = slots(), used = 0;
    if (job_left_ <= 0 && l0_ >= kTrigger) {
      job_files_ = l0_;
      job_left_ = job_files_ * buffer + 32e6;
      l0_input_ += job_left_;
    }
    running_ = 0;
    if (job_left_ > 0) {
      const double threads = value_of(knob::kSubcompactions, 1);
      double done = std::min({budget, threads * thread_rate * dt, job_left_});
      job_left_ -= done;
      used += done;
      --free_slots;
      ++running_;
      if (job_left_ <= 0) {
        l0_ -= job_files_;
        debt_ += kBelow * job_files_ * buffer;
      }
    }
    if (free_slots > 0 && debt_ > 20e6) {
      double done = std::min({budget - used, free_slots * thread_rate * dt, debt_});
      running_ += std::min(free_slots, std::ceil(debt_ / 500e6));
      debt_ -= done;
      used += done;
    }
    compacted_ += used;
    return used;
  }

  void fill() {
    auto whole = [](double value) { return static_cast<std::uint64_t>(value); };
    DatabaseReading& db = *sample_.database;
    db.user_bytes_written = whole(user_);
    db.keys_written = whole(user_ / 1000);
    db.keys_read = whole(reads_);
    db.flush_bytes_written = whole(flushed_);
    db.compaction_bytes_written = whole(compacted_);
    db.limiter_bytes_through = whole(passed_);
    db.stall_us = whole(stalled_us_);
    db.write_stopped = stopped_ ? 1 : 0;
    db.delayed_write_rate = delayed_ ? 2000000 : 0;
    db.running_compactions = whole(running_);
    db.running_flushes = immutable_ >= 1 ? 1 : 0;
    ColumnFamilyReading& family = db.column_families[0];
    const double buffer = value_of(knob::kWriteBufferSize, kSmallBuffer);
    if (!more.empty()) fill_more(family);
    family.levels[0].files = whole(l0_);
    family.levels[0].bytes = whole(std::floor(l0_) * buffer);
    family.immutable_memtables = whole(immutable_);
    family.max_write_buffer_number = whole(buffers);
    family.pending_compaction_bytes = whole(debt_ + (l0_ >= kTrigger ? l0_ * buffer : 0));
    fill_reads(db);
    sample_.device->queue_ms = whole(queue_ms_);
    sample_.device->write_sectors = whole(passed_ / 512);
    fill_cache(db);
    sample_.host->memory_available_bytes = whole(memory_available);
    sample_.host->cpus = 4;
    sample_.knobs = {limiter_knob(limit, found_limit), jobs_knob(jobs, found_jobs),
                     cache_knob(cache, found_cache)};
    sample_.knobs.edit().insert(sample_.knobs.edit().end(), more.begin(), more.end());
  }

  void fill_more(ColumnFamilyReading& family) {
    family.leveled_compaction = 1;
    family.levels.resize(4);
    for (std::size_t level = 1; level < 4; ++level) {
      family.levels[level] = {std::uint64_t{4} << level, kMiB << (6 + 2 * level)};
    }
    family.level0_slowdown_trigger = static_cast<std::uint64_t>(value_of(knob::kL0Slowdown, 20));
    family.level0_compaction_trigger = static_cast<std::uint64_t>(value_of(knob::kL0Trigger, 4));
    family.flushes = static_cast<std::uint64_t>(flushes_);
    family.l0_compactions_input_bytes = static_cast<std::uint64_t>(l0_input_);
    family.write_buffer_bytes =
        static_cast<std::uint64_t>(value_of(knob::kWriteBufferSize, kSmallBuffer));
    if (write_await_ms > 0) {
      sample_.device->write_ios = static_cast<std::uint64_t>(time_ * 1000);
      sample_.device->write_ms = static_cast<std::uint64_t>(time_ * 1000 * write_await_ms);
    }
    if (write_await_ms > 0 || loaded_await_ms > 0) {
      sample_.device->read_ios = static_cast<std::uint64_t>(time_ * 1000);
      sample_.device->read_ms = static_cast<std::uint64_t>(read_await_ms_);
    }
    sample_.host->cpu_busy_us = static_cast<std::uint64_t>(time_ * 1e6);
    sample_.host->cpu_idle_us = static_cast<std::uint64_t>(time_ * 3e6);
  }

  void fill_cache(DatabaseReading& db) {
    if (!(working_set > 0)) return;
    auto size = static_cast<double>(cache);
    double looked_up = read_demand * 0.5;
    double hits = looked_up * std::min(1.0, size / working_set);
    hits_ += hits;
    misses_ += looked_up - hits;
    db.block_cache_hits = static_cast<std::uint64_t>(hits_);
    db.block_cache_misses = static_cast<std::uint64_t>(misses_);
    db.cache_capacity_bytes = db.cache_usage_bytes = static_cast<std::uint64_t>(size);
    sample_.device->read_ios = static_cast<std::uint64_t>(misses_);
    memory_available = std::max(0.0, 16.0 * 1024 * kMiB - others - size);
  }

  void fill_reads(DatabaseReading& db) {
    double p99 = read_p99_us * (1 + disturbance * device_use_);
    auto lower = static_cast<std::uint64_t>(p99);
    LatencyHistogram::Bucket bucket{lower, lower + 1, 2500};
    auto& buckets = db.read_latency->buckets;
    auto place = std::find_if(buckets.begin(), buckets.end(),
                              [&](const auto& one) { return one.lower_us >= lower; });
    if (place != buckets.end() && place->lower_us == lower) {
      place->count += bucket.count;
    } else {
      buckets.insert(place, bucket);
    }
    db.read_latency->sum_us += bucket.count * lower;
  }

  Sample sample_;
  double time_ = 0, user_ = 0, reads_ = 0, memtable_ = 0, immutable_ = 0, flushing_ = 0, l0_ = 0;
  double debt_ = 0, job_left_ = 0, job_files_ = 0, running_ = 0;
  double flushed_ = 0, compacted_ = 0, passed_ = 0, stalled_us_ = 0, queue_ms_ = 0;
  double read_await_ms_ = 0;  // of all reads, in sum
  double device_use_ = 0, own_use_ = 0, hits_ = 0, misses_ = 0, flushes_ = 0, l0_input_ = 0;
  bool stopped_ = false, delayed_ = false;
};

}  // namespace rocktune::test
