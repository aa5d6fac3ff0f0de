// WriteControl: when RocksDB delays or stops writes, and at which rate it lets them through while
// it delays them.
//
// As in its db/column_family.cc (GetWriteStallConditionAndCause, SetupDelay,
// RecalculateWriteStallConditions) and db/write_controller.cc, the same from RocksDB 6 to 11: the
// rate has a memory that outlives the stall, and changes only when something is installed - a
// memtable was switched, a flush or a compaction ended, an option was set. Rates are whole bytes a
// second, cut off as RocksDB cuts them. min_write_buffer_number_to_merge is taken to be 1. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rocktune::sim {

enum class WriteState { kNormal, kDelayed, kStopped };
enum class StallCause { kNone, kMemtables, kL0, kPendingBytes };

// Of one column family; RocksDB's defaults.
struct StallLimits {
  std::int64_t write_buffers = 2;  // max_write_buffer_number
  std::int64_t l0_slowdown_files = 20;
  std::int64_t l0_stop_files = 36;
  std::uint64_t soft_pending_bytes = std::uint64_t{64} << 30;  // 0: no limit
  std::uint64_t hard_pending_bytes = std::uint64_t{256} << 30;
  bool operator==(const StallLimits&) const = default;
};

struct StallGauges {
  std::int64_t immutable_memtables = 0;  // flushes under way included
  std::int64_t l0_files = 0;
  std::uint64_t pending_bytes = 0;
};

struct StallCondition {
  WriteState state = WriteState::kNormal;
  StallCause cause = StallCause::kNone;
  bool operator==(const StallCondition&) const = default;
};

StallCondition stall_condition(const StallLimits& limits, const StallGauges& gauges);

// Of one database, whose column families stall each other.
class WriteControl {
 public:
  // `max_delayed_rate`: the option delayed_write_rate, bytes/s.
  WriteControl(std::size_t families, std::uint64_t max_delayed_rate);

  // To be called whenever that family installs something.
  void install(std::size_t family, const StallLimits& limits, const StallGauges& gauges);
  // The option delayed_write_rate was set.
  void set_max_delayed_rate(std::uint64_t rate);
  // Where a recorded run stood: the family is as its gauges say, writes are delayed at this rate.
  void restore(std::size_t family, const StallLimits& limits, const StallGauges& gauges,
               std::uint64_t delayed_rate);

  [[nodiscard]] WriteState state() const;  // of the family that is worst off
  // What writes get together, or would get, were they delayed now.
  [[nodiscard]] std::uint64_t delayed_rate() const { return rate_; }

 private:
  struct Family {
    StallCondition condition;
    std::uint64_t pending_before = 0;
  };
  void adjust(const Family& family, const StallGauges& gauges, bool penalize);

  std::vector<Family> families_;
  std::uint64_t max_rate_;
  std::uint64_t rate_;
};

}  // namespace rocktune::sim
