#include "bench/overhead/paired.h"

namespace rocktune::bench {

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
