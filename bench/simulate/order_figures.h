// The figures whose order is compared: read P99, throughput and time stalled, on both sides. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/report/run.h"
#include "sim/loop.h"

namespace rocktune::bench {

struct OrderFigure {
  std::string key;    // "read_p99_us", as in the scenario's objective: `first`
  std::string label;  // "read P99, ms"
  double divisor = 1;
  int decimals = 0;
  double least = 0;  // less than this does not count
  // Of all databases together; of P99 that of the only one that reads. Absent: it has none.
  std::optional<double> (*recorded)(const report::Run& run);
  std::optional<double> (*simulated)(const std::vector<sim::LoopFigures>& databases);
};

const std::vector<OrderFigure>& order_figures();

}  // namespace rocktune::bench
