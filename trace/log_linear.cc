#include "trace/log_linear.h"

#include <bit>
#include <cstdint>
#include <numeric>

#include "trace/varint.h"

namespace rocktune::trace {
namespace {

using Bucket = LatencyHistogram::Bucket;

constexpr unsigned kBits = 6;  // agent::kFine: 64 buckets for each doubling
constexpr std::uint64_t kPerDoubling = std::uint64_t{1} << kBits;
constexpr std::uint64_t kIndexEnd = 58 * kPerDoubling;  // of those whose bounds are below 2^64

constexpr unsigned kEnd = 0, kLongCount = 14, kGap = 15;

std::uint64_t lower_bound_of(std::uint64_t index) {
  const std::uint64_t row = index >> kBits;
  if (row < 2) return index;
  return (kPerDoubling + (index & (kPerDoubling - 1))) << (row - 1);
}

std::optional<std::uint64_t> index_of(const Bucket& bucket) {
  const std::uint64_t lower = bucket.lower_us;
  std::uint64_t index = lower;
  if (lower >= 2 * kPerDoubling) {
    const auto shift = static_cast<unsigned>(std::bit_width(lower)) - 1 - kBits;
    index = (std::uint64_t{shift} << kBits) + (lower >> shift);
  }
  if (index >= kIndexEnd || lower_bound_of(index) != lower ||
      lower_bound_of(index + 1) != bucket.upper_us) {
    return std::nullopt;
  }
  return index;
}

class NibbleWriter {
 public:
  explicit NibbleWriter(std::string& out) : out_(out) {}
  void put(std::uint64_t nibble) {
    if (low_) {
      out_.push_back(static_cast<char>(nibble));
    } else {
      out_.back() = static_cast<char>(static_cast<unsigned char>(out_.back()) | nibble << 4);
    }
    low_ = !low_;
  }
  void put_more(std::uint64_t value) {
    for (; value >= 8; value >>= 3) put((value & 7) | 8);
    put(value);
  }

 private:
  std::string& out_;
  bool low_ = true;
};

class NibbleReader {
 public:
  explicit NibbleReader(std::string_view in) : in_(in) {}
  // kEnd behind the last.
  unsigned take() {
    if (at_ / 2 >= in_.size()) return kEnd;
    const auto byte = static_cast<unsigned char>(in_[at_ / 2]);
    return at_++ % 2 == 0 ? byte & 15U : byte >> 4U;
  }
  std::uint64_t take_more() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 3) {
      const unsigned nibble = take();
      value |= std::uint64_t{nibble & 7U} << shift;
      if (nibble < 8) break;
    }
    return value;
  }
  // Whether nothing follows but what fills the last byte.
  [[nodiscard]] bool at_end() const { return (at_ + 1) / 2 >= in_.size(); }

 private:
  std::string_view in_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> encode_log_linear(const std::vector<Bucket>& buckets) {
  if (buckets.empty()) return std::nullopt;
  std::uint64_t unit = 0;
  for (const Bucket& bucket : buckets) unit = std::gcd(unit, bucket.count);
  std::string out;
  NibbleWriter nibbles(out);
  std::uint64_t next = 0;
  for (const Bucket& bucket : buckets) {
    const auto index = index_of(bucket);
    if (!index || bucket.count == 0) return std::nullopt;
    if (out.empty()) {
      put_varint(out, unit);
      put_varint(out, *index);
      next = *index;
    }
    if (*index < next) return std::nullopt;
    if (*index > next) {
      nibbles.put(kGap);
      nibbles.put_more(*index - next - 1);
    }
    const std::uint64_t count = bucket.count / unit;
    if (count < kLongCount) {
      nibbles.put(count);
    } else {
      nibbles.put(kLongCount);
      nibbles.put_more(count - kLongCount);
    }
    next = *index + 1;
  }
  return out;
}

std::optional<std::vector<Bucket>> decode_log_linear(std::string_view encoded) {
  const auto unit = take_varint(encoded);
  const auto first = take_varint(encoded);
  if (!unit || !first || *first >= kIndexEnd) return std::nullopt;
  std::vector<Bucket> buckets;
  buckets.reserve(2 * encoded.size());
  NibbleReader nibbles(encoded);
  std::uint64_t index = *first;
  std::uint64_t lower = lower_bound_of(index);
  for (unsigned nibble = nibbles.take(); nibble != kEnd; nibble = nibbles.take()) {
    if (nibble == kGap) {
      const std::uint64_t more = nibbles.take_more();
      if (more >= kIndexEnd) return std::nullopt;
      index += more + 1;
      if (index >= kIndexEnd) return std::nullopt;
      lower = lower_bound_of(index);
      continue;
    }
    if (index >= kIndexEnd) return std::nullopt;
    const std::uint64_t count = nibble == kLongCount ? kLongCount + nibbles.take_more() : nibble;
    const std::uint64_t upper = lower_bound_of(++index);
    buckets.push_back({lower, upper, count * *unit});
    lower = upper;
  }
  if (buckets.empty() || !nibbles.at_end()) return std::nullopt;
  return buckets;
}

}  // namespace rocktune::trace
