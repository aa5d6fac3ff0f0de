// The host's own Statistics with our latency histograms beside it, one for each database: where the
// host gives several databases the same object, whose tickers are their sum, this one counts its
// database's own besides, from when the second one comes.
//
// The host keeps seeing its own object: every call is forwarded unchanged, and the statistics level
// is kept in step in both directions, at the next operation that asks whether it is to be timed, or
// at the next poll. At a level that turns histograms or timers off, RocksDB does not measure, and
// the histograms here stay as they are; the host's level is never changed.
//
// Thread-safety: all functions, as RocksDB requires.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "agent/statistics.h"
#include "agent/thinning.h"
#include "agent/thread_slots.h"
#include "agent/ticker_counts.h"

namespace rocktune::agent {

class ForwardingStatistics final : public WindowedStatistics {
 public:
  // For another database with `inner`, never null.
  static std::shared_ptr<ForwardingStatistics> around(std::shared_ptr<rocksdb::Statistics> inner);

  explicit ForwardingStatistics(std::shared_ptr<rocksdb::Statistics> inner);

  [[nodiscard]] bool brought_by_host() const override { return true; }
  [[nodiscard]] std::uint64_t own_count(std::uint32_t ticker) const override;
  [[nodiscard]] bool shared_by_host() const noexcept override;
  void attached() override;
  void detached() noexcept override;
  void keep_level_in_step() noexcept override;

  const rocksdb::Customizable* Inner() const override { return inner_.get(); }
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
  struct alignas(64) Slot {
    std::array<Thinning, kKept> thinning;
  };

  [[nodiscard]] const Distribution* kept(std::size_t place) const noexcept override {
    return kept_[place].get();
  }
  void keep(std::size_t place, std::uint64_t value) noexcept;
  [[gnu::noinline]] void keep_measured(std::size_t place, std::uint64_t value) noexcept;

  using Others = std::vector<std::shared_ptr<ForwardingStatistics>>;

  // With the mutex that guards the next two held, and that of others as well.
  void meet(Others& others);
  void count_own();  // from now on

  int databases_ = 0;   // that are attached
  bool ended_ = false;  // the last one of them is closed
  const std::shared_ptr<rocksdb::Statistics> inner_;
  std::atomic<const TickerCounts*> own_counts_{nullptr};  // of counts_, once it is there
  std::unique_ptr<const TickerCounts> counts_;            // set once, by around()
  std::atomic_flag deciding_;                             // whoever sets it may touch the next
  rocksdb::StatsLevel agreed_level_;                      // what both had when last compared
  std::array<LazyDistribution, kKept> kept_;
  ThreadSlots<Slot> slots_;
};

}  // namespace rocktune::agent
