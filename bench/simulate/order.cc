#include "bench/simulate/order.h"

#include <cmath>

#include "bench/report/summary.h"

namespace rocktune::bench {
namespace {

constexpr std::uint64_t kOrderSeed = 1;  // of the bootstrap

int sign_of(double ratio, double tie) {
  if (std::abs(std::log(ratio)) <= std::log1p(tie)) return 0;
  return ratio > 1 ? 1 : -1;
}

report::ByRepeat raised(report::ByRepeat values, double least) {
  for (auto& [repeat, value] : values) value += least;
  return values;
}

// 1: `a` has more; 0: they cannot be told apart.
int recorded_order(const OrderedPolicy& a, const OrderedPolicy& b, double least) {
  const auto ratio = report::bootstrap_ratio(raised(a.recorded, least), raised(b.recorded, least),
                                             true, kOrderSeed);
  if (!ratio || ratio->covers(1)) return 0;
  return sign_of(ratio->ratio, report::kMostSpread);
}

int simulated_order(const OrderedPolicy& a, const OrderedPolicy& b, double least) {
  const double one = report::median_of(a.simulated) + least;
  const double other = report::median_of(b.simulated) + least;
  return one > 0 && other > 0 ? sign_of(one / other, kOrderTieRatio) : 0;
}

}  // namespace

std::optional<double> PairCount::tau() const {
  if (pairs() == 0) return std::nullopt;
  return (static_cast<double>(same) - static_cast<double>(other)) / static_cast<double>(pairs());
}

PairCount& PairCount::operator+=(const PairCount& more) {
  same += more.same;
  other += more.other;
  tied += more.tied;
  return *this;
}

PairCount count_pairs(const std::vector<OrderedPolicy>& policies, double least) {
  PairCount count;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    for (std::size_t j = i + 1; j < policies.size(); ++j) {
      const int recorded = recorded_order(policies[i], policies[j], least);
      if (recorded == 0) continue;
      const int simulated = simulated_order(policies[i], policies[j], least);
      ++(simulated == 0 ? count.tied : simulated == recorded ? count.same : count.other);
    }
  }
  return count;
}

}  // namespace rocktune::bench
