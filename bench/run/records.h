// Keys and values of the benchmark's records.
//
// Keys are "user" and the record's number in 12 digits: YCSB with insertorder=ordered. Popular
// records are scattered over the key space by the scrambled Zipfian generator. Values are random
// bytes (they do not compress), cut from a shared pool.
#pragma once

#include <rocksdb/slice.h>

#include <cstdint>
#include <string>

#include "bench/workload/generator.h"

namespace rocktune::bench {

// "user000000000042" in `buffer`.
rocksdb::Slice record_key(std::uint64_t record, std::string& buffer);

class ValuePool {
 public:
  ValuePool(std::int64_t value_size, std::uint64_t seed);
  [[nodiscard]] rocksdb::Slice pick(Random& random) const;

 private:
  std::size_t value_size_;
  std::string bytes_;
};

}  // namespace rocktune::bench
