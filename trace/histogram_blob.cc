#include "trace/histogram_blob.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/log_linear.h"
#include "trace/varint.h"

namespace rocktune::trace {
namespace {

using Bucket = LatencyHistogram::Bucket;
constexpr char kAbsolute = 'A';
constexpr char kIncrement = 'I';
constexpr char kPackedAbsolute = 'L';
constexpr char kPackedIncrement = 'M';

// Small distances of either sign as small numbers; wraps, so that it is exact for all values.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ ((difference >> 63) != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? ~std::uint64_t{0} : 0);
}

std::string encode(bool absolute, std::uint64_t sum_us, const std::vector<Bucket>& buckets) {
  const auto packed = encode_log_linear(buckets);
  std::string out;
  out.push_back(packed ? (absolute ? kPackedAbsolute : kPackedIncrement)
                       : (absolute ? kAbsolute : kIncrement));
  put_varint(out, sum_us);
  if (packed) return out + *packed;
  put_varint(out, buckets.size());
  std::uint64_t before = 0;
  for (const Bucket& bucket : buckets) {
    put_varint(out, zigzag(bucket.lower_us - before));
    put_varint(out, bucket.upper_us - bucket.lower_us);
    put_varint(out, bucket.count);
    before = bucket.upper_us;
  }
  return out;
}

std::pair<std::uint64_t, std::uint64_t> bounds(const Bucket& bucket) {
  return {bucket.lower_us, bucket.upper_us};
}

bool rising(const std::vector<Bucket>& buckets) {
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    if (bounds(buckets[i]) <= bounds(buckets[i - 1])) return false;
  }
  return true;
}

Error damaged() {
  return {ErrorCode::kCorrupt, "a latency histogram cannot be decoded"};
}

// Both rise. Nearly always every bucket is there already.
void add_buckets(const std::vector<Bucket>& more, std::vector<Bucket>& total) {
  std::size_t at = 0;
  for (const Bucket& bucket : more) {
    while (at < total.size() && bounds(total[at]) < bounds(bucket)) ++at;
    if (at < total.size() && bounds(total[at]) == bounds(bucket)) {
      total[at].count += bucket.count;
    } else {
      total.insert(total.begin() + static_cast<std::ptrdiff_t>(at), bucket);
    }
  }
}

std::optional<std::vector<Bucket>> decode_buckets(std::string_view body) {
  const auto size = take_varint(body);
  // A bucket takes at least three bytes: whoever claims more buckets lies.
  if (!size || *size > body.size() / 3) return std::nullopt;
  std::vector<Bucket> buckets;
  buckets.reserve(*size);
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < *size; ++i) {
    const auto gap = take_varint(body);
    const auto width = take_varint(body);
    const auto count = take_varint(body);
    if (!gap || !width || !count) return std::nullopt;
    const std::uint64_t lower = before + unzigzag(*gap);
    before = lower + *width;
    buckets.push_back({lower, before, *count});
  }
  if (!body.empty()) return std::nullopt;
  return buckets;
}

// Absent when `newer` is not `older` with more counted.
std::optional<LatencyHistogram> increment(const LatencyHistogram& older,
                                          const LatencyHistogram& newer) {
  if (newer.sum_us < older.sum_us || !rising(older.buckets) || !rising(newer.buckets)) {
    return std::nullopt;
  }
  LatencyHistogram more;
  more.sum_us = newer.sum_us - older.sum_us;
  auto a = older.buckets.begin();
  for (const Bucket& bucket : newer.buckets) {
    if (a == older.buckets.end() || bounds(bucket) < bounds(*a)) {
      more.buckets.push_back(bucket);
      continue;
    }
    if (bounds(*a) != bounds(bucket) || bucket.count < a->count) return std::nullopt;
    if (bucket.count != a->count) {
      more.buckets.push_back({bucket.lower_us, bucket.upper_us, bucket.count - a->count});
    }
    ++a;
  }
  if (a != older.buckets.end()) return std::nullopt;
  return more;
}

}  // namespace

std::string encode_histogram(const LatencyHistogram& histogram) {
  return encode(true, histogram.sum_us, histogram.buckets);
}

std::optional<std::string> encode_increment(const LatencyHistogram& older,
                                            const LatencyHistogram& newer) {
  const auto more = increment(older, newer);
  if (!more) return std::nullopt;
  return encode(false, more->sum_us, more->buckets);
}

Result<LatencyHistogram> add_histogram(std::string_view blob,
                                       std::optional<LatencyHistogram>& total) {
  if (blob.empty()) return tl::unexpected(damaged());
  const char form = blob.front();
  blob.remove_prefix(1);
  const bool packed = form == kPackedAbsolute || form == kPackedIncrement;
  const bool absolute = form == kAbsolute || form == kPackedAbsolute;
  const auto sum = take_varint(blob);
  if (!sum || !(packed || absolute || form == kIncrement)) return tl::unexpected(damaged());
  auto buckets = packed ? decode_log_linear(blob) : decode_buckets(blob);
  if (!buckets || !(absolute || total)) return tl::unexpected(damaged());
  LatencyHistogram read{std::move(*buckets), *sum};
  if (!absolute) {
    total->sum_us += read.sum_us;
    add_buckets(read.buckets, total->buckets);
    return read;
  }
  auto since = total ? increment(*total, read) : std::nullopt;
  total = std::move(read);
  return since ? *std::move(since) : LatencyHistogram{};
}

}  // namespace rocktune::trace
