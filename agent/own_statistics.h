// A whole Statistics for a host that has none, so cheap that the host hardly notices.
//
// Tickers are exact: each thread counts in a slot of its own, without atomic additions. Histograms
// are estimates where there is much to count: of a type that occurs often, some values stand for
// many (thinning.h), and RocksDB reads no clock for the others, since it asks HistEnabledForType
// before it measures. Counts, sums and percentiles are right in expectation; min and max are of the
// values that were recorded.
//
// Memory: 4 KiB for each thread that uses the database at a time, at most 1024 of these; 3 KiB for
// each histogram that occurs, 16 KiB for those that the wire sends whole.
//
// Thread-safety: all functions, as RocksDB requires.
#pragma once

#include "agent/statistics.h"
#include "agent/thinning.h"
#include "agent/thread_slots.h"

namespace rocktune::agent {

class OwnStatistics final : public WindowedStatistics {
 public:
  [[nodiscard]] bool brought_by_host() const override { return false; }

  // An unknown ticker or histogram has no count.
  std::uint64_t getTickerCount(std::uint32_t ticker) const override;
  void histogramData(std::uint32_t type, rocksdb::HistogramData* data) const override;
  std::string getHistogramString(std::uint32_t type) const override;
  void recordTick(std::uint32_t ticker, std::uint64_t count) override;
  void setTickerCount(std::uint32_t ticker, std::uint64_t count) override;
  std::uint64_t getAndResetTickerCount(std::uint32_t ticker) override;
  void reportTimeToHistogram(std::uint32_t type, std::uint64_t time) override;
  void measureTime(std::uint32_t type, std::uint64_t time) override;
  void recordInHistogram(std::uint32_t type, std::uint64_t value) override;
  rocksdb::Status Reset() override;
  using rocksdb::Statistics::ToString;
  std::string ToString() const override;
  bool getTickerMap(std::map<std::string, std::uint64_t>* map) const override;
  bool HistEnabledForType(std::uint32_t type) const override;

 private:
  using Counter = std::atomic<std::uint64_t>;

  struct alignas(64) Slot {
    std::array<Counter, rocksdb::TICKER_ENUM_MAX> tickers{};
    std::array<Thinning, rocksdb::HISTOGRAM_ENUM_MAX> thinning;

    // By the thread that owns the slot: nobody else writes it.
    void add(std::uint32_t ticker, std::uint64_t count) noexcept {
      Counter& mine = tickers[ticker];
      mine.store(mine.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
  };

  [[nodiscard]] const Distribution* kept(std::size_t place) const noexcept override;
  [[gnu::noinline]] void record_first_tick(std::uint32_t ticker, std::uint64_t count) noexcept;
  [[gnu::noinline]] bool begin_measured(std::uint32_t type) const noexcept;
  void record(std::uint32_t type, std::uint64_t value) noexcept;
  [[gnu::noinline]] void record_measured(std::uint32_t type, std::uint64_t value) noexcept;

  // Beside the slots: what threads without one count, and what was set or reset (modulo 2^64).
  std::array<Counter, rocksdb::TICKER_ENUM_MAX> shared_tickers_{};
  std::array<LazyDistribution, rocksdb::HISTOGRAM_ENUM_MAX> histograms_;
  ThreadSlots<Slot> slots_;
};

}  // namespace rocktune::agent
