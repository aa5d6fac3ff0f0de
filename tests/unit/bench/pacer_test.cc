#include "bench/run/pacer.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/catch.h"

using rocktune::Nanoseconds;
using rocktune::bench::Pacer;
using rocktune::scenario::Rate;
using rocktune::scenario::RatePlan;
using rocktune::scenario::Sine;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Nanoseconds kStart = seconds(100);

Pacer pacer(const RatePlan& plan, std::int64_t thread, std::int64_t threads, Nanoseconds length) {
  return {Rate(plan, std::chrono::duration<double>(length).count()), thread, threads, kStart,
          kStart + length};
}

}  // namespace

TEST_CASE("threads share a paced schedule evenly", "[bench][pacer]") {
  std::set<Nanoseconds> due;
  for (int thread = 0; thread < 4; ++thread) {
    Pacer mine = pacer(RatePlan::constant(1000), thread, 4, seconds(1));
    for (int i = 0; i < 3; ++i) due.insert(mine.next(kStart));
  }
  REQUIRE(due.size() == 12);
  Nanoseconds expected = kStart;
  for (const Nanoseconds at : due) {
    CHECK(at == expected);
    expected += milliseconds(1);
  }
}

TEST_CASE("a late operation keeps its due time", "[bench][pacer]") {
  Pacer mine = pacer(RatePlan::constant(10), 0, 1, seconds(10));
  CHECK(mine.next(kStart) == kStart);
  // The first operation took two seconds: the next was due long ago, and says so.
  CHECK(mine.next(kStart + seconds(2)) == kStart + milliseconds(100));
  CHECK(mine.next(kStart + seconds(2)) == kStart + milliseconds(200));
}

TEST_CASE("without a rate the next operation is due now", "[bench][pacer]") {
  Pacer mine = pacer(RatePlan{}, 3, 8, seconds(1));
  CHECK(mine.next(kStart + milliseconds(7)) == kStart + milliseconds(7));
  CHECK(mine.never_started(kStart + seconds(1)) == 0);
}

TEST_CASE("operations that were due and never begun are counted", "[bench][pacer]") {
  Pacer mine = pacer(RatePlan::constant(100), 0, 1, seconds(1));
  for (int i = 0; i < 40; ++i) mine.next(kStart);
  CHECK(mine.never_started(kStart + seconds(5)) == 60);  // due at 0, 10, ... 990 ms: 100 in all
  CHECK(mine.never_started(kStart + milliseconds(500)) == 10);
  CHECK(mine.never_started(kStart + milliseconds(100)) == 0);
}

TEST_CASE("what is scheduled does not depend on when it was asked for", "[bench][pacer]") {
  // A thread that never begins in time and one that always does count the same operations.
  for (const RatePlan& plan : {RatePlan::constant(777), RatePlan{100, 900, {}},
                               RatePlan{900, 0, {}}, RatePlan{0, 0, Sine{200, 3, 1, 300}}}) {
    std::uint64_t scheduled = 0;
    std::uint64_t begun = 0;
    for (int thread = 0; thread < 3; ++thread) {
      Pacer mine = pacer(plan, thread, 3, seconds(2));
      scheduled += mine.never_started(kStart + seconds(2));
      while (mine.next(kStart) < kStart + seconds(2)) ++begun;
    }
    const double whole = Rate(plan, 2).due_by(2);
    CHECK(scheduled == begun);
    CHECK(static_cast<double>(scheduled) == Approx(whole).margin(1.001));
  }
}

TEST_CASE("a ramp's threads share its schedule in order", "[bench][pacer]") {
  std::vector<Nanoseconds> due;
  for (int thread = 0; thread < 2; ++thread) {
    Pacer mine = pacer(RatePlan{100, 300, {}}, thread, 2, seconds(4));
    for (int i = 0; i < 400; ++i) due.push_back(mine.next(kStart));
  }
  std::sort(due.begin(), due.end());
  REQUIRE(due.size() == 800);  // 4 s at 200 a second on average
  const Rate rate(RatePlan{100, 300, {}}, 4);
  for (std::size_t i = 0; i < due.size(); ++i) {
    const double at = std::chrono::duration<double>(due[i] - kStart).count();
    CHECK(rate.due_by(at) == Approx(static_cast<double>(i)).margin(1e-5));
  }
  CHECK(due.back() < kStart + seconds(4));
}
