#include "agent/statistics.h"

#include <utility>

namespace rocktune::agent {
namespace {

// Compared by address, which is unique to this copy of the library: a class of the same name that
// another copy brought into the process may be laid out differently.
constexpr char kStatisticsName[] = "rocktune.WindowedStatistics";

std::atomic<bool> keeping{false};
std::atomic<WindowedStatistics*> kept_for_blocks{nullptr};  // the latest, and from it the others

}  // namespace

WindowedStatistics* WindowedStatistics::from(rocksdb::Statistics* statistics) {
  if (statistics == nullptr || statistics->Name() != kStatisticsName) return nullptr;
  return static_cast<WindowedStatistics*>(statistics);
}

const char* WindowedStatistics::Name() const {
  return kStatisticsName;
}

void WindowedStatistics::keep_for_blocks() noexcept {
  keeping.store(true);
}

// Without a lock, which a forked child might find taken.
void WindowedStatistics::discard(WindowedStatistics* statistics) noexcept {
  if (!keeping.load()) {
    delete statistics;
    return;
  }
  statistics->next_kept_ = kept_for_blocks.load();
  while (!kept_for_blocks.compare_exchange_weak(statistics->next_kept_, statistics)) {
  }
}

std::map<std::string, wire::Histogram> WindowedStatistics::histograms() {
  const bool measured = get_stats_level() > rocksdb::StatsLevel::kExceptHistogramOrTimers;
  std::map<std::string, wire::Histogram> all;
  for (std::size_t place = 0; place < kKept; ++place) {
    const auto* const distribution = kept(place);
    auto histogram = distribution == nullptr ? wire::Histogram() : distribution->snapshot();
    if (measured || !histogram.buckets.empty()) {
      all.emplace(kHistograms[place].name, std::move(histogram));
    }
  }
  interval_.fetch_add(1, std::memory_order_relaxed);
  return all;
}

}  // namespace rocktune::agent
