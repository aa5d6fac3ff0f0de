#include "sim/arrival_clock.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

TEST_CASE("who is served now came when as many had come") {
  ArrivalClock clock;
  clock.arrive(10, 1000);
  CHECK(clock.wait_seconds(10) == Approx(10));
  clock.done(500);
  CHECK(clock.wait_seconds(10) == Approx(5));
  clock.arrive(20, 10);  // few came later
  clock.done(505);
  CHECK(clock.wait_seconds(20) == Approx(5));
  clock.done(5);
  CHECK(clock.wait_seconds(20) == 0);
}

TEST_CASE("a wait is no longer than the queue is old, however many moments there were") {
  ArrivalClock clock;
  double now = 0;
  for (int i = 0; i < 100000; ++i) {
    now += 0.001;
    clock.arrive(now, 2);
    clock.done(1);
  }
  CHECK(clock.wait_seconds(now) == Approx(50).epsilon(0.01));
  clock.clear(now);
  CHECK(clock.wait_seconds(now + 1) == 0);
  clock.arrive(now + 2, 10);
  CHECK(clock.wait_seconds(now + 3) == Approx(3));
}

}  // namespace
}  // namespace rocktune::sim
