// A cumulative histogram that many threads write at once: what RocksDB's own cannot give is a
// percentile of the last second, and two snapshots of this one can.
//
// Log-linear buckets over whole numbers: exact below 2^(bits+1), then 2^bits buckets per octave, so
// that no bucket is wider than 2^-bits of its lower bound. Values beyond the last octave count in
// the last bucket. A recorded value may stand for several (see thinning.h). Recording is a handful
// of relaxed atomic operations on shared memory: for values that were thinned out.
//
// Thread-safety: all functions. A snapshot taken while others record may miss their latest values.
#pragma once

#include <rocksdb/statistics.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "wire/messages.h"

namespace rocktune::agent {

// How fine, and how far.
struct Shape {
  unsigned bits;     // 2^bits buckets per octave
  unsigned octaves;  // in all: values below 2^octaves have buckets of their own

  [[nodiscard]] constexpr std::size_t buckets() const {
    return (std::size_t{octaves} - bits + 1) << bits;
  }
  [[nodiscard]] std::size_t bucket_of(std::uint64_t value) const noexcept;
  [[nodiscard]] std::uint64_t lower_bound(std::size_t bucket) const noexcept;
};

// Latencies in microseconds, up to 19 hours; 1.6% wide, where the wire promises 3%. 16 KiB.
inline constexpr Shape kFine{6, 36};
// Everything else that RocksDB counts in histograms; 12.5% wide, where RocksDB's are 50%. 3 KiB.
inline constexpr Shape kCoarse{3, 44};

class Distribution {
 public:
  explicit Distribution(Shape shape);

  void record(std::uint64_t value, std::uint64_t weight = 1) noexcept;
  [[nodiscard]] wire::Histogram snapshot() const;

  // As RocksDB summarises its own: percentiles interpolated within their bucket.
  [[nodiscard]] rocksdb::HistogramData data() const;
  [[nodiscard]] std::string to_string() const;
  // Begins anew. A value that is recorded meanwhile may be half forgotten.
  void clear() noexcept;

 private:
  [[nodiscard]] double percentile(const wire::Histogram& all, std::uint64_t count,
                                  double share) const;

  const Shape shape_;
  std::atomic<std::uint64_t> sum_{0};
  std::atomic<double> sum_of_squares_{0};
  std::atomic<std::uint64_t> min_{UINT64_MAX};
  std::atomic<std::uint64_t> max_{0};
  // One bit for each 64 buckets that hold anything: a snapshot skips the rest.
  std::atomic<std::uint64_t> groups_{0};
  const std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
};

// A distribution that takes its memory when the first value comes.
class LazyDistribution {
 public:
  LazyDistribution() = default;
  ~LazyDistribution() { delete made_.load(std::memory_order_relaxed); }
  LazyDistribution(const LazyDistribution&) = delete;
  LazyDistribution& operator=(const LazyDistribution&) = delete;

  // Does nothing when there is no memory.
  void record(Shape shape, std::uint64_t value, std::uint64_t weight) noexcept;
  [[nodiscard]] Distribution* get() const noexcept { return made_.load(std::memory_order_acquire); }

 private:
  std::atomic<Distribution*> made_{nullptr};
};

}  // namespace rocktune::agent
