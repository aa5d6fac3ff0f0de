// What one tick of the stall forecast costs, and how much it remembers: printed, not checked.
//
// Of each tick the least of several repeats: what else runs on the machine counts little. Features
// are in the cache, as they are when they have just been derived.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "model/stall_forecast.h"
#include "tests/unit/model/flow_plant.h"

namespace {

constexpr int kRepeats = 20;
constexpr std::size_t kTicks = 400;

// L0's saw-tooth at 1 file in `interval` seconds, in one column family.
std::vector<rocktune::Features> course(double interval) {
  rocktune::test::FlowPlant plant(interval, 100e6);
  std::vector<rocktune::Features> out;
  for (std::size_t tick = 0; tick < kTicks; ++tick) {
    out.push_back(plant.read(100 + 0.5 * static_cast<double>(tick)));
  }
  return out;
}

void copy_to_all(const rocktune::Features& from, std::size_t families, rocktune::Features& to) {
  to = from;
  to.column_families.resize(families, from.column_families[0]);
  for (std::size_t i = 1; i < families; ++i) {
    to.column_families[i].name = "family" + std::to_string(i);
  }
}

double microseconds_per_tick(std::size_t families, double interval) {
  using Clock = std::chrono::steady_clock;
  const std::vector<rocktune::Features> one = course(interval);
  std::vector<double> least(kTicks, 1e18);
  rocktune::Features features;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    rocktune::StallForecast forecast;
    for (std::size_t tick = 0; tick < kTicks; ++tick) {
      copy_to_all(one[tick], families, features);
      const auto begin = Clock::now();
      forecast.update(features, false, 30);
      const std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
      least[tick] = std::min(least[tick], spent.count());
      if (forecast.worst() && forecast.worst()->probability < 0) std::abort();  // it is used
    }
  }
  return std::accumulate(least.begin(), least.end(), 0.0) / static_cast<double>(kTicks);
}

}  // namespace

int main() {
  for (const double interval : {2.0, 60.0}) {
    for (const std::size_t families : {1, 4, 64}) {
      std::printf("%2zu column families, a flush every %2.0f s: %.2f us a tick\n", families,
                  interval, microseconds_per_tick(families, interval));
    }
  }
  std::printf("%zu bytes of state a column family, its name apart; %zu in all\n",
              sizeof(rocktune::FamilyFlow),
              sizeof(rocktune::StallForecast) +
                  rocktune::StallForecast::kMostFamilies * (sizeof(rocktune::FamilyFlow) + 64));
}
