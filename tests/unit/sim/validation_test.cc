#include "sim/validation.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

Result<ValidationResult> validate(const std::vector<Sample>& samples, double calibrate_seconds,
                                  std::size_t seeds = 5) {
  Validation validation(calibrate_seconds);
  for (const Sample& sample : samples) validation.add(sample, {});
  return validation.finish("6.11.0", seeds);
}

Laws quick_laws() {
  Laws laws;
  laws.l0_bytes_per_second = laws.deep_bytes_per_second = 80e6;
  return laws;
}

// Opened again after the sample at `last`, ten minutes later.
std::vector<Sample> record_reopened(int seconds, std::size_t last) {
  auto samples = test::record(Plant({}, quick_laws(), 9), 4000, seconds);
  for (std::size_t i = last + 1; i < samples.size(); ++i) {
    samples[i].incarnation = "sim-1/db-2";
    samples[i].database->agent_tick += std::chrono::minutes(10);
  }
  return samples;
}

DatabaseEvent stall_event(const Sample& sample, const std::string& condition) {
  DatabaseEvent event;
  event.incarnation = sample.incarnation;
  event.kind = event::kStall;
  event.at.tick = sample.database->agent_tick;
  event.words["condition"] = condition;
  return event;
}

TEST_CASE("a run that stalls is repeated from its first part") {
  const auto result = validate(test::record(Plant({}, quick_laws(), 9), 40000, 2400), 600);
  REQUIRE(result);
  CHECK(result->recorded.seconds == Approx(1800));
  CHECK(result->recorded.stalled_seconds > 100);
  REQUIRE(result->simulated.size() == 5);
  const ValidationErrors errors = validation_errors(*result);
  CHECK(errors.stalls);
  CHECK(errors.is_stall_right());
  CHECK(std::abs(errors.ingest) < 0.15);
  CHECK(std::abs(errors.compaction_bytes) < 0.15);
  CHECK(std::abs(errors.stalled_ratio_off) < 0.15);
}

TEST_CASE("a run that does not stall is not made to") {
  const auto result = validate(test::record(Plant({}, quick_laws(), 9), 4000, 2400), 600);
  REQUIRE(result);
  const ValidationErrors errors = validation_errors(*result);
  CHECK_FALSE(errors.stalls);
  CHECK(errors.stalling_seeds == 0);
  CHECK(std::abs(errors.ingest) < 0.01);
  CHECK(result->demand_known_ratio == 1);
}

TEST_CASE("stalls between two samples are known from the events") {
  auto samples = test::record(Plant({}, quick_laws(), 9), 4000, 700);
  Validation validation(600);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    DatabaseEvent event;
    event.incarnation = samples[i].incarnation;
    event.kind = event::kStall;
    event.at = samples[i].at;
    event.words = {{"before", "delayed"}, {"condition", "normal"}};
    event.numbers["before_us"] = 250000;
    std::vector<DatabaseEvent> events;
    if (i == 300 || i == 650) events.push_back(event);
    validation.add(samples[i], events);
  }
  const auto result = validation.finish("6.11.0", 1);
  REQUIRE(result);
  CHECK(result->recorded.stalled_seconds == Approx(0.25));  // the other one came before
}

TEST_CASE("stalls after a reopening are known from the events, however long it took") {
  const auto samples = record_reopened(700, 659);
  Validation validation(600);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<DatabaseEvent> events;
    if (i == 690) events.push_back(stall_event(samples[i], "stopped"));
    if (i == 692) events.push_back(stall_event(samples[i], "normal"));
    validation.add(samples[i], events);
  }
  const auto result = validation.finish("6.11.0", 1);
  REQUIRE(result);
  CHECK(result->recorded.seconds == Approx(59 + 40));
  CHECK(result->recorded.stalled_seconds == Approx(2));
  CHECK(validation_errors(*result).stalls);
}

TEST_CASE("a stall of another boot is none of this one's, whatever its ticks") {
  auto samples = test::record(Plant({}, quick_laws(), 9), 4000, 700);
  for (std::size_t i = 650; i < samples.size(); ++i) samples[i].incarnation = "sim-2/db-1";
  Validation validation(600);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<DatabaseEvent> events;
    if (i == 670 || i == 672) {
      events.push_back(stall_event(samples[i], i == 670 ? "stopped" : "normal"));
      events.back().incarnation = samples.front().incarnation;
    }
    validation.add(samples[i], events);
  }
  const auto result = validation.finish("6.11.0", 1);
  REQUIRE(result);
  CHECK(result->recorded.stalled_seconds == 0);
}

TEST_CASE("a stall that nobody ended is over with its process") {
  const auto samples = record_reopened(700, 659);
  Validation validation(600);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<DatabaseEvent> events;
    if (i == 650 || i == 690) events.push_back(stall_event(samples[i], "delayed"));
    if (i == 692) events.push_back(stall_event(samples[i], "normal"));
    validation.add(samples[i], events);
  }
  const auto result = validation.finish("6.11.0", 1);
  REQUIRE(result);
  CHECK(result->recorded.stalled_seconds == Approx(9 + 2));
}

TEST_CASE("a stall that lasts is counted until the end") {
  const auto samples = test::record(Plant({}, quick_laws(), 9), 4000, 700);
  Validation validation(600);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<DatabaseEvent> events;
    if (i == 590) events.push_back(stall_event(samples[i], "stopped"));
    validation.add(samples[i], events);
  }
  const auto result = validation.finish("6.11.0", 1);
  REQUIRE(result);
  CHECK(result->recorded.stalled_seconds == Approx(100));
}

TEST_CASE("a run that is too short is refused") {
  const auto result = validate(test::record(Plant({}, quick_laws(), 9), 4000, 60), 600);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("errors are medians over the seeds") {
  ValidationResult result;
  result.recorded = {100, 1000, 500, 10};
  result.simulated = {{100, 1100, 400, 20}, {100, 900, 500, 0}, {100, 1200, 600, 0}};
  const ValidationErrors errors = validation_errors(result);
  CHECK(errors.stalling_seeds == Approx(1.0 / 3));
  CHECK_FALSE(errors.is_stall_right());
  CHECK(errors.ingest == Approx(0.1));
  CHECK(errors.compaction_bytes == Approx(0));
  CHECK(errors.stalled_ratio == Approx(0.1));
  CHECK(errors.stalled_ratio_off == Approx(-0.1));
}

}  // namespace
}  // namespace rocktune::sim
