// What one tick of the stall forecast costs, and how much it remembers: printed, not checked.
//
// The processor's time of this thread, the least of several repeats: what else runs on the machine
// counts little.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "model/stall_forecast.h"
#include "tests/unit/model/flow_plant.h"

namespace {

constexpr int kRepeats = 20;
constexpr std::size_t kTicks = 400;

double thread_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// L0's saw-tooth at 1 file in `interval` seconds, in each column family.
std::vector<rocktune::Features> course(std::size_t families, double interval) {
  rocktune::test::FlowPlant plant(interval, 100e6);
  std::vector<rocktune::Features> out;
  for (std::size_t tick = 0; tick < kTicks; ++tick) {
    rocktune::Features features = plant.read(100 + 0.5 * static_cast<double>(tick));
    const rocktune::ColumnFamilyReading one = features.column_families[0];
    features.column_families.resize(families, one);
    for (std::size_t i = 1; i < families; ++i) {
      features.column_families[i].name = "family" + std::to_string(i);
    }
    out.push_back(features);
  }
  return out;
}

double microseconds_per_tick(std::size_t families, double interval) {
  const std::vector<rocktune::Features> features = course(families, interval);
  double best = 1e18;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    rocktune::StallForecast forecast;
    double sum = 0;
    const double begin = thread_microseconds();
    for (const rocktune::Features& one : features) {
      forecast.update(one, false, 30);
      if (forecast.worst()) sum += forecast.worst()->probability;
    }
    best = std::min(best, (thread_microseconds() - begin) / static_cast<double>(kTicks));
    if (sum < 0) std::abort();  // it is used
  }
  return best;
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
