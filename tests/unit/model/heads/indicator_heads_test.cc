#include "model/heads/indicator_heads.h"

#include "model/heads/learnt_reason.h"
#include "tests/support/catch.h"
#include "tests/unit/model/feed.h"

namespace rocktune {
namespace {

// Sure of a broken latency limit (or of what this indicator foresees) because of L0, whatever
// physics says.
Learnt sure_by_l0(IndicatorKind kind = IndicatorKind::kP99) {
  Learnt learnt;
  LearntIndicator& indicator = learnt.indicators.at(static_cast<std::size_t>(kind));
  const auto l0 = static_cast<std::size_t>(HeadInput::kL0Use);
  indicator.moments.at(l0) = {3600, 0, 0.01};
  for (HeadWeights& head : indicator.events) head.weights.at(l0) = 8;  // Feed's L0: one deviation
  return learnt;
}

TEST_CASE("before its windows are full, what was learnt warns of nothing", "[heads]") {
  test::Feed feed;
  feed.model = IndicatorModel(Objective{}, sure_by_l0());
  const Indicator first = feed.step().indicators[0];
  CHECK(first.valid);
  CHECK(first.near_probability < 0.1);
  feed.steps(28);  // to 14.5 s
  CHECK(feed.alerts.empty());
  feed.steps(4);
  REQUIRE(feed.alerts.size() == 1);
  CHECK(feed.alerts[0].indicator.kind == IndicatorKind::kP99);
}

TEST_CASE("physics warns at once, whatever was learnt", "[heads]") {
  test::Feed feed;
  feed.model = IndicatorModel(Objective{}, sure_by_l0());
  feed.f.device_queue = 1000;
  feed.steps(8);
  REQUIRE_FALSE(feed.alerts.empty());
  CHECK(feed.alerts[0].indicator.kind == IndicatorKind::kDeviceSaturation);
  CHECK(feed.alerts[0].message.find("learnt") == std::string::npos);
  REQUIRE_FALSE(feed.alerts[0].indicator.drivers.empty());
  for (const Driver& driver : feed.alerts[0].indicator.drivers) CHECK_FALSE(driver.weight);
}

TEST_CASE("of a write stall, what was learnt warns of none that physics all but rules out",
          "[heads]") {
  test::Feed feed;
  feed.model = IndicatorModel(Objective{}, sure_by_l0(IndicatorKind::kCompactionBacklog));
  feed.steps(60);
  const Indicator last = feed.step().indicators[1];
  REQUIRE(last.valid);
  CHECK(last.probability > 0.5);  // is told all the same
  CHECK(last.near_probability < 0.5);
  CHECK(feed.alerts.empty());
}

TEST_CASE("what is told does not fall with the horizon", "[heads]") {
  Learnt learnt = sure_by_l0();
  auto& events = learnt.indicators.at(static_cast<std::size_t>(IndicatorKind::kP99)).events;
  events.at(2) = {};  // the head of 60 s is not sure of what that of 30 s is sure of
  test::Feed feed;
  feed.model = IndicatorModel(Objective{}, learnt);
  feed.steps(40);
  const IndicatorModel::Step step = feed.step();
  const Indicator& last = step.indicators[0];
  REQUIRE(last.probabilities.size() == 3);
  CHECK(step.head_probabilities[0] < 0.5);
  CHECK(last.probabilities[1] > 0.9);
  CHECK(last.probabilities[2] >= last.probabilities[1]);
  CHECK(last.probability == last.probabilities[2]);  // the objective's horizon is 60 s
  CHECK(last.near_probability <= last.probability);
}

TEST_CASE("a warning that was learnt says what it comes from", "[heads]") {
  test::Feed feed;
  feed.model = IndicatorModel(Objective{}, sure_by_l0());
  feed.steps(40);
  REQUIRE(feed.alerts.size() == 1);
  CHECK(feed.alerts[0].message.starts_with(
      "read P99 is 500 us of 5 ms; what was learnt makes it 99% probable within "));
  CHECK(feed.alerts[0].message.ends_with(", above all that L0 has 2 files"));
}

TEST_CASE("a reason for each driver", "[heads]") {
  Indicator indicator;
  indicator.near_probability = 0.77;
  indicator.horizon_seconds = 60;
  const std::string begin = "; what was learnt makes it 77% probable within 30 s";
  CHECK(learnt_reason(indicator) == begin + ", by how often it came in runs like this");
  indicator.drivers = {{"l0_files", 2, std::nullopt, -3},
                       {"compaction_backlog", 0.99, std::nullopt, 1.5},
                       {"write_p99_us", 26, 20000, 0.2}};
  CHECK(learnt_reason(indicator) == begin + ", above all that a write stall is 99% probable");
  indicator.drivers = {{"something_new", 2.5, std::nullopt, 1}};
  CHECK(learnt_reason(indicator) == begin + ", above all that something_new is 2.5");
}

}  // namespace
}  // namespace rocktune
