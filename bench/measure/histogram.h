// Log-linear latency histograms: 64 buckets per power of two, so that a bucket is at most 1.6%
// wide; 1 ns to 18 minutes, longer values count in the last bucket (the maximum stays exact).
//
// Histogram is a plain value; LiveHistogram is written by one thread and may be read by others at
// any time without stopping it (a reader may miss the last few values).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/clock.h"

namespace rocktune::bench {

struct LatencyBuckets {
  static constexpr int kSubBits = 6;
  static constexpr std::size_t kSub = std::size_t{1} << kSubBits;
  static constexpr int kMaxBits = 40;
  static constexpr std::size_t kCount = (kMaxBits - kSubBits + 1) * kSub;

  static std::size_t index(std::uint64_t ns);
  static std::uint64_t lower(std::size_t index);  // the smallest value of the bucket
  static std::uint64_t middle(std::size_t index);
};

class Histogram {
 public:
  Histogram() : counts_(LatencyBuckets::kCount, 0) {}

  void record(Nanoseconds latency, std::uint64_t times = 1);
  void add(const Histogram& other);
  // What was recorded since `older`, an earlier state of the same histogram. The maximum of the
  // difference is known only to its bucket.
  [[nodiscard]] Histogram since(const Histogram& older) const;

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean_us() const;  // 0 when empty
  [[nodiscard]] double max_us() const { return static_cast<double>(max_ns_) / 1e3; }
  // The value that at least this share of all values does not exceed: percentile(0.99). 0 when
  // empty; never above the maximum.
  [[nodiscard]] double percentile_us(double share) const;

 private:
  friend class LiveHistogram;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ns_ = 0;  // of many that waited long it is beyond 64 bits
  std::uint64_t max_ns_ = 0;
};

class LiveHistogram {
 public:
  LiveHistogram();
  void record(Nanoseconds latency);  // one thread only
  void add_to(Histogram& out) const;

 private:
  struct State {
    std::array<std::atomic<std::uint64_t>, LatencyBuckets::kCount> counts{};
    std::atomic<std::uint64_t> sum_ns{0};
    std::atomic<std::uint64_t> max_ns{0};
  };
  std::unique_ptr<State> state_;
};

}  // namespace rocktune::bench
