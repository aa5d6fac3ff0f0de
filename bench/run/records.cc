#include "bench/run/records.h"

#include <algorithm>
#include <cstring>

namespace rocktune::bench {
namespace {

constexpr std::size_t kPoolBytes = 1 << 20;
constexpr std::size_t kDigits = 12;

}  // namespace

rocksdb::Slice record_key(std::uint64_t record, std::string& buffer) {
  buffer.assign("user000000000000");
  for (std::size_t i = buffer.size(); record > 0 && i > buffer.size() - kDigits; record /= 10) {
    buffer[--i] = static_cast<char>('0' + record % 10);
  }
  return buffer;
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
