// What one tick of the early warnings costs, and how much it remembers: printed, not checked.
//
// Of each tick the least of several repeats: what else runs on the machine counts little. Features
// are in the cache, as they are when they have just been derived.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "model/heads/indicator_heads.h"
#include "model/heads/observer.h"
#include "model/indicators.h"
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

// `Model` has update(features), whose result tells that it is used.
template <class Model>
double microseconds_per_tick(std::size_t families, double interval) {
  using Clock = std::chrono::steady_clock;
  const std::vector<rocktune::Features> one = course(interval);
  std::vector<double> least(kTicks, 1e18);
  rocktune::Features features;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    Model model;
    for (std::size_t tick = 0; tick < kTicks; ++tick) {
      copy_to_all(one[tick], families, features);
      const auto begin = Clock::now();
      const double probability = model.update(features);
      const std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
      least[tick] = std::min(least[tick], spent.count());
      if (probability < 0) std::abort();
    }
  }
  return std::accumulate(least.begin(), least.end(), 0.0) / static_cast<double>(kTicks);
}

struct L0Alone {
  rocktune::StallForecast forecast;
  double update(const rocktune::Features& features) {
    forecast.update(features, false, 30);
    return forecast.worst() ? forecast.worst()->probability : 0;
  }
};

// The inputs and the heads of all three indicators, forecasting and learning.
struct Heads {
  rocktune::Objective objective;
  rocktune::HeadObserver observer;
  rocktune::DeviceLoad load;
  std::array<rocktune::Episodes, 3> episodes;
  std::array<rocktune::Forecaster, 3> forecasters{
      rocktune::Forecaster(rocktune::LearntIndicator()),
      rocktune::Forecaster(rocktune::LearntIndicator()),
      rocktune::Forecaster(rocktune::LearntIndicator())};
  double update(const rocktune::Features& features) {
    load.update(features);
    rocktune::Forecaster::Moment moment;
    observer.update(features, objective, std::nullopt, load);
    moment.inputs = observer.inputs();
    double sum = 0;
    for (std::size_t i = 0; i < forecasters.size(); ++i) {
      episodes[i].update(features.at.tick, true, false);
      rocktune::set_episode_inputs(moment.inputs, episodes[i]);
      moment.values = {0.5, 0.5};
      forecasters[i].update(features.at.tick, &moment, episodes[i]);
      for (const double horizon : rocktune::kHeadHorizons) {
        sum += rocktune::probability_of(*forecasters[i].log_odds(horizon));
        sum += forecasters[i].value(0, horizon)->at(1);
      }
    }
    return sum;
  }
};

// All that a tick does once the features are there, with the words and the alerts.
struct WholeModel {
  rocktune::IndicatorModel model{rocktune::Objective{}};
  double update(const rocktune::Features& features) {
    return model.update(features).indicators[1].probability;
  }
};

template <class Model>
void print(const char* what) {
  for (const std::size_t families : {1, 4, 64}) {
    std::printf("%s, %2zu column families: %.2f us a tick\n", what, families,
                microseconds_per_tick<Model>(families, 2));
  }
}

}  // namespace

int main() {
  print<L0Alone>("L0's roll-out, a flush every 2 s");
  print<Heads>("inputs and heads");
  print<WholeModel>("the whole model");
  std::printf("%zu bytes of state a column family, its name apart; %zu for 64 of them\n",
              sizeof(rocktune::FamilyFlow),
              sizeof(rocktune::StallForecast) +
                  rocktune::StallForecast::kMostFamilies * (sizeof(rocktune::FamilyFlow) + 64));
  std::printf("%zu bytes of state of the heads of all indicators, %zu of the device's load\n",
              3 * sizeof(rocktune::IndicatorHeads) + sizeof(rocktune::HeadObserver),
              sizeof(rocktune::DeviceLoad));
}
