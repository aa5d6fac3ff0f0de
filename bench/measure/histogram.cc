#include "bench/measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rocktune::bench {
namespace {

std::uint64_t to_ns(Nanoseconds latency) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, latency.count()));
}

}  // namespace

std::size_t LatencyBuckets::index(std::uint64_t ns) {
  if (ns < kSub) return static_cast<std::size_t>(ns);
  const int shift = std::bit_width(ns) - 1 - kSubBits;
  const auto sub = static_cast<std::size_t>(ns >> shift) - kSub;
  return std::min(kCount - 1, (static_cast<std::size_t>(shift) + 1) * kSub + sub);
}

std::uint64_t LatencyBuckets::lower(std::size_t index) {
  if (index < kSub) return index;
  const std::size_t shift = index / kSub - 1;
  return (kSub + index % kSub) << shift;
}

std::uint64_t LatencyBuckets::middle(std::size_t index) {
  return (lower(index) + lower(index + 1)) / 2;
}

void Histogram::record(Nanoseconds latency, std::uint64_t times) {
  if (times == 0) return;
  const std::uint64_t ns = to_ns(latency);
  counts_[LatencyBuckets::index(ns)] += times;
  count_ += times;
  sum_ns_ += static_cast<double>(ns) * static_cast<double>(times);
  max_ns_ = std::max(max_ns_, ns);
}

void Histogram::add(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

Histogram Histogram::since(const Histogram& older) const {
  Histogram out;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    out.counts_[i] = counts_[i] - std::min(counts_[i], older.counts_[i]);
    out.count_ += out.counts_[i];
    if (out.counts_[i] > 0) {
      out.max_ns_ = std::min(max_ns_, LatencyBuckets::lower(i + 1));
    }
  }
  out.sum_ns_ = std::max(0.0, sum_ns_ - older.sum_ns_);
  return out;
}

double Histogram::mean_us() const {
  return count_ == 0 ? 0 : sum_ns_ / static_cast<double>(count_) / 1e3;
}

double Histogram::percentile_us(double share) const {
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(
      std::max(1.0, std::ceil(share * static_cast<double>(count_) - 1e-9)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) {
      return static_cast<double>(std::min(max_ns_, LatencyBuckets::middle(i))) / 1e3;
    }
  }
  return max_us();
}

LiveHistogram::LiveHistogram() : state_(std::make_unique<State>()) {}

void LiveHistogram::record(Nanoseconds latency) {
  const std::uint64_t ns = to_ns(latency);
  constexpr auto kRelaxed = std::memory_order_relaxed;
  auto& bucket = state_->counts[LatencyBuckets::index(ns)];
  bucket.store(bucket.load(kRelaxed) + 1, kRelaxed);  // only this thread writes
  state_->sum_ns.store(state_->sum_ns.load(kRelaxed) + ns, kRelaxed);
  if (ns > state_->max_ns.load(kRelaxed)) state_->max_ns.store(ns, kRelaxed);
}

void LiveHistogram::add_to(Histogram& out) const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  for (std::size_t i = 0; i < out.counts_.size(); ++i) {
    const std::uint64_t count = state_->counts[i].load(kRelaxed);
    out.counts_[i] += count;
    out.count_ += count;
  }
  out.sum_ns_ += static_cast<double>(state_->sum_ns.load(kRelaxed));
  out.max_ns_ = std::max(out.max_ns_, state_->max_ns.load(kRelaxed));
}

}  // namespace rocktune::bench
