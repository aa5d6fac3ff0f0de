#include "agent/limiter/traffic_counters.h"

namespace rocktune::agent {

TrafficCounters::Total TrafficCounters::of(Traffic traffic, Kind kind) const noexcept {
  Total total;
  const auto& row = rows_[static_cast<std::size_t>(traffic)][static_cast<std::size_t>(kind)];
  for (const auto& cell : row.cells) {
    total +=
        {cell.bytes.load(std::memory_order_relaxed), cell.requests.load(std::memory_order_relaxed)};
  }
  return total;
}

TrafficCounters::Total TrafficCounters::charged(rocksdb::Env::IOPriority priority) const noexcept {
  Total total;
  for (const auto& kinds : rows_) {
    for (const auto kind : {Kind::kWrite, Kind::kChargedRead}) {
      const auto& cells = kinds[static_cast<std::size_t>(kind)].cells;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (priority != rocksdb::Env::IO_TOTAL && i != static_cast<std::size_t>(priority)) continue;
        total += {cells[i].bytes.load(std::memory_order_relaxed),
                  cells[i].requests.load(std::memory_order_relaxed)};
      }
    }
  }
  return total;
}

}  // namespace rocktune::agent
