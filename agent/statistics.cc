#include "agent/statistics.h"

#include <utility>

namespace rocktune::agent {
namespace {

// Compared by address, which is unique to this copy of the library: a class of the same name that
// another copy brought into the process may be laid out differently.
constexpr char kName[] = "rocktune.WindowedStatistics";

}  // namespace

constexpr std::array<WindowedStatistics::Kept, WindowedStatistics::kKept>
    WindowedStatistics::kHistograms = {{{rocksdb::DB_GET, "get"},
                                        {rocksdb::DB_WRITE, "write"},
                                        {rocksdb::DB_SEEK, "seek"},
                                        {rocksdb::DB_MULTIGET, "multiget"},
                                        {rocksdb::WRITE_STALL, "write_stall"}}};

WindowedStatistics* WindowedStatistics::from(rocksdb::Statistics* statistics) {
  if (statistics == nullptr || statistics->Name() != kName) return nullptr;
  return static_cast<WindowedStatistics*>(statistics);
}

const char* WindowedStatistics::Name() const {
  return kName;
}

std::size_t WindowedStatistics::kept_place(std::uint32_t type) noexcept {
  std::size_t place = 0;
  while (place < kKept && kHistograms[place].type != type) ++place;
  return place;
}

std::uint32_t WindowedStatistics::kept_type(std::size_t place) noexcept {
  return kHistograms[place].type;
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
