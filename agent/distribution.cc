#include "agent/distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

namespace rocktune::agent {
namespace {

constexpr std::size_t kGroup = 64;
static_assert(kFine.buckets() <= kGroup * 64 && kCoarse.buckets() <= kGroup * 64,
              "a group of buckets is one bit of a 64-bit word");

std::uint64_t count_of(const wire::Histogram& histogram) {
  std::uint64_t count = 0;
  for (const auto& bucket : histogram.buckets) count += bucket.count;
  return count;
}

}  // namespace

std::size_t Shape::bucket_of(std::uint64_t value) const noexcept {
  if (value < std::uint64_t{2} << bits) return value;
  const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1;
  if (octave >= octaves) return buckets() - 1;
  const std::size_t first = std::size_t{octave - bits} << bits;
  return first + (value >> (octave - bits));
}

std::uint64_t Shape::lower_bound(std::size_t bucket) const noexcept {
  const std::size_t row = bucket >> bits;
  if (row < 2) return bucket;
  const std::size_t within = bucket & ((std::size_t{1} << bits) - 1);
  return ((std::uint64_t{1} << bits) + within) << (row - 1);
}

Distribution::Distribution(Shape shape)
    : shape_(shape), counts_(std::make_unique<std::atomic<std::uint64_t>[]>(shape.buckets())) {}

void Distribution::record(std::uint64_t value, std::uint64_t weight) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::size_t bucket = shape_.bucket_of(value);
  counts_[bucket].fetch_add(weight, kRelaxed);
  sum_.fetch_add(value * weight, kRelaxed);
  const auto wide = static_cast<double>(value);
  double squares = sum_of_squares_.load(kRelaxed);
  while (!sum_of_squares_.compare_exchange_weak(
      squares, squares + wide * wide * static_cast<double>(weight), kRelaxed)) {
  }
  std::uint64_t seen = min_.load(kRelaxed);
  while (value < seen && !min_.compare_exchange_weak(seen, value, kRelaxed)) {
  }
  seen = max_.load(kRelaxed);
  while (value > seen && !max_.compare_exchange_weak(seen, value, kRelaxed)) {
  }
  const std::uint64_t bit = std::uint64_t{1} << (bucket / kGroup);
  if ((groups_.load(kRelaxed) & bit) == 0) groups_.fetch_or(bit, kRelaxed);
}

wire::Histogram Distribution::snapshot() const {
  wire::Histogram histogram;
  histogram.sum_us = sum_.load(std::memory_order_relaxed);
  const std::uint64_t groups = groups_.load(std::memory_order_relaxed);
  for (std::size_t group = 0; group * kGroup < shape_.buckets(); ++group) {
    if ((groups & (std::uint64_t{1} << group)) == 0) continue;
    const std::size_t end = std::min((group + 1) * kGroup, shape_.buckets());
    for (std::size_t i = group * kGroup; i < end; ++i) {
      const std::uint64_t count = counts_[i].load(std::memory_order_relaxed);
      if (count > 0) {
        histogram.buckets.push_back({shape_.lower_bound(i), shape_.lower_bound(i + 1), count});
      }
    }
  }
  return histogram;
}

double Distribution::percentile(const wire::Histogram& all, std::uint64_t count,
                                double share) const {
  double left = share * static_cast<double>(count);
  for (const auto& bucket : all.buckets) {
    const auto here = static_cast<double>(bucket.count);
    if (here < left) {
      left -= here;
      continue;
    }
    const auto lower = static_cast<double>(bucket.lower_us);
    const auto width = static_cast<double>(bucket.upper_us - bucket.lower_us);
    const auto least = static_cast<double>(min_.load(std::memory_order_relaxed));
    const auto most = static_cast<double>(max_.load(std::memory_order_relaxed));
    return std::clamp(lower + width * left / here, std::min(least, most), most);
  }
  return 0;
}

rocksdb::HistogramData Distribution::data() const {
  rocksdb::HistogramData data{};
  const wire::Histogram all = snapshot();
  const std::uint64_t count = count_of(all);
  if (count == 0) return data;
  const auto n = static_cast<double>(count);
  data.count = count;
  data.sum = all.sum_us;
  data.min = static_cast<double>(min_.load(std::memory_order_relaxed));
  data.max = static_cast<double>(max_.load(std::memory_order_relaxed));
  data.median = percentile(all, count, 0.5);
  data.percentile95 = percentile(all, count, 0.95);
  data.percentile99 = percentile(all, count, 0.99);
  data.average = static_cast<double>(all.sum_us) / n;
  const double squares = sum_of_squares_.load(std::memory_order_relaxed) / n;
  data.standard_deviation = std::sqrt(std::max(0.0, squares - data.average * data.average));
  return data;
}

std::string Distribution::to_string() const {
  const auto summary = data();
  const wire::Histogram all = snapshot();
  const std::uint64_t count = count_of(all);
  char text[400];
  std::snprintf(text, sizeof text,
                "Count: %llu Average: %.4f  StdDev: %.2f\nMin: %.0f  Median: %.4f  Max: %.0f\n"
                "Percentiles: P50: %.2f P75: %.2f P99: %.2f P99.9: %.2f P99.99: %.2f\n",
                static_cast<unsigned long long>(summary.count), summary.average,
                summary.standard_deviation, summary.min, summary.median, summary.max,
                summary.median, percentile(all, count, 0.75), summary.percentile99,
                percentile(all, count, 0.999), percentile(all, count, 0.9999));
  return text;
}

void Distribution::clear() noexcept {
  for (std::size_t i = 0; i < shape_.buckets(); ++i) {
    counts_[i].store(0, std::memory_order_relaxed);
  }
  sum_.store(0, std::memory_order_relaxed);
  sum_of_squares_.store(0, std::memory_order_relaxed);
  min_.store(UINT64_MAX, std::memory_order_relaxed);
  max_.store(0, std::memory_order_relaxed);
}

void LazyDistribution::record(Shape shape, std::uint64_t value, std::uint64_t weight) noexcept {
  Distribution* made = made_.load(std::memory_order_acquire);
  if (made == nullptr) [[unlikely]] {
    try {
      auto fresh = std::make_unique<Distribution>(shape);
      if (made_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)) {
        made = fresh.release();
      }
    } catch (...) {
      return;
    }
  }
  made->record(value, weight);
}

}  // namespace rocktune::agent
