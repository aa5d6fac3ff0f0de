#include "sim/latency.h"

#include <algorithm>
#include <cmath>

namespace rocktune::sim {
namespace {

constexpr double kShortest = 1e-6;

// A latency is never exactly one value: around that of a hit it is spread by this factor either
// way.
constexpr double kSpread = 2;

// A tail that fewer than one of so many operations reaches ends there.
constexpr double kNobody = 1e-15;

// The share of what takes about `seconds` that takes longer than `limit`: falls from 1 to 0 over a
// factor of kSpread either way, evenly over the logarithm.
double longer_about(double seconds, double limit) {
  if (limit * kSpread <= seconds) return 1;
  if (limit >= seconds * kSpread) return 0;
  return std::log(seconds * kSpread / limit) / (2 * std::log(kSpread));
}

}  // namespace

double LatencyMix::mean_seconds() const {
  return queued_seconds + (1 - slow_ratio) * fast_seconds +
         slow_ratio * (slow_seconds + wait_ratio * wait.mean_seconds());
}

double LatencyMix::longer_than(double seconds) const {
  const double own = seconds - queued_seconds;
  if (!(own > 0)) return 1;
  double share = (1 - slow_ratio) * longer_about(fast_seconds, own);
  if (!(slow_ratio > 0)) return share;
  const double past = own - slow_seconds;
  double slow = longer_about(slow_seconds, own);
  if (past > 0 && wait_ratio > 0 && wait.mean_seconds() > 0) {
    slow = std::max(slow, wait_ratio * wait.longer_than(past));
  } else if (past <= 0) {
    slow = std::max(slow, wait_ratio);
  }
  return share + slow_ratio * slow;
}

const std::array<double, LatencyTotals::kBuckets + 1>& LatencyTotals::bounds() {
  static const auto kBounds = [] {
    std::array<double, kBuckets + 1> bounds{};
    for (std::size_t i = 0; i <= kBuckets; ++i) {
      bounds.at(i) =
          kShortest * std::exp2(static_cast<double>(i) / static_cast<double>(kPerDoubling));
    }
    return bounds;
  }();
  return kBounds;
}

void LatencyTotals::add(double operations, const LatencyMix& mix) {
  if (!(operations > 0)) return;
  operations_ += operations;
  seconds_ += operations * mix.mean_seconds();
  const auto& upper = bounds();
  double longer = 1;
  for (std::size_t i = 0; i < kBuckets && longer > 0; ++i) {
    double next = i + 1 < kBuckets ? std::min(longer, mix.longer_than(upper.at(i + 1))) : 0;
    if (next < kNobody) next = 0;
    counts_.at(i) += operations * (longer - next);
    longer = next;
  }
}

void LatencyTotals::add(const LatencyTotals& others) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_.at(i) += others.counts_.at(i);
  operations_ += others.operations_;
  seconds_ += others.seconds_;
}

LatencyTotals LatencyTotals::since(const LatencyTotals& earlier) const {
  LatencyTotals difference = *this;
  for (std::size_t i = 0; i < kBuckets; ++i) difference.counts_.at(i) -= earlier.counts_.at(i);
  difference.operations_ -= earlier.operations_;
  difference.seconds_ -= earlier.seconds_;
  return difference;
}

double LatencyTotals::mean_seconds() const {
  return operations_ > 0 ? seconds_ / operations_ : 0;
}

double LatencyTotals::quantile_seconds(double quantile) const {
  double left = quantile * operations_;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const double count = counts_.at(i);
    if (count > 0 && count >= left) {
      const double share = left / count;
      return bounds().at(i) + share * (bounds().at(i + 1) - bounds().at(i));
    }
    left -= count;
  }
  return operations_ > 0 ? bounds().back() : 0;
}

LatencyHistogram LatencyTotals::histogram() const {
  static const auto kMicroseconds = [] {
    std::array<std::uint64_t, kBuckets + 1> whole{};
    std::transform(bounds().begin(), bounds().end(), whole.begin(), [](double seconds) {
      return static_cast<std::uint64_t>(std::llround(seconds * 1e6));
    });
    return whole;
  }();
  LatencyHistogram histogram;
  histogram.buckets.reserve(kBuckets);
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (counts_.at(i) < 1) continue;
    const auto count = static_cast<std::uint64_t>(counts_.at(i));
    const std::uint64_t lower = kMicroseconds.at(i);
    const std::uint64_t upper = std::max(kMicroseconds.at(i + 1), lower + 1);
    if (!histogram.buckets.empty() && histogram.buckets.back().lower_us == lower) {
      histogram.buckets.back().count += count;  // below some microseconds two bounds are one
      continue;
    }
    histogram.buckets.push_back({lower, upper, count});
  }
  histogram.sum_us = static_cast<std::uint64_t>(std::max(seconds_, 0.0) * 1e6);
  return histogram;
}

void OperationLatency::add(double operations, const LatencyMix& mix) {
  LatencyTotals own;
  own.add(operations, mix);
  response.add(own);
  if (mix.queued_seconds > 0) {
    LatencyMix begun = mix;
    begun.queued_seconds = 0;
    own = LatencyTotals();
    own.add(operations, begun);
  }
  served.add(own);
}

void OperationLatency::give_up(double operations, double longest_seconds) {
  constexpr int kParts = 16;  // that arrived evenly
  for (int i = 0; i < kParts; ++i) {
    LatencyMix waited;
    waited.fast_seconds = 0;
    waited.queued_seconds = longest_seconds * (i + 0.5) / kParts;
    response.add(operations / kParts, waited);
  }
}

}  // namespace rocktune::sim
