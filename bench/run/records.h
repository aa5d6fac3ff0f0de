// Keys and values of the benchmark's records.
//
// Keys are "user" and the record's number in 12 digits: YCSB with insertorder=ordered. Popular
// records are scattered over the key space by the scrambled Zipfian generator. Values are random
// bytes (they do not compress), cut from a shared pool.
#pragma once

#include <rocksdb/slice.h>

#include <cstdint>
#include <string>

#include "scenario/workload/generator.h"

namespace rocktune::bench {

// "user000000000042" in `buffer`.
rocksdb::Slice record_key(std::uint64_t record, std::string& buffer);
// Whether it is one that record_key() gives.
bool is_record_key(const rocksdb::Slice& key);
// "user000000000042-": right after the record, and nobody's key.
rocksdb::Slice missing_key(std::uint64_t record, std::string& buffer);

class ValuePool {
 public:
  ValuePool(std::int64_t largest_value, std::uint64_t seed);
  // The same bytes for the same number.
  [[nodiscard]] rocksdb::Slice value(std::uint64_t number, std::int64_t bytes) const;

 private:
  std::string bytes_;
};

}  // namespace rocktune::bench
