#include "agent/forwarding_statistics.h"

#include <utility>

namespace rocktune::agent {

ForwardingStatistics::ForwardingStatistics(std::shared_ptr<rocksdb::Statistics> inner)
    : inner_(std::move(inner)), agreed_level_(inner_->get_stats_level()) {
  set_stats_level(inner_->get_stats_level());
}

void ForwardingStatistics::keep_level_in_step() noexcept {
  const auto inner = inner_->get_stats_level();
  const auto outer = get_stats_level();
  if (inner == outer) [[likely]] {
    return;
  }
  // The side that differs from what was agreed is the one that somebody changed.
  const auto agreed = agreed_level_.load(std::memory_order_relaxed);
  const auto level = inner != agreed ? inner : outer;
  agreed_level_.store(level, std::memory_order_relaxed);
  set_stats_level(level);
  inner_->set_stats_level(level);
}

void ForwardingStatistics::keep(std::size_t place, std::uint64_t value) noexcept {
  Slot* const slot = slots_.mine();
  const std::uint32_t weight = slot == nullptr ? 1 : slot->thinning[place].take(interval());
  if (weight != 0) kept_[place].record(kFine, value, weight);
}

std::uint64_t ForwardingStatistics::getTickerCount(std::uint32_t ticker) const {
  return inner_->getTickerCount(ticker);
}

void ForwardingStatistics::histogramData(std::uint32_t type, rocksdb::HistogramData* data) const {
  inner_->histogramData(type, data);
}

std::string ForwardingStatistics::getHistogramString(std::uint32_t type) const {
  return inner_->getHistogramString(type);
}

void ForwardingStatistics::recordTick(std::uint32_t ticker, std::uint64_t count) {
  inner_->recordTick(ticker, count);
}

void ForwardingStatistics::setTickerCount(std::uint32_t ticker, std::uint64_t count) {
  inner_->setTickerCount(ticker, count);
}

std::uint64_t ForwardingStatistics::getAndResetTickerCount(std::uint32_t ticker) {
  return inner_->getAndResetTickerCount(ticker);
}

void ForwardingStatistics::reportTimeToHistogram(std::uint32_t type, std::uint64_t time) {
  const std::size_t place = kept_place(type);
  if (place != kKept && get_stats_level() > rocksdb::StatsLevel::kExceptTimers) keep(place, time);
  inner_->reportTimeToHistogram(type, time);
}

void ForwardingStatistics::measureTime(std::uint32_t type, std::uint64_t time) {
  inner_->measureTime(type, time);
}

void ForwardingStatistics::recordInHistogram(std::uint32_t type, std::uint64_t value) {
  const std::size_t place = kept_place(type);
  if (place != kKept && get_stats_level() > rocksdb::StatsLevel::kExceptHistogramOrTimers) {
    keep(place, value);
  }
  inner_->recordInHistogram(type, value);
}

// Resets the host's numbers, as it asked; the intervals here are differences and go on.
rocksdb::Status ForwardingStatistics::Reset() {
  return inner_->Reset();
}

std::string ForwardingStatistics::ToString() const {
  return inner_->ToString();
}

bool ForwardingStatistics::getTickerMap(std::map<std::string, std::uint64_t>* map) const {
  return inner_->getTickerMap(map);
}

// Asked at the beginning of everything that RocksDB may time, and for no tick: the cheapest place
// that still sees a changed level at once.
bool ForwardingStatistics::HistEnabledForType(std::uint32_t type) const {
  const_cast<ForwardingStatistics*>(this)->keep_level_in_step();
  return inner_->HistEnabledForType(type);
}

}  // namespace rocktune::agent
