#include "bench/run/runner.h"

#include <atomic>
#include <memory>
#include <string>

#include "bench/time/clock.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace rocktune::bench {
namespace {

struct Ran {
  PhasesDone done;
  double seconds = 0;  // that it took, whatever it says of itself
};

// Ten million operations are due within a tenth of a second, of which next to none is done.
Ran run_of_many(const std::string& operation) {
  const tests::TempDirectory directory;
  const auto configuration = scenario::load_configuration("Baseline");
  REQUIRE(configuration);
  OpenSettings settings;
  settings.path = directory.file("db");
  settings.configuration = *configuration;
  settings.agent = false;
  const auto database = Database::open(settings);
  REQUIRE(database);
  const auto workload = scenario::parse_workload(
      "{records: 1000, value_size: 100, threads: 2, phases: [{name: a, seconds: 0.1, "
      "ops_per_second: 100000000, proportions: {" +
          operation + ": 1}}]}",
      "w.yaml");
  REQUIRE(workload);
  const std::atomic<bool> stop{false};
  const Nanoseconds begin = monotonic_now();
  auto done = run_phases(**database, *workload, stop, nullptr);
  REQUIRE(done);
  REQUIRE(done->phases.size() == 1);
  return {std::move(*done), seconds_between(begin, monotonic_now())};
}

std::uint64_t done_and_never_started(const Interval& total) {
  return total.latencies.count() + total.never_started;
}

// In one of a few tries.
template <class Condition>
bool ever(const Condition& condition) {
  for (int i = 0; i < 8; ++i) {
    if (condition()) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("counting what was never begun takes nothing of the phase's time", "[bench][runner]") {
  const Ran inserts = run_of_many("insert");
  const Interval& total = inserts.done.phases.front().total;
  CHECK(done_and_never_started(total) == 10'000'000);
  CHECK(total.waiting.count() == total.never_started);
  CHECK(total.seconds >= 0.1);
  // The keys of all inserts were drawn after it. A busy machine may end a phase late, not each
  // time.
  CHECK(ever([] {
    const Ran ran = run_of_many("insert");
    const double phase = ran.done.phases.front().total.seconds;
    return phase - 0.1 < (ran.seconds - 0.1) / 2;
  }));
}

TEST_CASE("very many that were never begun are not drawn one by one", "[bench][runner]") {
  const Ran updates = run_of_many("update");
  const Interval& total = updates.done.phases.front().total;
  CHECK(done_and_never_started(total) == 10'000'000);
  CHECK(total.waiting.count() == total.never_started);
  // They were due evenly over the phase, and what was done of them was due at its very begin.
  const Histogram& waiting =
      total.waiting.of[static_cast<std::size_t>(scenario::Operation::kUpdate)];
  CHECK(waiting.mean_us() == Approx(50e3).epsilon(0.05));
  CHECK(waiting.percentile_us(0.5) == Approx(50e3).epsilon(0.05));
  CHECK(ever([] { return run_of_many("update").seconds < run_of_many("insert").seconds; }));
}

}  // namespace rocktune::bench
