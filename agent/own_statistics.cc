#include "agent/own_statistics.h"

#include <cstdio>

namespace rocktune::agent {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

// RocksDB calls recordTick some ten times for each Get, and HistEnabledForType twice: the usual way
// through these and through record() is a dozen instructions and calls nothing; all else is kept
// out of line (`rocktune-bench overhead`, cached reads).

void OwnStatistics::recordTick(std::uint32_t ticker, std::uint64_t count) {
  if (ticker >= rocksdb::TICKER_ENUM_MAX || get_stats_level() <= rocksdb::kExceptTickers)
      [[unlikely]] {
    return;
  }
  if (Slot* const slot = slots_.made()) [[likely]] {
    slot->add(ticker, count);
  } else {
    record_first_tick(ticker, count);
  }
}

void OwnStatistics::record_first_tick(std::uint32_t ticker, std::uint64_t count) noexcept {
  if (Slot* const slot = slots_.mine()) {
    slot->add(ticker, count);
  } else {
    shared_tickers_[ticker].fetch_add(count, kRelaxed);
  }
}

bool OwnStatistics::HistEnabledForType(std::uint32_t type) const {
  if (type >= rocksdb::HISTOGRAM_ENUM_MAX) [[unlikely]] {
    return false;
  }
  Slot* const slot = slots_.made();
  if (slot != nullptr && slot->thinning[type].skip(interval())) [[likely]] {
    return false;
  }
  return begin_measured(type);
}

bool OwnStatistics::begin_measured(std::uint32_t type) const noexcept {
  Slot* const slot = slots_.mine();
  return slot == nullptr || slot->thinning[type].begin(interval());
}

void OwnStatistics::reportTimeToHistogram(std::uint32_t type, std::uint64_t time) {
  if (get_stats_level() > rocksdb::kExceptTimers) record(type, time);
}

void OwnStatistics::measureTime(std::uint32_t type, std::uint64_t time) {
  recordInHistogram(type, time);
}

void OwnStatistics::recordInHistogram(std::uint32_t type, std::uint64_t value) {
  if (get_stats_level() > rocksdb::kExceptHistogramOrTimers) record(type, value);
}

void OwnStatistics::record(std::uint32_t type, std::uint64_t value) noexcept {
  if (type >= rocksdb::HISTOGRAM_ENUM_MAX) [[unlikely]] {
    return;
  }
  Slot* const slot = slots_.made();
  if (slot != nullptr && slot->thinning[type].skip_end(interval())) [[likely]] {
    return;
  }
  record_measured(type, value);
}

void OwnStatistics::record_measured(std::uint32_t type, std::uint64_t value) noexcept {
  Slot* const slot = slots_.mine();
  const std::uint32_t weight = slot == nullptr ? 1 : slot->thinning[type].end(interval());
  if (weight == 0) return;
  histograms_[type].record(kept_place(type) < kKept ? kFine : kCoarse, value, weight);
}

const Distribution* OwnStatistics::kept(std::size_t place) const noexcept {
  return histograms_[kHistograms[place].type].get();
}

std::uint64_t OwnStatistics::getTickerCount(std::uint32_t ticker) const {
  if (ticker >= rocksdb::TICKER_ENUM_MAX) return 0;
  std::uint64_t sum = shared_tickers_[ticker].load(kRelaxed);
  slots_.for_each([&](const Slot& slot) { sum += slot.tickers[ticker].load(kRelaxed); });
  return sum;
}

void OwnStatistics::setTickerCount(std::uint32_t ticker, std::uint64_t count) {
  if (ticker >= rocksdb::TICKER_ENUM_MAX) return;
  shared_tickers_[ticker].fetch_add(count - getTickerCount(ticker), kRelaxed);
}

std::uint64_t OwnStatistics::getAndResetTickerCount(std::uint32_t ticker) {
  if (ticker >= rocksdb::TICKER_ENUM_MAX) return 0;
  const std::uint64_t count = getTickerCount(ticker);
  shared_tickers_[ticker].fetch_sub(count, kRelaxed);
  return count;
}

void OwnStatistics::histogramData(std::uint32_t type, rocksdb::HistogramData* data) const {
  const auto* const histogram =
      type < rocksdb::HISTOGRAM_ENUM_MAX ? histograms_[type].get() : nullptr;
  *data = histogram == nullptr ? rocksdb::HistogramData{} : histogram->data();
}

std::string OwnStatistics::getHistogramString(std::uint32_t type) const {
  const auto* const histogram =
      type < rocksdb::HISTOGRAM_ENUM_MAX ? histograms_[type].get() : nullptr;
  return histogram == nullptr ? std::string() : histogram->to_string();
}

rocksdb::Status OwnStatistics::Reset() {
  for (std::uint32_t ticker = 0; ticker < rocksdb::TICKER_ENUM_MAX; ++ticker) {
    getAndResetTickerCount(ticker);
  }
  for (auto& histogram : histograms_) {
    if (auto* const made = histogram.get()) made->clear();
  }
  return rocksdb::Status::OK();
}

// The lines that RocksDB's own class writes: the stats dump in the database's LOG has them.
std::string OwnStatistics::ToString() const {
  std::string text;
  text.reserve(20000);
  for (const auto& [ticker, name] : rocksdb::TickersNameMap) {
    text += name + " COUNT : " + std::to_string(getTickerCount(ticker)) + "\n";
  }
  for (const auto& [type, name] : rocksdb::HistogramsNameMap) {
    rocksdb::HistogramData data;
    histogramData(type, &data);
    char line[200];
    std::snprintf(
        line, sizeof line, " P50 : %f P95 : %f P99 : %f P100 : %f COUNT : %llu SUM : %llu\n",
        data.median, data.percentile95, data.percentile99, data.max,
        static_cast<unsigned long long>(data.count), static_cast<unsigned long long>(data.sum));
    text += name + line;
  }
  return text;
}

// RocksDB asks for the map to keep its history of statistics, up to 1 MiB of memory for each
// database, which a host without a Statistics does not have and shall not get from us.
bool OwnStatistics::getTickerMap(std::map<std::string, std::uint64_t>* /*map*/) const {
  return false;
}

}  // namespace rocktune::agent
