#include "agent/forwarding_statistics.h"

#include <mutex>
#include <utility>

namespace rocktune::agent {
namespace {

struct Made {
  struct One {
    const rocksdb::Statistics* inner;  // to be compared with only
    std::weak_ptr<ForwardingStatistics> around;
  };
  std::mutex mutex;
  std::vector<One> all;
};

// Never destroyed: databases may be opened after static destructors have run.
Made& made() {
  static auto* const one = new Made;
  return *one;
}

}  // namespace

std::shared_ptr<ForwardingStatistics> ForwardingStatistics::around(
    std::shared_ptr<rocksdb::Statistics> inner) {
  const std::shared_ptr<ForwardingStatistics> fresh(new ForwardingStatistics(std::move(inner)),
                                                    discard);
  Others others;  // let go of without the mutex
  const std::lock_guard lock(made().mutex);
  std::erase_if(made().all, [](const auto& one) { return one.around.expired(); });
  fresh->meet(others);
  made().all.push_back({fresh->inner_.get(), fresh});
  return fresh;
}

ForwardingStatistics::ForwardingStatistics(std::shared_ptr<rocksdb::Statistics> inner)
    : inner_(std::move(inner)), agreed_level_(inner_->get_stats_level()) {
  set_stats_level(inner_->get_stats_level());
}

// One thread decides at a time: another that compared with a half-told change would take the old
// level for somebody's wish. The rest go on at the level they have, and nobody waits.
void ForwardingStatistics::keep_level_in_step() noexcept {
  if (inner_->get_stats_level() == get_stats_level()) [[likely]] {
    return;
  }
  if (deciding_.test_and_set(std::memory_order_acquire)) return;
  const auto inner = inner_->get_stats_level();
  const auto outer = get_stats_level();
  // The side that differs from what was agreed is the one that somebody changed.
  if (inner != agreed_level_) {
    set_stats_level(inner);
    agreed_level_ = inner;
  } else if (outer != agreed_level_) {
    inner_->set_stats_level(outer);
    agreed_level_ = outer;
  }
  deciding_.clear(std::memory_order_release);
}

void ForwardingStatistics::keep(std::size_t place, std::uint64_t value) noexcept {
  Slot* const slot = slots_.made();
  if (slot != nullptr && slot->thinning[place].skip(interval())) [[likely]] {
    return;
  }
  keep_measured(place, value);
}

void ForwardingStatistics::keep_measured(std::size_t place, std::uint64_t value) noexcept {
  Slot* const slot = slots_.mine();
  const std::uint32_t weight = slot == nullptr ? 1 : slot->thinning[place].take(interval());
  if (weight != 0) kept_[place].record(kFine, value, weight);
}

// Of the same object of the host's: each counts its own from now on.
void ForwardingStatistics::meet(Others& others) {
  for (const auto& one : made().all) {
    if (one.inner != inner_.get()) continue;
    if (auto other = one.around.lock()) others.push_back(std::move(other));
  }
  for (const auto& other : others) {
    if (other.get() == this || other->ended_) continue;
    other->count_own();
    count_own();
  }
}

void ForwardingStatistics::attached() {
  Others others;
  const std::lock_guard lock(made().mutex);
  if (ended_) meet(others);  // the host has opened it anew with the same prepared options
  ended_ = false;
  ++databases_;
}

void ForwardingStatistics::detached() noexcept {
  const std::lock_guard lock(made().mutex);
  ended_ = --databases_ == 0;
}

void ForwardingStatistics::count_own() {
  if (counts_) return;
  counts_ = std::make_unique<const TickerCounts>();
  own_counts_.store(counts_.get(), std::memory_order_release);
}

bool ForwardingStatistics::shared_by_host() const noexcept {
  return own_counts_.load(std::memory_order_acquire) != nullptr;
}

std::uint64_t ForwardingStatistics::own_count(std::uint32_t ticker) const {
  const auto* const own = own_counts_.load(std::memory_order_acquire);
  return own != nullptr ? own->sum(ticker) : getTickerCount(ticker);
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
  const auto* const own = own_counts_.load(std::memory_order_acquire);
  if (own != nullptr && get_stats_level() > rocksdb::StatsLevel::kExceptTickers) [[unlikely]] {
    own->add(ticker, count);
  }
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
