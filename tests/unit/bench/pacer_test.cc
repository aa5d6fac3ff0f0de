#include "bench/run/pacer.h"

#include <set>

#include "tests/support/catch.h"

using rocktune::Nanoseconds;
using rocktune::bench::Pacer;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {
constexpr Nanoseconds kStart = seconds(100);
}

TEST_CASE("threads share a paced schedule evenly", "[bench][pacer]") {
  std::set<Nanoseconds> due;
  for (int thread = 0; thread < 4; ++thread) {
    Pacer pacer(1000, thread, 4, kStart, kStart + seconds(1));
    for (int i = 0; i < 3; ++i) due.insert(pacer.next(kStart));
  }
  REQUIRE(due.size() == 12);
  Nanoseconds expected = kStart;
  for (const Nanoseconds at : due) {
    CHECK(at == expected);
    expected += milliseconds(1);
  }
}

TEST_CASE("a late operation keeps its due time", "[bench][pacer]") {
  Pacer pacer(10, 0, 1, kStart, kStart + seconds(10));
  CHECK(pacer.next(kStart) == kStart);
  // The first operation took two seconds: the next was due long ago, and says so.
  CHECK(pacer.next(kStart + seconds(2)) == kStart + milliseconds(100));
  CHECK(pacer.next(kStart + seconds(2)) == kStart + milliseconds(200));
}

TEST_CASE("without a rate the next operation is due now", "[bench][pacer]") {
  Pacer pacer(0, 3, 8, kStart, kStart + seconds(1));
  CHECK(pacer.next(kStart + milliseconds(7)) == kStart + milliseconds(7));
  CHECK(pacer.never_started(kStart + seconds(1)) == 0);
}

TEST_CASE("operations that were due and never begun are counted", "[bench][pacer]") {
  Pacer pacer(100, 0, 1, kStart, kStart + seconds(1));
  for (int i = 0; i < 40; ++i) pacer.next(kStart);
  CHECK(pacer.never_started(kStart + seconds(5)) == 61);  // due at 0, 10, ... 1000 ms: 101 in all
  CHECK(pacer.never_started(kStart + milliseconds(500)) == 11);
  CHECK(pacer.never_started(kStart + milliseconds(100)) == 0);
}
