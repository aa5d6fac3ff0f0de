// Latencies of one kind of operation, as a distribution: what share of them is done from memory,
// and how long those wait that are not. Pure.
//
// Good enough to rank by; a P99 from it is an estimate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/sample.h"
#include "sim/wait_tail.h"

namespace rocktune::sim {

// For some time: the share `slow_ratio` takes `slow_seconds` and, of these, the share `wait_ratio`
// waits longer, by `wait`. All take `queued_seconds` more: how long they stood in a queue of the
// application's before.
struct LatencyMix {
  double fast_seconds = 10e-6;
  double slow_ratio = 0;
  double slow_seconds = 0;  // at least
  double wait_ratio = 0;
  WaitTail wait;
  double queued_seconds = 0;

  [[nodiscard]] double mean_seconds() const;
  // The share of the operations that take longer.
  [[nodiscard]] double longer_than(double seconds) const;
};

// A cumulative histogram of fixed buckets: eight for each doubling from 1 us to 4,000 s.
class LatencyTotals {
 public:
  void add(double operations, const LatencyMix& mix);
  void add(const LatencyTotals& others);
  // What came since an earlier state of this one.
  [[nodiscard]] LatencyTotals since(const LatencyTotals& earlier) const;

  [[nodiscard]] double operations() const { return operations_; }
  [[nodiscard]] double mean_seconds() const;
  // 0 where there are none. `quantile` in (0, 1).
  [[nodiscard]] double quantile_seconds(double quantile) const;
  // Counts are cut off so that a bucket never shrinks.
  [[nodiscard]] LatencyHistogram histogram() const;

 private:
  static constexpr std::size_t kPerDoubling = 8;
  static constexpr std::size_t kBuckets = 32 * kPerDoubling;
  static const std::array<double, kBuckets + 1>& bounds();

  std::array<double, kBuckets> counts_{};
  double operations_ = 0;
  double seconds_ = 0;
};

// Of one kind of operation: as RocksDB measures it, and from when it was asked for.
struct OperationLatency {
  LatencyTotals served;
  LatencyTotals response;

  void add(double operations, const LatencyMix& mix);
  // So many that are never served had waited up to so long when that became certain.
  void give_up(double operations, double longest_seconds);
};

}  // namespace rocktune::sim
