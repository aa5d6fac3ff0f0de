// Plant: one RocksDB under what its application asks for, simulated from event to event: between a
// memtable's switch, the ends of flushes and compactions and the moments at which its caller looks,
// all rates are constant. Several share a machine: sim/host.h moves them.
//
// It ranks what a policy does; it is no oracle for absolute figures. Deterministic: the same
// options, laws, seed and demand give the same run. Pure; copyable, which is a fork of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/arrival_clock.h"
#include "sim/limiter_tuning.h"
#include "sim/parameters.h"
#include "sim/random.h"
#include "sim/tree.h"
#include "sim/write_control.h"

namespace rocktune::sim {

// Cumulative since the plant was made.
struct Totals {
  double seconds = 0;
  double keys_written = 0;
  double user_bytes_written = 0;
  double flush_bytes_written = 0;
  double compaction_bytes_read = 0;
  double compaction_bytes_written = 0;
  double keys_read = 0;
  double cache_hits = 0, cache_misses = 0;
  double writers_seconds = 0;  // that writers lost to delays and stops, in sum
  double delayed_seconds = 0;  // writes were delayed
  double stopped_seconds = 0;  // ... stopped
};

// Of one column family: jobs that have ended, as the agent counts them.
struct FamilyTotals {
  std::uint64_t flushes = 0;
  double flush_seconds = 0;
  std::optional<double> last_flush_at;  // seconds
  std::uint64_t l0_compactions = 0;     // those that only move files left out
  double l0_seconds = 0;
  double l0_input_bytes = 0;
  std::uint64_t deep_compactions = 0;  // those that only move files included
  double deep_seconds = 0;
};

struct RunningCompaction {
  std::size_t family = 0;
  Compaction what;
  double began_at = 0;  // seconds
  double left = 0;      // bytes to be read; of a trivial move, seconds
  double speed = 0;     // of `left`, a second, as of the last event
  double luck = 1;      // no two jobs are equally fast
  double threads = 1;
  double written_ratio = 1;
};

// A family as a recorded run had it, to go on from.
struct FamilyState {
  std::vector<double> level_bytes;  // index = level
  std::size_t l0_files = 0;
  std::size_t immutable_memtables = 0;
  double active_bytes = 0;  // user bytes in the active memtable
};

class Plant {
 public:
  Plant(const PlantOptions& options, const Laws& laws, std::uint64_t seed);

  // One state for each family; `delayed_rate` 0: writes are not delayed.
  void restore(std::span<const FamilyState> families, std::uint64_t delayed_rate);
  // Options that RocksDB takes while it runs; as many families as there are.
  void set_options(const PlantOptions& options);
  void set_arrivals(const Arrivals& arrivals);
  // What is late is not done any more: it counts as having taken as long as it had waited.
  void give_up_backlog();

  // One round of a host's: what the plant would do were it alone, what it gets, when something
  // happens next if nothing else changes that, and so much time passing.
  void want(std::vector<DeviceJob>& jobs, const DeviceLaws* device) const;
  [[nodiscard]] ForegroundIo foreground_io() const;
  void take(std::span<const DeviceJob> jobs, const DeviceUse& use, double device_read_seconds,
            double cpus);
  [[nodiscard]] double next_event() const;
  void pass(double seconds);
  void settle();

  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const OperationLatency& read_latency() const { return read_latency_; }
  [[nodiscard]] const OperationLatency& write_latency() const { return write_latency_; }
  [[nodiscard]] double threads() const { return arrivals_.threads; }
  // CPUs that the foreground keeps busy now.
  [[nodiscard]] double foreground_cpu() const;
  // Operations that are not begun in time.
  [[nodiscard]] double backlog() const { return read_backlog_ + write_backlog_; }
  [[nodiscard]] WriteState write_state() const { return control_.state(); }
  [[nodiscard]] std::uint64_t delayed_rate() const { return control_.delayed_rate(); }
  [[nodiscard]] std::size_t families() const { return families_.size(); }
  [[nodiscard]] const Tree& tree(std::size_t family) const { return families_.at(family).tree; }
  [[nodiscard]] std::size_t immutable_memtables(std::size_t family) const;
  [[nodiscard]] std::size_t running_flushes() const { return flushes_.size(); }
  [[nodiscard]] std::span<const RunningCompaction> running_compactions() const {
    return compactions_;
  }
  [[nodiscard]] const PlantOptions& options() const { return options_; }
  [[nodiscard]] const Laws& laws() const { return laws_; }
  [[nodiscard]] const FamilyTotals& family_totals(std::size_t family) const {
    return families_.at(family).totals;
  }
  [[nodiscard]] double active_bytes(std::size_t family) const {
    return families_.at(family).active_bytes;
  }
  // What is in the block cache.
  [[nodiscard]] double cached_bytes() const { return cached_bytes_; }
  // Of a family's memtables, all of them; as they are allocated.
  [[nodiscard]] double memtable_bytes(std::size_t family) const;
  [[nodiscard]] double memory_bytes() const;  // block cache and memtables

 private:
  struct Memtable {
    double bytes = 0;  // of the file that it becomes
    Tree::Keys keys = Tree::Keys::kSpread;
  };
  struct Family {
    Tree tree;
    double active_bytes = 0;
    double active_spread_bytes = 0;  // of these, of keys that are not appended
    std::vector<Memtable> waiting;   // immutable ones that no flush has yet
    std::size_t flushing = 0;        // memtables that flushes under way have
    FamilyTotals totals;
  };
  struct Flush {
    std::size_t family = 0;
    std::size_t memtables = 0;
    double left_bytes = 0;
    double luck = 1;
    double speed = 0;  // bytes/s now
    double bytes = 0;
    double began_at = 0;  // seconds
    Tree::Keys keys = Tree::Keys::kAppended;
  };

  void limit_background(std::vector<DeviceJob>& jobs, std::size_t first) const;
  [[nodiscard]] double limited_bytes_per_second() const;
  [[nodiscard]] double flushed_bytes_per_second() const;
  // By how much compactions' debt to the agent's limiter grows; below 0: it falls.
  [[nodiscard]] double owing_per_second() const;
  [[nodiscard]] double miss_ratio_now() const;
  [[nodiscard]] double l0_files_per_family() const;
  [[nodiscard]] double misses_per_read() const;
  // Of a block cache that is not full: by how much it fills each second, and how much of that
  // changes what misses it.
  [[nodiscard]] double cached_per_second() const;
  [[nodiscard]] double cache_step_bytes() const;
  void pass_cache(double seconds);
  void pass_foreground(double seconds);
  void pass_queues(double seconds, double reads, double writes);
  bool switch_memtables();
  bool end_flushes();
  bool end_compactions();
  void install(std::size_t family);
  void schedule();
  void begin_flushes();
  void begin_compactions();
  bool begin_compaction(std::size_t family);
  void count(const RunningCompaction& ended);
  [[nodiscard]] bool has_pressure() const;
  [[nodiscard]] double memtable_room(const Family& family, std::size_t index) const;
  double luck();

  PlantOptions options_;
  Laws laws_;
  double cached_bytes_;  // full at first, and again once what missed has filled it
  double miss_ratio_;    // of a cache that holds so much
  Random random_;
  WriteControl control_;
  std::optional<LimiterTuning> tuning_;  // where the limiter tunes itself
  std::vector<Family> families_;
  std::vector<Flush> flushes_;
  std::vector<RunningCompaction> compactions_;
  std::size_t next_family_ = 0;  // whose turn it is to begin a compaction
  Arrivals arrivals_;
  double read_backlog_ = 0, write_backlog_ = 0;
  ArrivalClock read_clock_, write_clock_;  // of one queue the first is for both
  double stop_seconds_ = 0;                // that writes have been stopped by now
  double owed_bytes_ = 0;                  // of the agent's limiter, for flushes that passed it
  ForegroundRates rates_;
  OperationLatency read_latency_, write_latency_;
  Totals totals_;
};

}  // namespace rocktune::sim
