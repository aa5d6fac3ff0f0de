#include "sim/foreground.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

ForegroundInput one_queue(double reads, double writes) {
  ForegroundInput input;
  input.arrivals = {reads, writes};
  input.arrivals.one_queue = input.arrivals.catches_up = true;
  input.cpus = 4;
  return input;
}

TEST_CASE("a queue is served in its own mix, not in that of what arrives") {
  ForegroundInput input = one_queue(1000, 10);
  input.write_backlog = 90000;
  input.read_backlog = 10000;
  const ForegroundRates rates = foreground_rates(input, ReadLaws(), {}, 0);
  CHECK(rates.writes_per_second == Approx(9 * rates.reads_per_second).epsilon(0.05));
  CHECK(rates.writes_per_second > 100000);
}

TEST_CASE("what stands in a queue is done though nothing more arrives") {
  ForegroundInput input = one_queue(0, 0);
  CHECK(foreground_rates(input, ReadLaws(), {}, 0).reads_per_second == 0);
  input.read_backlog = 50;
  CHECK(foreground_rates(input, ReadLaws(), {}, 0).reads_per_second > 0);
  input.arrivals.one_queue = false;
  CHECK(foreground_rates(input, ReadLaws(), {}, 0).reads_per_second > 0);
}

TEST_CASE("writes that are delayed are held back by no more than the threads would do") {
  ForegroundInput input = one_queue(5000, 5000);
  input.write_state = WriteState::kDelayed;
  input.delayed_writes_per_second = 1000;
  SECTION("threads to spare") {
    const ForegroundRates rates = foreground_rates(input, ReadLaws(), {}, 0);
    CHECK(rates.writes_per_second == Approx(1000));
    CHECK(rates.unheld_writes_per_second == Approx(5000));
  }
  SECTION("threads that wait for the device") {
    input.misses_per_read = 5;
    const ForegroundRates rates = foreground_rates(input, ReadLaws(), {}, 10e-3);
    CHECK(rates.unheld_writes_per_second < 500);  // 8 of them, 25 ms each
    CHECK(rates.writes_per_second == Approx(rates.unheld_writes_per_second));
  }
  SECTION("nobody asks") {
    input.arrivals.reads_per_second = input.arrivals.writes_per_second = 0;
    CHECK(foreground_rates(input, ReadLaws(), {}, 0).unheld_writes_per_second == 0);
  }
}

TEST_CASE("threads that wait do no more than their number allows") {
  ForegroundInput input = one_queue(1, 0);
  input.arrivals.closed = true;
  input.arrivals.threads = 4;
  input.misses_per_read = 1;
  DeviceUse use;
  use.busy_ratio = 0.9;
  use.read_wait_seconds = 3e-3;
  const ForegroundRates rates = foreground_rates(input, ReadLaws(), use, 1e-3);
  // 63% of the reads miss, those that do 1.6 times: 4 ms each time.
  CHECK(rates.reads_per_second == Approx(4 / 4e-3).epsilon(0.05));
}

TEST_CASE("reads beside writes that are stopped are no more than their threads can do") {
  ForegroundInput input;
  input.arrivals.reads_per_second = 10'000;
  input.arrivals.writes_per_second = 10'000;
  input.write_backlog = 1e6;  // nearly all that is due are writes
  input.write_state = WriteState::kStopped;
  input.misses_per_read = 50;  // each of them waits
  const ForegroundRates rates = foreground_rates(input, ReadLaws(), {}, 0.1e-3);
  CHECK(rates.writes_per_second == 0);
  CHECK(rates.reads_per_second == Approx(8 / 5e-3).epsilon(0.01));
}

TEST_CASE("what writes leave of the threads is for reads") {
  ForegroundInput input;
  input.cpus = 1e6;
  input.arrivals.reads_per_second = input.arrivals.writes_per_second = 1e9;
  ReadLaws laws;
  laws.read_seconds = 1e-3;
  laws.write_seconds = 0.5e-3;
  SECTION("both have more to do than they can") {
    const ForegroundRates rates = foreground_rates(input, laws, {}, 0);
    CHECK(rates.reads_per_second == Approx(rates.writes_per_second));
    CHECK(rates.reads_per_second * 1e-3 + rates.writes_per_second * 0.5e-3 == Approx(8));
  }
  SECTION("few writes get through") {
    input.write_state = WriteState::kDelayed;
    input.delayed_writes_per_second = 2000;  // one thread's time
    const ForegroundRates rates = foreground_rates(input, laws, {}, 0);
    CHECK(rates.writes_per_second == Approx(2000));
    CHECK(rates.reads_per_second == Approx(7000));
  }
}

TEST_CASE(
    "look-ups for files of level 0 miss more seldom than those for data, where they are filters") {
  ReadLaws laws;
  laws.lookups = 3;
  laws.lookups_per_l0_file = 0.5;
  CHECK(lookups_per_read(laws, 4) == Approx(5));
  CHECK(missing_lookups_per_read(laws, 4) == Approx(5));
  laws.l0_misses = 0.1;
  CHECK(lookups_per_read(laws, 4) == Approx(5));
  CHECK(missing_lookups_per_read(laws, 4) == Approx(3.2));
}

}  // namespace
}  // namespace rocktune::sim
