#include "sim/limiter_tuning.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

constexpr double kMost = 100e6;

TEST_CASE("a limiter that tunes itself begins at half of its largest rate") {
  CHECK(LimiterTuning(kMost).rate() == kMost / 2);
}

TEST_CASE("nobody ever waited for it: a twentieth, at once") {
  LimiterTuning tuning(kMost);
  tuning.pass(9.9, 10e6);
  CHECK(tuning.rate() == kMost / 2);
  CHECK(tuning.due() == Approx(0.1));
  tuning.pass(0.1, 10e6);
  CHECK(tuning.rate() == kMost / 20);
}

TEST_CASE(
    "always waited for: up by a twentieth each ten seconds, no higher than the largest rate") {
  LimiterTuning tuning(kMost);
  tuning.pass(10, tuning.rate());
  CHECK(tuning.rate() == Approx(kMost / 2 * 1.05));  // 99%: the first refill was there
  for (int i = 0; i < 100; ++i) tuning.pass(10, tuning.rate());
  CHECK(tuning.rate() == kMost);
}

TEST_CASE(
    "waited for less than half of the time it falls a little, between that and 90% it stays") {
  LimiterTuning tuning(kMost);
  tuning.pass(7, 1e6);
  tuning.pass(3, tuning.rate());
  CHECK(tuning.rate() == Approx(kMost / 2 / 1.05));
  const double before = tuning.rate();
  tuning.pass(3, 1e6);
  tuning.pass(7, tuning.rate());
  CHECK(tuning.rate() == before);
}

TEST_CASE("whoever writes no more than one refill holds waits for none") {
  LimiterTuning tuning(kMost);
  for (int i = 0; i < 100; ++i) {
    tuning.pass(0.01, 0);
    tuning.pass(0.09, tuning.rate());
  }
  CHECK(tuning.rate() == kMost / 20);
}

TEST_CASE("while nothing is written nobody looks at it; what comes then counts all that time") {
  LimiterTuning tuning(kMost);
  tuning.pass(5, tuning.rate());
  tuning.pass(60, 0);
  CHECK(tuning.rate() == kMost / 2);
  CHECK(tuning.due() == 0);
  tuning.pass(0.001, tuning.rate());  // 5 s of 65: 7%
  CHECK(tuning.rate() == Approx(kMost / 2 / 1.05));
}

}  // namespace
}  // namespace rocktune::sim
