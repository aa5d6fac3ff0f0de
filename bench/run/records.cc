#include "bench/run/records.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace rocktune::bench {
namespace {

constexpr std::size_t kPoolBytes = 1 << 20;
constexpr std::string_view kPrefix = "user";
constexpr std::size_t kDigits = 12;

}  // namespace

rocksdb::Slice record_key(std::uint64_t record, std::string& buffer) {
  buffer.assign(kPrefix);
  buffer.append(kDigits, '0');
  for (std::size_t i = buffer.size(); record > 0 && i > buffer.size() - kDigits; record /= 10) {
    buffer[--i] = static_cast<char>('0' + record % 10);
  }
  return buffer;
}

bool is_record_key(const rocksdb::Slice& key) {
  const std::string_view text = key.ToStringView();
  if (text.size() != kPrefix.size() + kDigits || !text.starts_with(kPrefix)) return false;
  return text.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

rocksdb::Slice missing_key(std::uint64_t record, std::string& buffer) {
  record_key(record, buffer);
  buffer += '-';
  return buffer;
}

ValuePool::ValuePool(std::int64_t largest_value, std::uint64_t seed)
    : bytes_(kPoolBytes + static_cast<std::size_t>(largest_value), '\0') {
  scenario::Random random(seed);
  for (std::size_t i = 0; i < bytes_.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(&bytes_[i], &word, std::min(sizeof word, bytes_.size() - i));
  }
}

rocksdb::Slice ValuePool::value(std::uint64_t number, std::int64_t bytes) const {
  return {bytes_.data() + number % kPoolBytes, static_cast<std::size_t>(bytes)};
}

}  // namespace rocktune::bench
