#include "agent/statistics.h"

#include <utility>

namespace rocktune::agent {
namespace {

// Compared by address, which is unique to this copy of the library: a class of the same name that
// another copy brought into the process may be laid out differently.
constexpr char kName[] = "rocktune.WindowedStatistics";

}  // namespace

const std::array<WindowedStatistics::Kept, WindowedStatistics::kKept>
    WindowedStatistics::kHistograms = {{{rocksdb::DB_GET, "get"},
                                        {rocksdb::DB_WRITE, "write"},
                                        {rocksdb::DB_SEEK, "seek"},
                                        {rocksdb::DB_MULTIGET, "multiget"},
                                        {rocksdb::WRITE_STALL, "write_stall"}}};

WindowedStatistics::WindowedStatistics(std::shared_ptr<rocksdb::Statistics> inner,
                                       bool brought_by_host)
    : inner_(std::move(inner)),
      brought_by_host_(brought_by_host),
      agreed_level_(inner_->get_stats_level()) {
  set_stats_level(inner_->get_stats_level());
}

WindowedStatistics* WindowedStatistics::from(rocksdb::Statistics* statistics) {
  if (statistics == nullptr || statistics->Name() != kName) return nullptr;
  return static_cast<WindowedStatistics*>(statistics);
}

std::map<std::string, wire::Histogram> WindowedStatistics::histograms() const {
  const bool measured = get_stats_level() > rocksdb::StatsLevel::kExceptHistogramOrTimers;
  std::map<std::string, wire::Histogram> all;
  for (std::size_t i = 0; i < kKept; ++i) {
    auto histogram = recorders_[i].snapshot();
    if (measured || !histogram.buckets.empty()) {
      all.emplace(kHistograms[i].name, std::move(histogram));
    }
  }
  return all;
}

void WindowedStatistics::keep_level_in_step() noexcept {
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

void WindowedStatistics::keep(std::uint32_t type, std::uint64_t time) noexcept {
  for (std::size_t i = 0; i < kKept; ++i) {
    if (kHistograms[i].type == type) return recorders_[i].record(time);
  }
}

const char* WindowedStatistics::Name() const {
  return kName;
}

std::uint64_t WindowedStatistics::getTickerCount(std::uint32_t ticker) const {
  return inner_->getTickerCount(ticker);
}

void WindowedStatistics::histogramData(std::uint32_t type, rocksdb::HistogramData* data) const {
  inner_->histogramData(type, data);
}

std::string WindowedStatistics::getHistogramString(std::uint32_t type) const {
  return inner_->getHistogramString(type);
}

void WindowedStatistics::recordTick(std::uint32_t ticker, std::uint64_t count) {
  keep_level_in_step();
  inner_->recordTick(ticker, count);
}

void WindowedStatistics::setTickerCount(std::uint32_t ticker, std::uint64_t count) {
  inner_->setTickerCount(ticker, count);
}

std::uint64_t WindowedStatistics::getAndResetTickerCount(std::uint32_t ticker) {
  return inner_->getAndResetTickerCount(ticker);
}

void WindowedStatistics::reportTimeToHistogram(std::uint32_t type, std::uint64_t time) {
  if (get_stats_level() > rocksdb::StatsLevel::kExceptTimers) keep(type, time);
  inner_->reportTimeToHistogram(type, time);
}

void WindowedStatistics::measureTime(std::uint32_t type, std::uint64_t time) {
  inner_->measureTime(type, time);
}

void WindowedStatistics::recordInHistogram(std::uint32_t type, std::uint64_t time) {
  if (get_stats_level() > rocksdb::StatsLevel::kExceptHistogramOrTimers) keep(type, time);
  inner_->recordInHistogram(type, time);
}

// Resets the host's numbers, as it asked; the intervals here are differences and go on.
rocksdb::Status WindowedStatistics::Reset() {
  return inner_->Reset();
}

std::string WindowedStatistics::ToString() const {
  return inner_->ToString();
}

bool WindowedStatistics::getTickerMap(std::map<std::string, std::uint64_t>* map) const {
  return inner_->getTickerMap(map);
}

bool WindowedStatistics::HistEnabledForType(std::uint32_t type) const {
  return inner_->HistEnabledForType(type);
}

}  // namespace rocktune::agent
