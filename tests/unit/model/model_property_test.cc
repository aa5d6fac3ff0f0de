// The whole model on whatever samples a broken world may give: what it says is always well-formed.
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "model/indicators.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using rocktune::test::at_seconds;

namespace {

constexpr int kSeeds = 50;
constexpr std::uint64_t kStepsPerSeed = 160;

class BrokenWorld {
 public:
  explicit BrokenWorld(std::uint64_t seed) : random_(seed) { busy_ = below(3) + 1; }

  Features next() {
    Sample sample = test::quiet_sample(++sequence_, tell_time());
    if (one_in(300)) ++incarnation_;
    sample.incarnation = "agent/db-" + std::to_string(incarnation_);
    DatabaseReading& db = *sample.database;
    DatabaseReading::visit_fields(db, [&](const char*, Counter& c) { c = counter(); });
    for (auto* histogram : {&db.read_latency, &db.write_latency}) fill(*histogram);
    fill_families(db);
    DeviceReading::visit_fields(*sample.device, [&](const char*, Counter& c) { c = counter(); });
    if (one_in(20)) sample.device->in_flight = below(300);
    if (one_in(10)) sample.device.reset();
    if (one_in(10)) sample.host.reset();
    if (one_in(25)) sample.database.reset();
    Features features = derive(before_ && !one_in(40) ? &*before_ : nullptr, sample);
    Features::visit_values(features, [](const char* name, const Value& value) {
      CAPTURE(name);
      REQUIRE(std::isfinite(value.value_or(0)));
    });
    spoil(features);
    before_ = sample;
    return features;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

  double tell_time() {
    switch (below(100)) {
      case 0:
        time_ += 3600;
        break;
      case 1:
        time_ -= 60;  // a clock that steps back
        break;
      case 2:
        time_ += 1e-6;
        break;
      case 3:
        break;  // the same time again
      default:
        time_ += 0.5;
    }
    time_ = std::max(time_, 1.0);
    return time_;
  }

  // Counts up, stands still, begins anew, is absent, or is beyond all bounds.
  Counter counter() {
    switch (below(60)) {
      case 0:
        return std::nullopt;
      case 1:
        return UINT64_MAX;
      case 2:
        return 0;
      default:
        return sequence_ * busy_ * 1000 + below(100);
    }
  }

  void fill(std::optional<LatencyHistogram>& histogram) {
    if (one_in(20)) {
      histogram.reset();
      return;
    }
    const std::uint64_t slow = one_in(10) ? 1'000'000 : 100 + below(10'000);
    calls_ += busy_ * 100;
    histogram->sum_us = calls_ * 100;
    histogram->buckets = {{0, 100, calls_}, {slow, slow * 2, one_in(30) ? 0 : calls_ / 10}};
  }

  void fill_families(DatabaseReading& db) {
    const ColumnFamilyReading usual = db.column_families[0];
    db.column_families.assign(below(5), usual);
    for (std::size_t i = 0; i < db.column_families.size(); ++i) {
      ColumnFamilyReading& family = db.column_families[i];
      family.name = std::to_string(one_in(20) ? below(1000) : i);  // they come, go, change names
      ColumnFamilyReading::visit_fields(family, [&](const char*, Counter& c) {
        if (one_in(8)) c = counter();
      });
      family.leveled_compaction = 1;
      family.flushes = family.l0_compactions = family.l0_compactions_ms = sequence_;
      family.last_flush_age_ms = below(1000);
      family.target_file_bytes = family.max_bytes_for_level_base_bytes = 64 * test::kMiB;
      family.level0_slowdown_trigger = one_in(20) ? counter() : Counter(20);
      family.pending_compaction_bytes = one_in(10) ? random_() : below(80) << 30;
      if (one_in(30)) family.soft_pending_limit_bytes = one_in(2) ? 0 : UINT64_MAX;
      family.levels.resize(one_in(20) ? below(80) : 7);
      for (LevelReading& level : family.levels) {
        level = {one_in(40) ? random_() : below(25), one_in(40) ? random_() : below(1 << 30)};
      }
    }
  }

  // Values are finite or absent (features.h), and may be anything else.
  void spoil(Features& features) {
    constexpr double kOdd[] = {-1, 0, 1e-300, 1e300, -1e300};
    if (!one_in(4)) return;
    Features::visit_values(features, [&](const char*, Value& value) {
      if (one_in(15)) value = kOdd[below(std::size(kOdd))];
      if (one_in(15)) value.reset();
    });
    if (one_in(10)) features.missed_polls = below(100);
  }

  std::mt19937_64 random_;
  std::uint64_t sequence_ = 0, incarnation_ = 1, busy_ = 1, calls_ = 0;
  double time_ = 5000;
  std::optional<Sample> before_;
};

void check_indicator(const Indicator& indicator, IndicatorKind kind) {
  CAPTURE(to_string(kind), indicator.cause, indicator.why_invalid);
  REQUIRE(indicator.kind == kind);
  REQUIRE(indicator.valid == indicator.why_invalid.empty());
  REQUIRE(std::isfinite(indicator.probability));
  REQUIRE((indicator.probability >= 0 && indicator.probability <= 1));
  REQUIRE((indicator.near_probability >= 0 && indicator.near_probability <= 1));
  REQUIRE((indicator.warn_probability > 0 && indicator.warn_probability < 1));
  REQUIRE(indicator.probabilities.size() == (indicator.valid ? 3 : 0));
  double shorter = 0;  // what comes within a horizon comes within each longer one
  for (std::size_t i = 0; i < indicator.probabilities.size(); ++i) {
    const double one = indicator.probabilities[i];
    REQUIRE((one >= shorter && one <= 1));
    if (kHeadHorizons.at(i) <= indicator.horizon_seconds) REQUIRE(indicator.probability >= one);
    if (kHeadHorizons.at(i) >= indicator.horizon_seconds) REQUIRE(indicator.probability <= one);
    shorter = one;
  }
  REQUIRE(indicator.near_probability <= indicator.probability);
  for (const Foreseen& one : indicator.foreseen) {
    REQUIRE(std::isfinite(one.median));
    REQUIRE(one.p90 >= one.median);
  }
  if (indicator.eta_seconds) {
    REQUIRE(std::isfinite(*indicator.eta_seconds));
    REQUIRE(*indicator.eta_seconds >= 0);
  }
  REQUIRE(indicator.drivers.empty());
}

void check_drivers(const Indicator& indicator) {
  REQUIRE(indicator.drivers.empty() != indicator.valid);
  REQUIRE(indicator.drivers.size() <= 5);
  for (const Driver& driver : indicator.drivers) {
    CAPTURE(driver.feature);
    REQUIRE(std::isfinite(driver.value));
    REQUIRE(std::isfinite(driver.limit.value_or(0)));
    REQUIRE(std::isfinite(driver.weight.value_or(0)));
  }
}

// Follows each indicator's alerts from raise to clear.
class AlertBook {
 public:
  void take(const AlertChange& alert) {
    Line& line = lines_[alert.indicator.kind];
    CAPTURE(alert.id, alert.message);
    REQUIRE(alert.from == line.state);
    REQUIRE(alert.indicator.state != alert.from);
    REQUIRE_FALSE(alert.message.empty());
    check_drivers(alert.indicator);
    if (alert.from == AlertState::kOk) {
      REQUIRE(ids_.insert(alert.id).second);  // raised once
      line.id = alert.id;
    }
    REQUIRE(alert.id == line.id);
    const bool cleared = alert.indicator.state == AlertState::kOk;
    REQUIRE(alert.event_came.has_value() == cleared);
    REQUIRE(alert.lead_seconds.has_value() == alert.event_came.value_or(false));
    if (alert.lead_seconds) REQUIRE(std::isfinite(*alert.lead_seconds));
    line.state = alert.indicator.state;
    ++changes_;
  }
  void check_state(const Indicator& indicator) {
    REQUIRE(indicator.state == lines_[indicator.kind].state);
  }
  [[nodiscard]] std::size_t raised() const { return ids_.size(); }
  [[nodiscard]] std::size_t changes() const { return changes_; }

 private:
  struct Line {
    AlertState state = AlertState::kOk;
    std::string id;
  };
  std::map<IndicatorKind, Line> lines_;
  std::set<std::string> ids_;
  std::size_t changes_ = 0;
};

}  // namespace

TEST_CASE("Whatever comes, indicators and alerts are well-formed", "[indicators][property]") {
  std::size_t raised = 0, changes = 0, valid = 0, invalid = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    BrokenWorld world(seed);
    IndicatorModel model{Objective{}};
    AlertBook book;
    for (std::uint64_t step = 0; step < kStepsPerSeed; ++step) {
      CAPTURE(seed, step);
      const IndicatorModel::Step out = model.update(world.next());
      REQUIRE(out.indicators.size() == 3);
      for (const AlertChange& alert : out.alerts) book.take(alert);
      for (std::size_t i = 0; i < out.indicators.size(); ++i) {
        check_indicator(out.indicators[i], static_cast<IndicatorKind>(i));
        book.check_state(out.indicators[i]);
        ++(out.indicators[i].valid ? valid : invalid);
      }
    }
    raised += book.raised();
    changes += book.changes();
  }
  // It is about something: alerts come and go, and some samples tell nothing.
  CHECK(raised > 100);
  CHECK(changes > raised + 50);
  CHECK(valid > 1000);
  CHECK(invalid > 100);
}

TEST_CASE("What never changes raises nothing, however long", "[indicators][property]") {
  IndicatorModel model{Objective{}};
  Sample before = test::quiet_sample();
  for (int step = 0; step < 3000; ++step) {
    const Sample sample = test::next_sample(before);
    const IndicatorModel::Step out = model.update(derive(&before, sample));
    REQUIRE(out.alerts.empty());
    for (std::size_t i = 0; i < out.indicators.size(); ++i) {
      check_indicator(out.indicators[i], static_cast<IndicatorKind>(i));
      REQUIRE(out.indicators[i].probability < 0.5);
    }
    before = sample;
  }
}
