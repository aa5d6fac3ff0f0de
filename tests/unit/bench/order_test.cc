#include "bench/simulate/order.h"

#include "tests/support/catch.h"

namespace rocktune::bench {
namespace {

OrderedPolicy made(const std::string& name, std::vector<double> recorded,
                   std::vector<double> simulated) {
  OrderedPolicy policy{name, {}, std::move(simulated)};
  std::int64_t repeat = 0;
  for (const double value : recorded) policy.recorded[++repeat] = value;
  return policy;
}

TEST_CASE("the same order, whatever the figures are, is tau 1") {
  const PairCount pairs = count_pairs(
      {made("a", {10, 11, 10}, {1, 1}), made("b", {5, 6, 5}, {0.9}), made("c", {2, 2, 2}, {0.1})},
      0);
  CHECK(pairs.same == 3);
  CHECK(pairs.pairs() == 3);
  CHECK(pairs.tau() == 1);
}

TEST_CASE("an inversion and a tie of the simulator's cost what they cost") {
  const PairCount pairs = count_pairs(
      {made("a", {10, 11, 10}, {2}), made("b", {5, 6, 5}, {3}), made("c", {2, 2, 2}, {2.01})}, 0);
  CHECK(pairs.same == 1);   // b is above c
  CHECK(pairs.other == 1);  // a is not above b
  CHECK(pairs.tied == 1);   // a and c
  CHECK(pairs.tau() == 0);
}

TEST_CASE("what the real runs do not tell apart is no pair") {
  const PairCount noisy = count_pairs({made("a", {10, 1, 5}, {1}), made("b", {4, 6, 5}, {9})}, 0);
  CHECK(noisy.pairs() == 0);
  CHECK_FALSE(noisy.tau());
  // Differences that are there, but below what counts.
  const PairCount small =
      count_pairs({made("a", {0.001, 0.001, 0.001}, {1}), made("b", {0, 0, 0}, {9})}, 0.5);
  CHECK(small.pairs() == 0);
}

TEST_CASE("counts of several scenarios add up") {
  PairCount all{3, 1, 0};
  all += {1, 0, 5};
  CHECK(all.pairs() == 10);
  CHECK(all.tau() == Approx(0.3));
}

}  // namespace
}  // namespace rocktune::bench
