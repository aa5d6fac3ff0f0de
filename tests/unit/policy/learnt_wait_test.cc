// How long to wait before what was given too early is given back again.
#include "policy/learnt_wait.h"

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("what is wanted again soon is waited for twice as long, up to four hours",
          "[learnt_wait]") {
  LearntWait wait(300);
  double now = 0;
  for (const double expected : {600, 1200, 2400, 4800, 9600, 14400, 14400}) {
    wait.went_back(at_seconds(now));
    wait.wanted(at_seconds(now + 899));
    CHECK(wait.seconds() == expected);
    now += 1000;
  }
}

TEST_CASE("what is wanted later lessens the wait, down to where it began", "[learnt_wait]") {
  LearntWait wait(10, 4);
  wait.went_back(at_seconds(0));
  wait.wanted(at_seconds(1));
  REQUIRE(wait.seconds() == 40);
  for (int later = 0; later < 2; ++later) {
    wait.went_back(at_seconds(0));
    wait.wanted(at_seconds(900));
    CHECK(wait.seconds() == 10);
  }
}

TEST_CASE("one mistake is learnt from once", "[learnt_wait]") {
  LearntWait wait(60);
  wait.wanted(at_seconds(1));
  CHECK(wait.seconds() == 60);
  wait.went_back(at_seconds(0));
  wait.wanted(at_seconds(1));
  wait.wanted(at_seconds(2));
  CHECK(wait.seconds() == 120);
}

TEST_CASE("a wait of a day, which somebody asked for, is not shortened", "[learnt_wait]") {
  LearntWait wait(86400);
  wait.went_back(at_seconds(0));
  wait.wanted(at_seconds(1));
  CHECK(wait.seconds() == 86400);
}
