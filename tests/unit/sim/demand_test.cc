#include "sim/demand.h"

#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

void add(std::vector<DemandInterval>& intervals, int seconds, double rate, bool held_back) {
  for (int i = 0; i < seconds; ++i) intervals.push_back({1, 0, rate, held_back});
}
void add(std::vector<DemandInterval>& intervals, int seconds, double reads, double writes,
         bool held_back) {
  for (int i = 0; i < seconds; ++i) intervals.push_back({1, reads, writes, held_back});
}

TEST_CASE("nothing held back: what was done is what was asked for") {
  std::vector<DemandInterval> intervals;
  add(intervals, 10, 100, false);
  add(intervals, 10, 250, false);
  const DemandSeries demand = recorded_demand(intervals);
  REQUIRE(demand.arrivals.size() == 20);
  CHECK(demand.arrivals[3].writes_per_second == 100);
  CHECK(demand.arrivals[12].writes_per_second == 250);
  CHECK(demand.known_ratio == 1);
}

TEST_CASE("as many threads as were ever busy together for a while") {
  std::vector<DemandInterval> intervals;
  add(intervals, 20, 100, false);
  CHECK(recorded_demand(intervals).arrivals[0].threads == kUnknownThreads);
  for (DemandInterval& one : intervals) one.busy_threads = 0.3;
  CHECK(recorded_demand(intervals).arrivals[0].threads == 1);
  intervals[3].busy_threads = 40;  // one interval is not a while
  CHECK(recorded_demand(intervals).arrivals[0].threads == 9);
  for (std::size_t i = 10; i < 16; ++i) intervals[i].busy_threads = 11.5;
  CHECK(recorded_demand(intervals).arrivals[19].threads == 12);
}

TEST_CASE("a stall hides a level that is the same on both sides") {
  std::vector<DemandInterval> intervals;
  add(intervals, 20, 1000, false);
  add(intervals, 30, 80, true);
  add(intervals, 20, 1040, false);
  const DemandSeries demand = recorded_demand(intervals);
  CHECK(demand.arrivals[20].writes_per_second == Approx(1020));
  CHECK(demand.arrivals[49].writes_per_second == Approx(1020));
  CHECK(demand.known_ratio == Approx(40.0 / 70));
}

TEST_CASE("a level that differs is reached in a line") {
  std::vector<DemandInterval> intervals;
  add(intervals, 20, 1000, false);
  add(intervals, 10, 80, true);
  add(intervals, 20, 2000, false);
  const DemandSeries demand = recorded_demand(intervals);
  CHECK(demand.arrivals[20].writes_per_second == Approx(1050));
  CHECK(demand.arrivals[29].writes_per_second == Approx(1950));
}

TEST_CASE("only what is near a stall tells its level") {
  std::vector<DemandInterval> intervals;
  add(intervals, 100, 10, false);
  add(intervals, 15, 1000, false);
  add(intervals, 10, 80, true);
  CHECK(recorded_demand(intervals).arrivals[120].writes_per_second == Approx(1000));
}

TEST_CASE("a stall that is more than was known before is not made smaller") {
  std::vector<DemandInterval> intervals;
  add(intervals, 20, 100, false);
  add(intervals, 10, 300, true);
  add(intervals, 20, 100, false);
  CHECK(recorded_demand(intervals).arrivals[25].writes_per_second == 300);
}

TEST_CASE("where all is held back, what was done is the least that was asked for") {
  std::vector<DemandInterval> intervals;
  add(intervals, 10, 70, true);
  const DemandSeries demand = recorded_demand(intervals);
  CHECK(demand.arrivals[5].writes_per_second == 70);
  CHECK(demand.known_ratio == 0);
}

TEST_CASE("who catches up asked for all of it, evenly") {
  std::vector<DemandInterval> intervals;
  add(intervals, 30, 1000, false);
  add(intervals, 10, 100, true);   // 9,000 too few
  add(intervals, 9, 2000, false);  // done later
  add(intervals, 30, 1000, false);
  const DemandSeries demand = recorded_demand(intervals);
  CHECK(demand.catches_up);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    INFO("second " << i);
    CHECK(demand.arrivals[i].writes_per_second == Approx(1000));
  }
}

TEST_CASE("who does not catch up went on asking") {
  std::vector<DemandInterval> intervals;
  add(intervals, 30, 1000, false);
  add(intervals, 10, 100, true);
  add(intervals, 30, 1000, false);
  const DemandSeries demand = recorded_demand(intervals);
  CHECK_FALSE(demand.catches_up);
  CHECK(demand.arrivals[35].writes_per_second == Approx(1000));
}

TEST_CASE("reads that fall with the writes wait in one queue with them") {
  std::vector<DemandInterval> together, apart;
  add(together, 30, 3000, 1000, false);
  add(together, 10, 300, 100, true);
  add(together, 30, 3000, 1000, false);
  apart = together;
  for (DemandInterval& interval : apart) interval.reads_per_second = 3000;
  const DemandSeries one = recorded_demand(together);
  CHECK(one.one_queue);
  CHECK(one.arrivals[35].reads_per_second == Approx(3000));
  const DemandSeries two = recorded_demand(apart);
  CHECK_FALSE(two.one_queue);
  CHECK(two.arrivals[35].reads_per_second == 3000);
  CHECK(two.arrivals[35].writes_per_second == Approx(1000));
}

}  // namespace
}  // namespace rocktune::sim
