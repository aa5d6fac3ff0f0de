#include "sim/calibrate/speeds.h"

#include <cmath>

#include "sim/loop.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

// A minute of writes, on a device that its jobs wait for.
SimulationInput busy_run() {
  SimulationInput run;
  run.options.families[0].write_buffer_bytes = 4 * test::kMega;
  run.options.families[0].tree.shape.max_bytes_for_level_base = 16 << 20;
  run.options.families[0].tree.target_file_bytes = 4 * test::kMega;
  run.host.device = DeviceLaws{{100e6, 20e3}, {100e6, 20e3}, 1, 80e-6};
  FamilyState state;
  state.level_bytes = {0, 16e6, 160e6, 400e6, 0, 0, 0};
  run.state = {state};
  Arrivals asked;
  asked.writes_per_second = 4000;
  run.demand.seconds.assign(60, 1.0);
  run.demand.arrivals.assign(60, asked);
  return run;
}

constexpr Seen kAllSeen{true, true, true, true, true};

double l0_speed(const SimulationInput& run) {
  const FamilyTotals totals = repeat(run, 0).family_totals(0);
  return totals.l0_input_bytes / totals.l0_seconds;
}

TEST_CASE(
    "jobs that waited for the device are faster alone, by as much as makes the run come out") {
  SimulationInput truth = busy_run();
  truth.seen.l0_speed = true;
  truth.laws.l0_bytes_per_second = truth.laws.deep_bytes_per_second = 120e6;
  SimulationInput recorded = truth;
  recorded.laws.l0_bytes_per_second = l0_speed(truth);  // as samples tell it
  REQUIRE(recorded.laws.l0_bytes_per_second < 0.7 * truth.laws.l0_bytes_per_second);
  SimulationInput fitted = truth;
  const KnownLaws found = with_speeds_alone(recorded);
  fitted.laws = found.laws;
  CHECK(found.seen == recorded.seen);
  CHECK(l0_speed(fitted) == Approx(l0_speed(truth)).epsilon(0.1));
  CHECK(fitted.laws.l0_bytes_per_second > 1.2 * recorded.laws.l0_bytes_per_second);
}

TEST_CASE("without a device speeds are as they were seen") {
  SimulationInput run = busy_run();
  run.host.device.reset();
  run.laws.l0_bytes_per_second = 12e6;
  CHECK(with_speeds_alone(run).laws.l0_bytes_per_second == 12e6);
}

TEST_CASE("what a limiter held back is not taken for slow") {
  SimulationInput run = busy_run();
  run.host.device.reset();
  run.options.rate_limit = 3e6;
  run.laws.l0_bytes_per_second = 3e6;
  run.laws.job_spread = 0.7;
  run.seen = kAllSeen;
  const auto [laws, seen] = with_speeds_alone(run);
  CHECK(laws.l0_bytes_per_second == Laws().l0_bytes_per_second);
  CHECK(laws.job_spread == Laws().job_spread);
  CHECK_FALSE(seen.l0_speed);
  CHECK(seen.cache);
  run.laws.l0_bytes_per_second = 200e6;  // at least that fast
  CHECK(with_speeds_alone(run).seen.l0_speed);
  run.options.rate_limit = 0;
  run.laws.l0_bytes_per_second = 3e6;
  CHECK(with_speeds_alone(run).seen.l0_speed);
}

TEST_CASE("a speed that the run did not show, or that no simulation comes to, is not turned") {
  SimulationInput run = busy_run();
  run.laws.l0_bytes_per_second = 12e6;  // not seen: not to be found either
  CHECK(with_speeds_alone(run).laws.l0_bytes_per_second == 12e6);
  // Said to be faster than this device ever lets it be.
  run.seen = kAllSeen;
  run.laws.l0_bytes_per_second = 500e6;
  const auto [laws, seen] = with_speeds_alone(run);
  CHECK(laws.l0_bytes_per_second == 500e6);
  CHECK_FALSE(seen.l0_speed);
}

}  // namespace
}  // namespace rocktune::sim
