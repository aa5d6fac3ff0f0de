#include "bench/experiment/schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scenario/workload/generator.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench::experiment {
namespace {

double mean_of(const scenario::Sizes& sizes) {
  constexpr int kSteps = 100;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += static_cast<double>(sizes.at((i + 0.5) / kSteps));
  return sum / kSteps;
}

}  // namespace

std::vector<ScheduledRun> schedule(std::size_t cases, std::int64_t rounds, std::uint64_t seed) {
  std::vector<ScheduledRun> runs;
  for (std::int64_t round = 1; round <= rounds; ++round) {
    scenario::Random random(seed * 1000003 + static_cast<std::uint64_t>(round));
    std::vector<std::size_t> order(cases);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = cases; left > 1; --left) {  // Fisher and Yates
      std::swap(order[left - 1], order[random.below(left)]);
    }
    for (const std::size_t index : order) runs.push_back({index, round});
  }
  return runs;
}

double disk_bytes_needed(const Part& part, SizeName size) {
  if (part.kind == PartKind::kDevice) return 0;
  // Old and new files of a compaction lie beside each other, and a run adds what it writes: a run
  // on a settled tree was seen to reach 1.6 times its data (YCSB A, 30 s).
  constexpr double kLoadedOverData = 1.2;
  constexpr double kCopyOverData = 2;
  constexpr double kKeyBytes = 16;  // bench/run/records.h
  double loaded = 0;
  double largest = 0;
  for (const Case& one : part.cases) {
    const auto workload = scenario::parse_workload(one.workload_yaml, "workload");
    if (!workload) continue;  // found when the experiment was parsed
    const double records = static_cast<double>(part.size(size).records > 0 ? part.size(size).records
                                                                           : workload->records);
    const double data = records * (mean_of(workload->value_size) + kKeyBytes);
    loaded += data * kLoadedOverData;
    largest = std::max(largest, data * kCopyOverData);
  }
  return loaded + largest;
}

}  // namespace rocktune::bench::experiment
