#include "scenario/workload/mixgraph.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rocktune::scenario {
namespace {

// Fixes which part of the key space is hot, for every run alike.
constexpr std::uint64_t kShuffleSeed = 2020;

double weight(const MixgraphKeys& plan, std::size_t range) {
  const auto x = static_cast<double>(range + 1);
  const bool flat = plan.range_a == 0 && plan.range_c == 0;
  const double both =
      plan.range_a * std::exp(plan.range_b * x) + plan.range_c * std::exp(plan.range_d * x);
  return flat ? 1 : std::max(0.0, both);
}

}  // namespace

MixgraphKeys read_mixgraph_keys(MapReader& map) {
  MixgraphKeys plan;
  const Range<double> any{-1e6, 1e6};
  const Range<double> not_negative{0, 1e6};
  map.integer("keyrange_num", plan.ranges, {1, 1'000'000});
  map.number("keyrange_dist_a", plan.range_a, not_negative);
  map.number("keyrange_dist_b", plan.range_b, any);
  map.number("keyrange_dist_c", plan.range_c, not_negative);
  map.number("keyrange_dist_d", plan.range_d, any);
  map.number("key_dist_a", plan.key_a, not_negative);
  map.number("key_dist_b", plan.key_b, not_negative);
  double sum = 0;
  for (std::int64_t i = 0; i < plan.ranges; ++i) sum += weight(plan, static_cast<std::size_t>(i));
  if (!std::isfinite(sum) || sum <= 0) {
    map.problem("keyrange_dist_a", "with these parameters no range gets a finite share");
  }
  return plan;
}

KeyRanges::KeyRanges(const MixgraphKeys& plan, std::uint64_t records)
    : plan_(plan),
      range_records_(
          std::max<std::uint64_t>(1, records / static_cast<std::uint64_t>(plan.ranges))) {
  // With fewer records than ranges the last ranges have none.
  const auto ranges = std::min(static_cast<std::uint64_t>(plan.ranges), records);
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t i = 0; i < ranges; ++i) sum += shares.emplace_back(weight(plan, i));
  Random random(kShuffleSeed);
  for (std::size_t left = shares.size(); left > 1; --left) {
    std::swap(shares[left - 1], shares[random.below(left)]);
  }
  double upto = 0;
  for (const double share : shares) upto_.push_back(upto += share / sum);
}

double KeyRanges::share(std::size_t place) const {
  return place == 0 ? upto_[0] : upto_[place] - upto_[place - 1];
}

std::uint64_t KeyRanges::next(Random& random) const {
  const auto found = std::upper_bound(upto_.begin(), upto_.end(), random.uniform());
  // Rounding may leave the last sum a little below 1.
  const auto place = static_cast<std::uint64_t>(std::min(found, upto_.end() - 1) - upto_.begin());
  return place * range_records_ + within(random);
}

// The inverse of y = a * x^b, as db_bench draws it: the x-th key is the one that x hashes to.
std::uint64_t KeyRanges::within(Random& random) const {
  if (plan_.key_a == 0 || plan_.key_b == 0) return random.below(range_records_);
  const double x = std::ceil(std::pow(random.uniform() / plan_.key_a, 1 / plan_.key_b));
  return fnv_hash(static_cast<std::uint64_t>(std::min(x, 9e18))) % range_records_;
}

}  // namespace rocktune::scenario
