#include "bench/compare/order.h"

#include <algorithm>
#include <utility>

#include "bench/trial/digest.h"

namespace rocktune::bench {

std::vector<PlannedRun> planned_runs(const std::vector<std::string>& policies, std::int64_t repeats,
                                     std::uint64_t seed) {
  std::vector<PlannedRun> runs;
  for (std::int64_t repeat = 1; repeat <= repeats; ++repeat) {
    std::vector<std::pair<std::string, std::string>> drawn;  // by what each one drew
    for (const std::string& policy : policies) {
      // The digest twice: one pass of FNV-1a leaves the last letters in the low bits alone.
      const std::string text = std::to_string(seed) + "/" + std::to_string(repeat) + "/" + policy;
      drawn.emplace_back(digest(digest(text) + policy), policy);
    }
    std::sort(drawn.begin(), drawn.end());
    for (auto& [lot, policy] : drawn) runs.push_back({std::move(policy), repeat});
  }
  return runs;
}

}  // namespace rocktune::bench
