// Quantiles and means of the values that were counted between two cumulative histograms.
#include <cmath>
#include <limits>
#include <vector>

#include "model/derive.h"

namespace rocktune {
namespace {

using Bucket = LatencyHistogram::Bucket;

using Buckets = std::vector<Bucket>;

bool before(const Bucket& a, const Bucket& b) {
  return a.lower_us != b.lower_us ? a.lower_us < b.lower_us : a.upper_us < b.upper_us;
}

// What `newer` counted beyond `older`. Empty buckets are left out of both, so their sets may
// differ: one that is only in `newer` began to count; one that is only in `older`, or counts less,
// says that the histogram began anew, and nothing can be told.
std::optional<Buckets> difference(const LatencyHistogram& older, const LatencyHistogram& newer) {
  Buckets out;
  out.reserve(newer.buckets.size());
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
    out.push_back({bucket.lower_us, bucket.upper_us, bucket.count - counted_before});
  }
  for (; old != older.buckets.end(); ++old) {
    if (old->count > 0) return std::nullopt;
  }
  return out;
}

// All of them; absent where nothing was counted, or a bucket is none.
std::optional<double> count_of(const Buckets& buckets) {
  double count = 0;
  for (const Bucket& bucket : buckets) {
    if (bucket.upper_us <= bucket.lower_us) return std::nullopt;
    count += static_cast<double>(bucket.count);
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

double within(const Bucket& bucket, double share) {
  auto lower = static_cast<double>(bucket.lower_us);
  // The last bucket of a histogram may be open-ended: its lower bound is all that is known.
  if (bucket.upper_us == std::numeric_limits<std::uint64_t>::max()) return lower;
  return lower + share * (static_cast<double>(bucket.upper_us) - lower);
}

// Of `all` values that were counted; `p` in (0, 1).
double quantile_of(const Buckets& buckets, double all, double p) {
  double rank = p * all;
  double passed = 0;
  for (const Bucket& bucket : buckets) {
    auto count = static_cast<double>(bucket.count);
    if (passed + count >= rank) return within(bucket, (rank - passed) / count);
    passed += count;
  }
  return within(buckets.back(), 1);
}

derivation::IntervalLatency latency_of(const Buckets& buckets, const Value& sum_us) {
  const std::optional<double> count = count_of(buckets);
  if (!count) return {};
  return {quantile_of(buckets, *count, 0.50), quantile_of(buckets, *count, 0.99),
          sum_us ? Value(*sum_us / *count) : std::nullopt};
}

Value sum_between(const LatencyHistogram& older, const LatencyHistogram& newer) {
  if (newer.sum_us < older.sum_us) return std::nullopt;
  return static_cast<double>(newer.sum_us - older.sum_us);
}

}  // namespace

Value interval_quantile_us(const LatencyHistogram& older, const LatencyHistogram& newer, double p) {
  if (!(p > 0 && p < 1)) return std::nullopt;
  const std::optional<Buckets> buckets = difference(older, newer);
  const std::optional<double> count = buckets ? count_of(*buckets) : std::nullopt;
  return count ? Value(quantile_of(*buckets, *count, p)) : std::nullopt;
}

Value interval_mean_us(const LatencyHistogram& older, const LatencyHistogram& newer) {
  return derivation::interval_latency(older, newer).mean_us;
}

derivation::IntervalLatency derivation::interval_latency(const LatencyHistogram& older,
                                                         const LatencyHistogram& newer) {
  const std::optional<Buckets> buckets = difference(older, newer);
  return buckets ? latency_of(*buckets, sum_between(older, newer)) : IntervalLatency{};
}

derivation::IntervalLatency derivation::interval_latency(const LatencyHistogram& counted) {
  return latency_of(counted.buckets, static_cast<double>(counted.sum_us));
}

}  // namespace rocktune
