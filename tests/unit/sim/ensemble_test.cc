#include "sim/ensemble.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

LoopFigures with_p99(double seconds) {
  LoopFigures figures;
  figures.seconds = 10;
  figures.reads_p99_seconds = seconds;
  return figures;
}

SimulatedPolicy policy(const std::string& label, std::vector<double> p99s) {
  SimulatedPolicy out{label, {}};
  for (const double p99 : p99s) out.by_seed.push_back(with_p99(p99));
  return out;
}

TEST_CASE("policies that all seeds rank alike are in full concordance") {
  const Ranking ranking = rank(
      {policy("slow", {3, 30, 0.3}), policy("fast", {1, 10, 0.1}), policy("middle", {2, 20, 0.2})},
      Priority::kReadP99);
  CHECK(ranking.median_rank == std::vector<double>{3, 1, 2});
  CHECK(ranking.best_ratio == std::vector<double>{0, 1, 0});
  REQUIRE(ranking.concordance);
  CHECK(*ranking.concordance == Approx(1));
}

TEST_CASE("policies that each seed ranks another way are in none") {
  const Ranking ranking = rank(
      {policy("a", {1, 2, 3}), policy("b", {2, 3, 1}), policy("c", {3, 1, 2})}, Priority::kReadP99);
  REQUIRE(ranking.concordance);
  CHECK(*ranking.concordance == Approx(0).margin(1e-9));
  CHECK(ranking.best_ratio[0] == Approx(1.0 / 3));
}

TEST_CASE("what the plant cannot tell apart is a tie") {
  const Ranking ranking = rank(
      {policy("a", {1, 1}), policy("b", {1.005, 0.996}), policy("c", {2, 2})}, Priority::kReadP99);
  CHECK(ranking.median_rank == std::vector<double>{1.5, 1.5, 3});
  CHECK(ranking.best_ratio == std::vector<double>{1, 1, 0});
  REQUIRE(ranking.concordance);
  CHECK(*ranking.concordance == Approx(1));
}

TEST_CASE("where nothing is ranked nothing agrees") {
  CHECK_FALSE(rank({policy("a", {1, 1}), policy("b", {1, 1})}, Priority::kReadP99).concordance);
  CHECK_FALSE(rank({policy("a", {1}), policy("b", {2})}, Priority::kReadP99).concordance);
  CHECK_FALSE(rank({policy("a", {1, 2})}, Priority::kReadP99).concordance);
}

TEST_CASE("who comes first may share the place") {
  CHECK(first_places({{2, 1.5, 1.5}, {0, 0.5, 0.5}}) == std::vector<std::size_t>{1, 2});
  CHECK(first_places({{1, 1, 3}, {0.4, 0.6, 0}}) == std::vector<std::size_t>{1});
  CHECK(first_places({}).empty());
}

TEST_CASE("what comes first decides the order") {
  LoopFigures busy = with_p99(9), still = with_p99(1);
  busy.operations = 1000;
  still.operations = 100;
  still.stalled_seconds = 5;
  CHECK(figure_of_merit(still, Priority::kReadP99) < figure_of_merit(busy, Priority::kReadP99));
  CHECK(figure_of_merit(busy, Priority::kThroughput) <
        figure_of_merit(still, Priority::kThroughput));
  CHECK(figure_of_merit(busy, Priority::kStallSeconds) <
        figure_of_merit(still, Priority::kStallSeconds));
}

TEST_CASE("what nobody asked for ranks nobody") {
  const std::vector<SimulatedPolicy> unread = {policy("a", {0, 0}), policy("b", {0, 0})};
  CHECK(ranked_by(unread, Priority::kReadP99) == Priority::kThroughput);
  CHECK(ranked_by(unread, Priority::kStallSeconds) == Priority::kStallSeconds);
  CHECK(ranked_by({policy("a", {0.001})}, Priority::kReadP99) == Priority::kReadP99);
  SimulatedPolicy stalls = policy("c", {0, 0});
  stalls.by_seed[1].stalled_seconds = 3;
  CHECK(ranked_by({unread[0], stalls}, Priority::kReadP99) == Priority::kStallSeconds);
}

SimulationInput stalling_input() {
  SimulationInput input;
  input.host.cpus = 8;
  input.state = {FamilyState{std::vector<double>(7, 0.0), 0, 0, 0}};
  input.laws.bytes_per_write = 1000;
  input.demand.seconds.assign(300, 1);
  input.demand.arrivals.assign(300, {1000, 40000});
  return input;
}

// ...whose reads miss the cache half the time, and wait for the device that its jobs use.
SimulationInput input_on_device() {
  SimulationInput input = stalling_input();
  input.host.device = DeviceLaws{{200e6, 20e3}, {100e6, 10e3}, 0.6, 80e-6};
  input.laws.reads.miss_ratio = 0.5;
  return input;
}

TEST_CASE("rates are drawn as widely as they are unknown") {
  SimulationInput known;
  known.seen.l0_speed = true;
  const SimulationInput unknown;
  const double rate = known.laws.l0_bytes_per_second;
  double least = rate, most = rate;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const double near = drawn(known, seed).laws.l0_bytes_per_second / rate;
    const double far = drawn(unknown, seed).laws.l0_bytes_per_second / rate;
    // The same draw, further off.
    CHECK(std::log(far) == Approx(std::log(near) * kPriorRateSpread / kCalibratedRateSpread));
    CHECK(std::abs(std::log(far)) <= kMostDeviations * kPriorRateSpread * 1.0001);
    least = std::min(least, far * rate);
    most = std::max(most, far * rate);
  }
  CHECK(least < rate / 3);
  CHECK(most > rate * 3);
}

TEST_CASE("a simulation is a function of its input, its policy and its seed") {
  EngineConfig still;
  still.policy = "static";
  const SimulationInput input = stalling_input();
  const auto one = simulate(input, still, 3);
  const auto other = simulate(input, still, 3);
  const auto third = simulate(input, still, 4);
  REQUIRE(one);
  REQUIRE(other);
  REQUIRE(third);
  CHECK(one->operations == other->operations);
  CHECK(one->operations != third->operations);
  CHECK(one->seconds == Approx(300));
  still.policy = "no-such-policy";
  CHECK_FALSE(simulate(input, still, 0));
}

TEST_CASE("databases of one host wait for each other's work") {
  EngineConfig still;
  still.policy = "static";
  SimulationInput reader = input_on_device();
  reader.demand.arrivals.assign(300, {1000, 0});
  SimulationInput writer = reader;
  writer.demand.arrivals.assign(300, {0, 20000});
  const auto alone = simulate(reader, still, 1);
  const std::vector<SimulationInput> two = {reader, writer};
  const auto beside = simulate(two, {still, still}, 1);
  REQUIRE(alone);
  REQUIRE(beside);
  REQUIRE(beside->size() == 2);
  CHECK(beside->front().operations == Approx(alone->operations).epsilon(0.05));
  CHECK(beside->front().reads_p99_seconds > 1.5 * alone->reads_p99_seconds);
  CHECK(beside->back().operations > 0);
  CHECK_FALSE(simulate(two, {still}, 1));
  CHECK_FALSE(simulate(std::span<const SimulationInput>(), {}, 1));
}

TEST_CASE("each database counts from its begin to its end, whoever else is there") {
  EngineConfig still;
  still.policy = "static";
  SimulationInput first = stalling_input(), second = stalling_input();
  for (SimulationInput* one : {&first, &second}) one->demand.arrivals.assign(300, {100, 0});
  second.demand.seconds.resize(100);
  second.demand.arrivals.resize(100);
  SimulationInput third = second;
  third.begin = first.begin + std::chrono::seconds(250);
  const auto figures =
      simulate(std::vector<SimulationInput>{third, first, second}, {still, still, still}, 0);
  REQUIRE(figures);
  const std::vector<double> seconds = {100, 300, 100};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    CHECK((*figures)[i].seconds == Approx(seconds[i]));
    CHECK((*figures)[i].operations == Approx(100 * seconds[i]));
  }
}

TEST_CASE("a neighbour is in the way only as long as it is there") {
  EngineConfig still;
  still.policy = "static";
  SimulationInput reader = input_on_device();
  reader.demand.arrivals.assign(300, {1000, 0});
  SimulationInput writer = reader;
  writer.demand.arrivals.assign(300, {0, 20000});
  const auto alone = simulate(reader, still, 1);
  // What the writer leaves to be compacted would last for long; it is not there any more.
  SimulationInput gone = writer;
  gone.demand.seconds.resize(2);
  gone.demand.arrivals.resize(2);
  const auto beside = simulate(std::vector{reader, gone}, {still, still}, 1);
  REQUIRE(alone);
  REQUIRE(beside);
  CHECK(beside->front().reads_p99_seconds == Approx(alone->reads_p99_seconds).epsilon(0.1));
}

TEST_CASE("who was away comes back when it did, beside those who are there then") {
  EngineConfig still;
  still.policy = "static";
  SimulationInput writer = input_on_device();
  writer.demand.seconds.resize(200);
  writer.demand.arrivals.assign(200, {0, 20000});
  writer.demand.absences.push_back({100, 100});
  SimulationInput reader = writer;
  reader.demand = {};
  reader.demand.seconds.assign(100, 1);
  reader.demand.arrivals.assign(100, {1000, 0});
  const auto alone = simulate(reader, still, 1);
  REQUIRE(alone);
  const auto beside = [&](int begin_seconds) {
    reader.begin = writer.begin + std::chrono::seconds(begin_seconds);
    return simulate(std::vector{writer, reader}, {still, still}, 1);
  };
  const auto meanwhile = beside(100);
  const auto afterwards = beside(200);
  REQUIRE(meanwhile);
  REQUIRE(afterwards);
  CHECK(meanwhile->back().reads_p99_seconds == Approx(alone->reads_p99_seconds).epsilon(0.1));
  CHECK(afterwards->back().reads_p99_seconds > 1.5 * alone->reads_p99_seconds);
  for (const auto& figures : {*meanwhile, *afterwards}) {
    CHECK(figures.front().seconds == Approx(200));
    CHECK(figures.back().seconds == Approx(100));
  }
}

TEST_CASE("a time at which nobody is there is left out") {
  EngineConfig still;
  still.policy = "static";
  const SimulationInput input = stalling_input();
  SimulationInput reopened = input;
  reopened.demand.absences.push_back({0, 60});
  reopened.demand.absences.push_back({100, 1e9});
  const auto one = simulate(input, still, 3);
  const auto other = simulate(reopened, still, 3);
  REQUIRE(one);
  REQUIRE(other);
  CHECK(other->seconds == Approx(300));
  CHECK(other->operations == one->operations);
}

TEST_CASE("draws stay near what is known, and seed 0 is what is known") {
  SimulationInput input = stalling_input();
  input.seen.l0_speed = true;
  CHECK(drawn(input, 0).laws.l0_bytes_per_second == input.laws.l0_bytes_per_second);
  CHECK(drawn(input, 0).laws.job_spread == 0);
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const double ratio =
        drawn(input, seed).laws.l0_bytes_per_second / input.laws.l0_bytes_per_second;
    CHECK(ratio > 0.7);
    CHECK(ratio < 1.4);
  }
}

}  // namespace
}  // namespace rocktune::sim
