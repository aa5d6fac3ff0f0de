// RocksDB's tickers counted exactly, each thread in a slot of its own, without atomic additions.
//
// Memory: 2 KiB for each thread that counts at a time, at most 1024 of these, and 10 KiB.
//
// Thread-safety: all functions; destroyed by one thread after all others have let go.
#pragma once

#include <rocksdb/statistics.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "agent/thread_slots.h"

namespace rocktune::agent {

class TickerCounts {
 public:
  // An unknown ticker is not counted.
  void add(std::uint32_t ticker, std::uint64_t count) const noexcept {
    if (ticker >= rocksdb::TICKER_ENUM_MAX) return;
    if (Slot* const slot = slots_.mine()) {
      Counter& mine = slot->tickers[ticker];  // nobody else writes it
      mine.store(mine.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    } else {
      slotless_[ticker].fetch_add(count, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::uint64_t sum(std::uint32_t ticker) const noexcept {
    if (ticker >= rocksdb::TICKER_ENUM_MAX) return 0;
    std::uint64_t all = slotless_[ticker].load(std::memory_order_relaxed);
    slots_.for_each(
        [&](const Slot& slot) { all += slot.tickers[ticker].load(std::memory_order_relaxed); });
    return all;
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  struct alignas(64) Slot {
    std::array<Counter, rocksdb::TICKER_ENUM_MAX> tickers{};
  };

  mutable std::array<Counter, rocksdb::TICKER_ENUM_MAX> slotless_{};  // of threads without a slot
  ThreadSlots<Slot> slots_;
};

}  // namespace rocktune::agent
