// The statistics that RocksDB's own rate limiter keeps, kept by ours in the same way: as far as
// this version of RocksDB has them (7.8: the drains alone; 11.8: bytes, requests and waits as
// well).
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/statistics.h>

#include <array>
#include <cstdint>
#include <optional>

namespace rocktune::agent {

class LimiterTickers {
 public:
  LimiterTickers();  // looks them up by their names

  // A request that was granted. `drains`: how often it began to wait for the time to pass.
  struct Granted {
    bool is_read = false;
    std::uint64_t bytes = 0;
    std::uint64_t drains = 0;
    std::optional<std::uint64_t> waited_microseconds;
  };
  // `statistics` may be null.
  void record(rocksdb::Statistics* statistics, const Granted& granted) const;

 private:
  using Type = std::optional<std::uint32_t>;
  struct OfOperation {
    Type bytes;
    Type requests;
    Type delayed_requests;
    Type total_wait;
    Type wait_histogram;
  };
  static OfOperation look_up(const char* operation);

  Type drains_;
  std::array<OfOperation, 2> operations_;  // write, read
};

}  // namespace rocktune::agent
