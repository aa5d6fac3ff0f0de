#include "trace/histogram_blob.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rocktune::trace {
namespace {

using Bucket = LatencyHistogram::Bucket;
constexpr char kAbsolute = 'A';
constexpr char kIncrement = 'I';

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> take_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (in.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

// Small distances of either sign as small numbers; wraps, so that it is exact for all values.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ ((difference >> 63) != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? ~std::uint64_t{0} : 0);
}

std::string encode(char form, std::uint64_t sum_us, const std::vector<Bucket>& buckets) {
  std::string out(1, form);
  put_varint(out, sum_us);
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

std::vector<Bucket> merge(const std::vector<Bucket>& older, const std::vector<Bucket>& more) {
  std::vector<Bucket> merged;
  merged.reserve(older.size() + more.size());
  auto a = older.begin();
  auto b = more.begin();
  while (a != older.end() || b != more.end()) {
    if (b == more.end() || (a != older.end() && bounds(*a) < bounds(*b))) {
      merged.push_back(*a++);
    } else {
      merged.push_back(*b++);
      if (a != older.end() && bounds(*a) == bounds(merged.back()))
        merged.back().count += a++->count;
    }
  }
  return merged;
}

}  // namespace

std::string encode_histogram(const LatencyHistogram& histogram) {
  return encode(kAbsolute, histogram.sum_us, histogram.buckets);
}

std::optional<std::string> encode_increment(const LatencyHistogram& older,
                                            const LatencyHistogram& newer) {
  if (newer.sum_us < older.sum_us || !rising(older.buckets) || !rising(newer.buckets)) {
    return std::nullopt;
  }
  std::vector<Bucket> more;
  auto a = older.buckets.begin();
  for (const Bucket& bucket : newer.buckets) {
    if (a == older.buckets.end() || bounds(bucket) < bounds(*a)) {
      more.push_back(bucket);
      continue;
    }
    if (bounds(*a) != bounds(bucket) || bucket.count < a->count) return std::nullopt;
    if (bucket.count != a->count) {
      more.push_back({bucket.lower_us, bucket.upper_us, bucket.count - a->count});
    }
    ++a;
  }
  if (a != older.buckets.end()) return std::nullopt;
  return encode(kIncrement, newer.sum_us - older.sum_us, more);
}

Result<LatencyHistogram> decode_histogram(std::string_view blob, const LatencyHistogram* older) {
  if (blob.empty()) return tl::unexpected(damaged());
  const char form = blob.front();
  blob.remove_prefix(1);
  const auto sum = take_varint(blob);
  const auto size = take_varint(blob);
  // A bucket takes at least three bytes: whoever claims more buckets lies.
  if (!sum || !size || *size > blob.size() / 3) return tl::unexpected(damaged());
  LatencyHistogram read;
  read.sum_us = *sum;
  read.buckets.reserve(*size);
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < *size; ++i) {
    const auto gap = take_varint(blob);
    const auto width = take_varint(blob);
    const auto count = take_varint(blob);
    if (!gap || !width || !count) return tl::unexpected(damaged());
    const std::uint64_t lower = before + unzigzag(*gap);
    before = lower + *width;
    read.buckets.push_back({lower, before, *count});
  }
  if (!blob.empty()) return tl::unexpected(damaged());
  if (form == kAbsolute) return read;
  if (form != kIncrement || older == nullptr) return tl::unexpected(damaged());
  return LatencyHistogram{merge(older->buckets, read.buckets), older->sum_us + read.sum_us};
}

}  // namespace rocktune::trace
