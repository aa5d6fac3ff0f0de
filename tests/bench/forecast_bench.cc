// What one tick of the stall forecast costs, and how much it remembers: printed, not checked.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "model/stall_forecast.h"
#include "tests/unit/model/flow_plant.h"

namespace {

// L0's saw-tooth at 1 file in 2 s; the rest of the columns as they come.
double microseconds_per_tick(std::size_t families, int ticks) {
  using rocktune::test::FlowPlant;
  FlowPlant plant(2, 100e6);
  rocktune::StallForecast forecast;
  std::chrono::nanoseconds spent{0};
  double sum = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    rocktune::Features features = plant.read(100 + 0.5 * tick);
    const rocktune::ColumnFamilyReading one = features.column_families[0];
    features.column_families.resize(families, one);
    for (std::size_t i = 1; i < families; ++i) {
      features.column_families[i].name = "family" + std::to_string(i);
    }
    const auto begin = std::chrono::steady_clock::now();
    forecast.update(features, false, 30);
    spent += std::chrono::steady_clock::now() - begin;
    if (forecast.worst()) sum += forecast.worst()->probability;
  }
  if (sum < 0) std::abort();  // it is used
  return static_cast<double>(spent.count()) / 1000 / ticks;
}

}  // namespace

int main() {
  for (const std::size_t families : {1, 4, 64}) {
    std::printf("%2zu column families: %.2f us a tick\n", families,
                microseconds_per_tick(families, families > 10 ? 2000 : 20000));
  }
  std::printf("%zu bytes of state a column family, its name apart; %zu in all\n",
              sizeof(rocktune::FamilyFlow),
              sizeof(rocktune::StallForecast) +
                  rocktune::StallForecast::kMostFamilies * (sizeof(rocktune::FamilyFlow) + 64));
}
