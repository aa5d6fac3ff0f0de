#include "agent/latency_recorder.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <thread>

namespace rocktune::agent {
namespace {

constexpr std::size_t kGroups = LatencyRecorder::kBuckets / LatencyRecorder::kBucketsPerOctave;
static_assert(kGroups <= 32, "a group is one bit of a 32-bit word");
static_assert(LatencyRecorder::kBuckets % LatencyRecorder::kBucketsPerOctave == 0);

}  // namespace

LatencyRecorder::LatencyRecorder(std::size_t shards) {
  if (shards == 0) shards = std::max(1U, std::thread::hardware_concurrency());
  shards = std::bit_ceil(std::min(shards, kMaxShards));
  mask_ = shards - 1;
  shards_ = std::make_unique<Shard[]>(shards);
}

std::size_t LatencyRecorder::bucket_of(std::uint64_t microseconds) noexcept {
  if (microseconds < kExactBelow) return microseconds;
  const auto octave = static_cast<unsigned>(std::bit_width(microseconds)) - 1;
  if (octave >= kFirstOctave + kOctaves) return kBuckets - 1;
  const std::size_t within = (microseconds >> (octave - 6)) - kBucketsPerOctave;
  return kExactBelow + (octave - kFirstOctave) * kBucketsPerOctave + within;
}

std::uint64_t LatencyRecorder::lower_bound(std::size_t bucket) noexcept {
  if (bucket < kExactBelow) return bucket;
  const std::size_t octave = (bucket - kExactBelow) / kBucketsPerOctave + kFirstOctave;
  const std::size_t within = (bucket - kExactBelow) % kBucketsPerOctave;
  return (kBucketsPerOctave + within) << (octave - 6);
}

void LatencyRecorder::record(std::uint64_t microseconds) noexcept {
  const int cpu = sched_getcpu();  // no system call: the C library reads it from the rseq area
  Shard& shard = shards_[static_cast<std::size_t>(cpu < 0 ? 0 : cpu) & mask_];
  const std::size_t bucket = bucket_of(microseconds);
  shard.counts[bucket].fetch_add(1, std::memory_order_relaxed);
  shard.sum_us.fetch_add(microseconds, std::memory_order_relaxed);
  const std::uint32_t bit = std::uint32_t{1} << (bucket / kBucketsPerOctave);
  if ((shard.groups.load(std::memory_order_relaxed) & bit) == 0) {
    shard.groups.fetch_or(bit, std::memory_order_relaxed);
  }
}

wire::Histogram LatencyRecorder::snapshot() const {
  wire::Histogram histogram;
  std::uint32_t groups = 0;
  for (std::size_t s = 0; s <= mask_; ++s) {
    groups |= shards_[s].groups.load(std::memory_order_relaxed);
    histogram.sum_us += shards_[s].sum_us.load(std::memory_order_relaxed);
  }
  for (std::size_t group = 0; group < kGroups; ++group) {
    if ((groups & (std::uint32_t{1} << group)) == 0) continue;
    for (std::size_t i = group * kBucketsPerOctave; i < (group + 1) * kBucketsPerOctave; ++i) {
      std::uint64_t count = 0;
      for (std::size_t s = 0; s <= mask_; ++s) {
        count += shards_[s].counts[i].load(std::memory_order_relaxed);
      }
      if (count > 0) histogram.buckets.push_back({lower_bound(i), lower_bound(i + 1), count});
    }
  }
  return histogram;
}

}  // namespace rocktune::agent
