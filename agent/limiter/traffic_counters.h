// What went through the rate limiter: bytes and requests by class, by RocksDB's priority, and by
// whether they were written, read under the limit, or read beside it.
//
// Thread-safety: all functions; adding is two relaxed atomic additions in one cache line.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "agent/limiter/traffic.h"

namespace rocktune::agent {

class TrafficCounters {
 public:
  enum class Kind : std::uint8_t { kWrite, kChargedRead, kFreeRead };
  struct Total {
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
    Total& operator+=(const Total& other) {
      bytes += other.bytes;
      requests += other.requests;
      return *this;
    }
  };

  // `priority` is below Env::IO_TOTAL.
  void add_request(Traffic traffic, Kind kind, rocksdb::Env::IOPriority priority) noexcept {
    cell(traffic, kind, priority).requests.fetch_add(1, std::memory_order_relaxed);
  }
  void add_bytes(Traffic traffic, Kind kind, rocksdb::Env::IOPriority priority,
                 std::int64_t bytes) noexcept {
    cell(traffic, kind, priority)
        .bytes.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
  }

  [[nodiscard]] Total of(Traffic traffic, Kind kind) const noexcept;
  // All that is held against the rate, of one priority or (Env::IO_TOTAL) of all.
  [[nodiscard]] Total charged(rocksdb::Env::IOPriority priority) const noexcept;

 private:
  static constexpr std::size_t kKinds = 3;
  static constexpr std::size_t kPriorities = rocksdb::Env::IO_TOTAL;
  struct Cell {
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> requests{0};
  };
  struct alignas(64) Row {  // a cache line: classes work on different threads
    std::array<Cell, kPriorities> cells;
  };

  [[nodiscard]] Cell& cell(Traffic traffic, Kind kind, rocksdb::Env::IOPriority priority) noexcept {
    return rows_[static_cast<std::size_t>(traffic)][static_cast<std::size_t>(kind)].cells[priority];
  }

  std::array<std::array<Row, kKinds>, kTrafficClasses> rows_;
};

}  // namespace rocktune::agent
