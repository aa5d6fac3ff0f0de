#include "bench/overhead/paired.h"

#include <algorithm>

namespace rocktune::bench {

std::optional<Spread> spread_of(std::vector<double> ratios) {
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  const std::size_t middle = ratios.size() / 2;
  const double median =
      ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
  return Spread{median, ratios.front(), ratios.back(), ratios.size()};
}

std::string verdict(const Spread& spread, double target, Better better) {
  const auto meets = [&](double ratio) {
    return better == Better::kHigher ? ratio >= target : ratio <= target;
  };
  const bool met = meets(spread.median);
  if (meets(spread.least) == met && meets(spread.most) == met) return met ? "met" : "missed";
  return met ? "met (unclear: the spread covers the target)"
             : "missed (unclear: the spread covers the target)";
}

}  // namespace rocktune::bench
