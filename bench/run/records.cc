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

ValuePool::ValuePool(std::int64_t value_size, std::uint64_t seed)
    : value_size_(static_cast<std::size_t>(value_size)), bytes_(kPoolBytes + value_size_, '\0') {
  Random random(seed);
  for (std::size_t i = 0; i < bytes_.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(&bytes_[i], &word, std::min(sizeof word, bytes_.size() - i));
  }
}

rocksdb::Slice ValuePool::pick(Random& random) const {
  return {bytes_.data() + random.below(kPoolBytes), value_size_};
}

}  // namespace rocktune::bench
