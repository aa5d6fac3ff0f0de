// After warm-up the model's inner parts allocate nothing. An executable of its own, since it counts
// every operator new of the process.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

#include "model/heads/false_alarm_budget.h"
#include "model/heads/forecaster.h"
#include "model/heads/observer.h"
#include "model/indicators.h"
#include "model/stall_forecast.h"
#include "model/trend.h"
#include "tests/support/catch.h"
#include "tests/unit/model/flow_plant.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROCKTUNE_COUNTS_NEW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROCKTUNE_COUNTS_NEW 0
#endif
#endif
#ifndef ROCKTUNE_COUNTS_NEW
#define ROCKTUNE_COUNTS_NEW 1
#endif

namespace {
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> bytes_held{0};  // as the allocator rounds them
}  // namespace

#if ROCKTUNE_COUNTS_NEW
#ifdef __GNUC__
// Once inlined, free() of what came from this very operator new looks like a mismatch to GCC.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
// The array and nothrow forms come through here, too.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    bytes_held += malloc_usable_size(memory);
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  bytes_held -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  operator delete(memory);
}
#endif

using namespace rocktune;
using rocktune::test::FlowPlant;

namespace {

constexpr std::size_t kWarmUp = 120;
constexpr std::size_t kUpdates = 600;

// How often `one` allocates in kUpdates calls, after kWarmUp.
template <class Update>
std::size_t count_allocations(Update one) {
  for (std::size_t i = 0; i < kWarmUp; ++i) one(i);
  std::size_t count = 0;
  for (std::size_t i = kWarmUp; i < kWarmUp + kUpdates; ++i) count += one(i);
  return count;
}

bool is_counted() {
  if (ROCKTUNE_COUNTS_NEW != 0) return true;
  WARN("operator new belongs to the sanitizer: allocations are not counted");
  return false;
}

}  // namespace

TEST_CASE("allocations are counted", "[allocation]") {
  if (!is_counted()) return;
  const std::size_t before = allocations;
  ::operator delete(::operator new(100));
  CHECK(allocations == before + 1);
}

TEST_CASE("a trend allocates nothing once its window is full", "[allocation]") {
  if (!is_counted()) return;
  for (const Trend::Jumps kind :
       {Trend::Jumps::kKeep, Trend::Jumps::kFalls, Trend::Jumps::kOutliers}) {
    Trend trend(kind, 2.5, 15);
    double sum = 0;
    const auto update = [&](std::size_t i) {
      const std::size_t before = allocations;
      trend.add(test::at_seconds(100 + 0.5 * static_cast<double>(i)),
                static_cast<double>(i * i % 17));
      sum += trend.slope().value_or(0) + trend.median(5).value_or(0);
      sum += trend.mean(5).value_or(0) + trend.largest(5).value_or(0);
      if (i % 100 == 99) trend.clear();
      return allocations - before;
    };
    CHECK(count_allocations(update) == 0);
    CHECK(std::isfinite(sum));
  }
}

TEST_CASE("the stall forecast allocates nothing for column families that it has seen",
          "[allocation]") {
  if (!is_counted()) return;
  FlowPlant plant(2, 100e6);
  StallForecast forecast;
  std::size_t told = 0;
  const auto update = [&](std::size_t i) {
    Features features = plant.read(100 + 0.5 * static_cast<double>(i));
    const ColumnFamilyReading one = features.column_families[0];
    // Up to 12, some of which are not there each time.
    for (std::size_t k = 0; k < 12; ++k) {
      if (i >= 12 && (i / 7 + k) % 5 == 0) continue;
      features.column_families.push_back(one);
      features.column_families.back().name =
          "a column family with a long name " + std::to_string(k);
    }
    if (i % 50 == 49) features.reset = true;
    const std::size_t before = allocations;
    forecast.update(features, i % 90 == 0, 30);
    const std::size_t count = allocations - before;
    if (forecast.worst()) ++told;
    return count;
  };
  CHECK(count_allocations(update) == 0);
  CHECK(told > kUpdates / 2);
}

TEST_CASE("the heads allocate nothing", "[allocation]") {
  if (!is_counted()) return;
  FlowPlant plant(2, 100e6);
  HeadObserver observer;
  DeviceLoad load;
  Episodes episodes;
  Forecaster forecaster{LearntIndicator()};
  FalseAlarmBudget budget(12, 60);
  const Objective objective;
  double sum = 0;
  const auto update = [&](std::size_t i) {
    Features features = plant.read(100 + 0.5 * static_cast<double>(i));
    features.device_queue = static_cast<double>(i % 40);
    const std::size_t before = allocations;
    load.update(features);
    Forecaster::Moment moment;
    observer.update(features, objective, std::nullopt, load);
    moment.inputs = observer.inputs();
    episodes.update(features.at.tick, true, i % 200 > 180);
    set_episode_inputs(moment.inputs, episodes);
    moment.values[0] = static_cast<double>(i % 7);
    forecaster.update(features.at.tick, &moment, episodes);
    const double odds = *forecaster.log_odds(30);
    budget.update(features.at.tick, odds, episodes.holds(), episodes.onset_now());
    sum += odds + forecaster.value(0, 60)->at(1) + forecaster.contributions(10)[0];
    return allocations - before;
  };
  CHECK(count_allocations(update) == 0);
  CHECK(std::isfinite(sum));
  CHECK(forecaster.learnt().onsets > 0);
}

// Issue 5 allows 64 kB for each database. Everything that the model holds counts: heads, the flow
// of each column family with its name, the windows of trends.
TEST_CASE("the model of a database with 64 column families holds less than 64 kB", "[allocation]") {
  if (!is_counted()) return;
  FlowPlant plant(2, 100e6);
  const std::size_t before = bytes_held;
  IndicatorModel model{Objective()};
  std::size_t most = 0;
  for (std::size_t i = 0; i < kUpdates; ++i) {
    const std::size_t own = bytes_held;
    Features features = plant.read(100 + 0.5 * static_cast<double>(i));
    features.column_families.resize(StallForecast::kMostFamilies, features.column_families[0]);
    for (std::size_t k = 1; k < features.column_families.size(); ++k) {
      features.column_families[k].name = "column_family_" + std::to_string(k);
    }
    features.interval_seconds = 0.5;
    features.device_queue = features.device_read_await_ms = static_cast<double>(2 + i % 7);
    features.reads_per_second = features.writes_per_second = 1000.0 + static_cast<double>(i % 50);
    features.read_p99_us = features.write_p99_us = 500.0 + static_cast<double>(i % 100);
    const std::size_t of_features = bytes_held - own;
    CHECK(model.update(features).indicators[0].valid);
    most = std::max(most, bytes_held - before - of_features);
  }
  INFO(most << " bytes");
  CHECK(most > 16 * 1024);  // it is counted at all
  CHECK(most < 64 * 1000);
}
