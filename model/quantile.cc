// Quantiles and means of the values that were counted between two cumulative histograms.
#include <cmath>
#include <limits>
#include <vector>

#include "model/derive.h"

namespace rocktune {
namespace {

using Bucket = LatencyHistogram::Bucket;

struct Interval {
  std::vector<Bucket> buckets;
  double count = 0;
};

bool before(const Bucket& a, const Bucket& b) {
  return a.lower_us != b.lower_us ? a.lower_us < b.lower_us : a.upper_us < b.upper_us;
}

// What `newer` counted beyond `older`. Empty buckets are left out of both, so their sets may
// differ: one that is only in `newer` began to count; one that is only in `older`, or counts less,
// says that the histogram began anew, and nothing can be told.
std::optional<Interval> difference(const LatencyHistogram& older, const LatencyHistogram& newer) {
  Interval out;
  auto old = older.buckets.begin();
  for (const Bucket& bucket : newer.buckets) {
    while (old != older.buckets.end() && before(*old, bucket)) {
      if (old->count > 0) return std::nullopt;
      ++old;
    }
    std::uint64_t counted_before = 0;
    if (old != older.buckets.end() && !before(bucket, *old)) counted_before = (old++)->count;
    if (bucket.count < counted_before || bucket.upper_us <= bucket.lower_us) return std::nullopt;
    if (bucket.count == counted_before) continue;
    std::uint64_t counted = bucket.count - counted_before;
    out.buckets.push_back({bucket.lower_us, bucket.upper_us, counted});
    out.count += static_cast<double>(counted);
  }
  for (; old != older.buckets.end(); ++old) {
    if (old->count > 0) return std::nullopt;
  }
  if (out.buckets.empty()) return std::nullopt;
  return out;
}

double within(const Bucket& bucket, double share) {
  auto lower = static_cast<double>(bucket.lower_us);
  // The last bucket of a histogram may be open-ended: its lower bound is all that is known.
  if (bucket.upper_us == std::numeric_limits<std::uint64_t>::max()) return lower;
  return lower + share * (static_cast<double>(bucket.upper_us) - lower);
}

// `p` in (0, 1).
double quantile_of(const Interval& interval, double p) {
  double rank = p * interval.count;
  double passed = 0;
  for (const Bucket& bucket : interval.buckets) {
    auto count = static_cast<double>(bucket.count);
    if (passed + count >= rank) return within(bucket, (rank - passed) / count);
    passed += count;
  }
  return within(interval.buckets.back(), 1);
}

Value mean_of(const Interval& interval, std::uint64_t older_sum_us, std::uint64_t newer_sum_us) {
  if (newer_sum_us < older_sum_us) return std::nullopt;
  return static_cast<double>(newer_sum_us - older_sum_us) / interval.count;
}

}  // namespace

Value interval_quantile_us(const LatencyHistogram& older, const LatencyHistogram& newer, double p) {
  if (!(p > 0 && p < 1)) return std::nullopt;
  std::optional<Interval> interval = difference(older, newer);
  if (!interval) return std::nullopt;
  return quantile_of(*interval, p);
}

Value interval_mean_us(const LatencyHistogram& older, const LatencyHistogram& newer) {
  std::optional<Interval> interval = difference(older, newer);
  if (!interval) return std::nullopt;
  return mean_of(*interval, older.sum_us, newer.sum_us);
}

derivation::IntervalLatency derivation::interval_latency(const LatencyHistogram& older,
                                                         const LatencyHistogram& newer) {
  std::optional<Interval> interval = difference(older, newer);
  if (!interval) return {};
  return {quantile_of(*interval, 0.50), quantile_of(*interval, 0.99),
          mean_of(*interval, older.sum_us, newer.sum_us)};
}

}  // namespace rocktune
