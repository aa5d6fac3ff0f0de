// A cumulative latency histogram that many threads write at once: what the stock RocksDB histogram
// cannot give is a percentile of the last second, and two snapshots of this one can.
//
// Log-linear buckets over microseconds: exact below 128, then 64 buckets per octave, so that no
// bucket is wider than 1/64 of its lower bound (the wire promises 3%). Values above 2^36 us (19
// hours) count in the last bucket. Recording is two relaxed atomic additions on a shard of the
// current CPU; memory is fixed at construction (16 KiB per shard, at most 8 shards).
//
// Thread-safety: all functions. A snapshot taken while others record may miss their latest values.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "wire/messages.h"

namespace rocktune::agent {

class LatencyRecorder {
 public:
  static constexpr std::uint64_t kExactBelow = 128;
  static constexpr std::size_t kBucketsPerOctave = 64;
  static constexpr unsigned kFirstOctave = 7;  // 2^7 = kExactBelow
  static constexpr unsigned kOctaves = 29;     // up to 2^36
  static constexpr std::size_t kBuckets = kExactBelow + kOctaves * kBucketsPerOctave;
  static constexpr std::size_t kMaxShards = 8;

  // `shards` is rounded up to a power of two between 1 and kMaxShards; 0: by the number of CPUs.
  explicit LatencyRecorder(std::size_t shards = 0);

  void record(std::uint64_t microseconds) noexcept;
  [[nodiscard]] wire::Histogram snapshot() const;

  static std::size_t bucket_of(std::uint64_t microseconds) noexcept;
  static std::uint64_t lower_bound(std::size_t bucket) noexcept;

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> sum_us{0};
    // One bit for each group of 64 buckets that holds anything: a snapshot skips the rest.
    std::atomic<std::uint32_t> groups{0};
    std::array<std::atomic<std::uint64_t>, kBuckets> counts{};
  };

  std::size_t mask_;
  std::unique_ptr<Shard[]> shards_;
};

}  // namespace rocktune::agent
