// The forecast of L0 stalls on flows whose course is known, and on samples that make no sense.
#include "model/stall_forecast.h"

#include <cmath>
#include <optional>
#include <random>

#include "model/indicators.h"
#include "tests/support/catch.h"
#include "tests/unit/model/flow_plant.h"

using namespace rocktune;
using rocktune::test::at_seconds;
using rocktune::test::FlowPlant;

namespace {

// At 300 MB/s a compaction out of L0 takes some 2 s; then, at `slow`, one takes so long that L0
// passes 20 files.
struct L0Course {
  std::optional<double> warned, stalled;  // s
  bool early = false;                     // warned before there was a reason
  double eta_error = 0;                   // at the warning
};

L0Course slow_down(double slow, double step) {
  FlowPlant plant(2, 300e6);
  StallForecast forecast;
  L0Course course;
  for (double time = 100; time < 400; time += step) {
    if (time >= 200) plant.set_rate(slow);
    const Features features = plant.read(time);
    const bool stalled = plant.files >= 20;
    forecast.update(features, stalled, 30);
    if (stalled && !course.stalled) course.stalled = time;
    if (stalled) break;
    const auto& worst = forecast.worst();
    if (!worst || worst->probability < 0.5 || course.warned) continue;
    course.warned = time;
    course.early = time < 200;
    course.eta_error = worst->eta_seconds.value_or(-1000) + time;
  }
  if (course.stalled) course.eta_error -= *course.stalled;
  return course;
}

// Whatever a broken agent may tell, in bounds that keep most of it usable.
Features nonsense(std::mt19937_64& random, std::uint64_t sequence, double& time) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  time += below(50) == 0 ? static_cast<double>(below(4000)) - 100 : 0.5;
  Sample sample = test::quiet_sample(sequence, time);
  auto& families = sample.database->column_families;
  families.resize(below(4));
  for (std::size_t i = 0; i < families.size(); ++i) {
    ColumnFamilyReading& family = families[i];
    family.name = std::to_string(below(20) == 0 ? below(100) : i);
    ColumnFamilyReading::visit_fields(family, [&](const char*, Counter& counter) {
      const std::uint64_t kind = below(40);
      counter = kind == 0 ? UINT64_MAX : sequence * below(4) + below(1000);
      if (kind == 1) counter.reset();
    });
    family.leveled_compaction = 1;
    family.flushes = sequence * 2;
    family.last_flush_age_ms = below(900);
    family.level0_slowdown_trigger = below(30);
    for (Counter* done :
         {&family.l0_compactions, &family.l0_compactions_ms, &family.l0_compactions_input_bytes,
          &family.deep_compactions, &family.deep_compactions_ms}) {
      *done = sequence * 100;
    }
    family.levels.resize(below(9));
    for (LevelReading& level : family.levels) {
      level = {below(30), below(3) == 0 ? random() : below(1 << 30)};
    }
  }
  Features features = derive(nullptr, sample);
  features.fresh = below(30) != 0;
  features.reset = below(100) == 0;
  return features;
}

}  // namespace

TEST_CASE("A compaction that will end too late is a warning long before", "[forecast]") {
  const double step = GENERATE(0.5, 1.0);
  const L0Course course = slow_down(14e6, step);
  REQUIRE(course.stalled);
  REQUIRE(course.warned);
  CHECK_FALSE(course.early);
  CHECK(*course.stalled - *course.warned >= 2);
  CHECK(std::abs(course.eta_error) < 3);
}

TEST_CASE("The beginning of the next compaction is foreseen", "[forecast]") {
  FlowPlant plant(5, 300e6);  // a compaction out of L0 every 20 s, of some 2 s
  StallForecast forecast;
  for (double time = 100; time < 150; ++time) forecast.update(plant.read(time), false, 30);
  std::optional<double> begins;  // s
  for (double time = 150; time < 190; ++time) {
    const bool ran = plant.job_ends().has_value();
    forecast.update(plant.read(time), false, 30);
    const auto& worst = forecast.worst();
    REQUIRE(worst);
    REQUIRE(worst->l0_compaction_begins_seconds);
    // Of 20 s some 2, and as much again for what each moves on below L1.
    CHECK((worst->busy_ratio > 0.05 && worst->busy_ratio < 0.35));
    const bool runs = plant.job_ends().has_value();
    if (runs) CHECK(*worst->l0_compaction_begins_seconds == 0);
    if (!ran && runs && begins) CHECK(*begins == Approx(time - 0.5).margin(0.6));
    if (!runs) begins = time + *worst->l0_compaction_begins_seconds;
  }
}

TEST_CASE("A saw-tooth below the limit is none", "[forecast]") {
  const L0Course course = slow_down(250e6, 1);
  CHECK_FALSE(course.stalled);
  CHECK_FALSE(course.warned);
}

TEST_CASE("Soon after a stall it is the same episode", "[forecast]") {
  FlowPlant plant(2, 300e6);
  StallForecast forecast;
  for (double time = 100; time < 150; ++time) forecast.update(plant.read(time), false, 30);
  Features features = plant.read(150);
  features.column_families[0].levels[0] = {16, 16 * 64 * test::kMiB};
  features.column_families[0].l0_compaction_input_files = 16;
  features.column_families[0].l0_compaction_input_bytes = 60'000'000'000;
  StallForecast quiet = forecast;
  quiet.update(features, false, 30);
  REQUIRE(quiet.worst());
  CHECK(quiet.worst()->probability > 0.9);
  CHECK(*quiet.worst()->eta_seconds == Approx(8).margin(2.1));
  CHECK(quiet.worst()->probabilities[0] <= quiet.worst()->probabilities[1]);
  CHECK(quiet.worst()->probabilities[1] <= quiet.worst()->probabilities[2]);
  features.read_at -= at_seconds(0.5);
  forecast.update(features, true, 30);
  features.read_at += at_seconds(0.5);
  forecast.update(features, false, 30);
  REQUIRE(forecast.worst());
  CHECK(forecast.worst()->probability < 0.1);
  CHECK(forecast.quiet_seconds() == Approx(0.5));
}

TEST_CASE("After a gap, a step of the clock or a reopening it begins anew", "[forecast]") {
  FlowPlant plant(2, 300e6);
  StallForecast forecast;
  for (double time = 100; time < 150; ++time) forecast.update(plant.read(time), false, 30);
  REQUIRE(forecast.worst());
  Features features = plant.read(150);
  SECTION("a gap") {
    features.read_at += at_seconds(3600);
  }
  SECTION("a clock that steps back") {
    features.read_at -= at_seconds(20);
  }
  SECTION("a reopening") {
    features.reset = true;
  }
  SECTION("the column family is gone") {
    features.column_families.clear();
  }
  SECTION("nothing was read") {
    features.fresh = false;
  }
  forecast.update(features, false, 30);
  CHECK_FALSE(forecast.worst());
}

TEST_CASE("The column family that is worst off counts", "[forecast]") {
  FlowPlant calm(2, 300e6), busy(2, 300e6);
  StallForecast forecast;
  for (double time = 100; time < 230; ++time) {
    if (time >= 200) busy.set_rate(14e6);
    Features features = calm.read(time);
    features.column_families.push_back(busy.read(time).column_families[0]);
    features.column_families[1].name = "busy";
    forecast.update(features, false, 30);
  }
  REQUIRE(forecast.worst());
  CHECK(forecast.worst()->column_family == "busy");
  CHECK(forecast.why_not_ready("default") == nullptr);
  CHECK(forecast.why_not_ready("another") != nullptr);
}

TEST_CASE("A column family far from a stall is not looked at each time, and is not missed",
          "[forecast]") {
  FlowPlant calm(2, 300e6), busy(2, 300e6);
  StallForecast both, alone;
  double differs = 0, probable = 0;
  for (double time = 100; time < 300; time += 0.5) {
    if (time >= 200) busy.set_rate(14e6);
    Features features = busy.read(time);
    alone.update(features, false, 30);
    features.column_families[0].name = "busy";
    features.column_families.push_back(calm.read(time).column_families[0]);
    both.update(features, false, 30);
    if (!alone.worst() || alone.worst()->probability < 0.1) continue;
    probable += 0.5;
    if (both.worst()->probability != alone.worst()->probability) differs += 0.5;
  }
  CHECK(probable > 30);
  CHECK(differs <= 1);
}

TEST_CASE("Whatever samples tell, forecasts are finite, the same again, and grow with the horizon",
          "[forecast]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    StallForecast one, again;
    double time = 5000;
    for (std::uint64_t sequence = 1; sequence < 700; ++sequence) {
      const Features features = nonsense(random, sequence, time);
      const bool stalled = random() % 50 == 0;
      one.update(features, stalled, 30);
      again.update(features, stalled, 30);
      REQUIRE(one.worst().has_value() == again.worst().has_value());
      if (!one.worst()) continue;
      const L0Forecast& now = *one.worst();
      REQUIRE(now.probability == again.worst()->probability);
      REQUIRE(now.eta_seconds == again.worst()->eta_seconds);
      REQUIRE(std::isfinite(now.peak_files));
      for (const double p : now.probabilities) REQUIRE((p >= 0 && p <= 1));
      REQUIRE((now.probability >= 0 && now.probability <= 1));
    }
  }
}

TEST_CASE("State is bounded", "[forecast]") {
  CHECK(StallForecast::kMostFamilies * (sizeof(FamilyFlow) + 64) < 64 * 1024);
}

TEST_CASE("the indicator warns by the roll-out", "[forecast][indicators]") {
  FlowPlant plant(2, 300e6);
  IndicatorModel model{Objective{}};
  std::optional<AlertChange> alert;
  for (double time = 100; time < 260 && plant.files < 20 && !alert; time += 0.5) {
    if (time >= 200) plant.set_rate(14e6);
    auto step = model.update(plant.read(time));
    if (!step.alerts.empty()) alert = step.alerts[0];
  }
  REQUIRE(alert);
  CHECK(alert->indicator.cause == "l0");
  CHECK(alert->indicator.drivers[0].feature == "l0_peak_files");
  CHECK(alert->indicator.drivers[0].value >= 18);
  REQUIRE(alert->indicator.eta_seconds);
  CHECK(alert->message.find("are foreseen") != std::string::npos);
}

TEST_CASE("All families together tell what the worst of them tells alone", "[forecast]") {
  std::mt19937_64 random(3);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  std::vector<FlowPlant> plants;
  for (int i = 0; i < 6; ++i) plants.emplace_back(between(1.5, 4), between(100e6, 400e6));
  std::vector<StallForecast> alone(plants.size());
  StallForecast together;
  int calm = 0, certain = 0;
  for (double time = 100; time < 300; time += 1) {
    if (time > 150 && random() % 12 == 0) {
      const bool slow = random() % 2 == 0;
      plants[random() % plants.size()].set_rate(slow ? between(10e6, 30e6) : between(100e6, 400e6));
    }
    const bool stalled = random() % 80 == 0;
    Features all = plants[0].read(time);
    all.column_families.clear();
    std::optional<double> highest;
    for (std::size_t i = 0; i < plants.size(); ++i) {
      Features one = plants[i].read(time);
      one.column_families[0].name = std::to_string(i);
      all.column_families.push_back(one.column_families[0]);
      alone[i].update(one, stalled, 30);
      const auto& worst = alone[i].worst();
      if (worst) highest = std::max(highest.value_or(0), worst->probability);
    }
    together.update(all, stalled, 30);
    REQUIRE(together.worst().has_value() == highest.has_value());
    if (!highest) continue;
    REQUIRE(together.worst()->probability == Approx(*highest).margin(0.005));
    ++(*highest < 0.5 ? calm : certain);
  }
  CHECK(calm > 20);  // it is about both
  CHECK(certain > 20);
}
