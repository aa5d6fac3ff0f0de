// Ensemble: the same recorded demand under several policies, simulated many times over what the
// plant does not know exactly. One simulation - a policy and a seed - is a pure function of its
// input, so that they may run in any order, and beside each other. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/clock.h"
#include "model/engine_config.h"
#include "model/result.h"
#include "sim/demand.h"
#include "sim/host.h"
#include "sim/loop.h"

namespace rocktune::sim {

// Deviations of the logarithms of what is drawn. Of rates: what two halves of one recorded run
// differ by.
inline constexpr double kCalibratedRateSpread = 0.15;
// ... where none was calibrated on a run: a guess. Of one thread's compactions out of L0 it is 0.57
// in those ten recordings of tests/data of which `rocktune simulate --whole` says it, which lie on
// devices of one kind.
inline constexpr double kPriorRateSpread = 0.7;
constexpr double rate_spread(bool seen) {
  return seen ? kCalibratedRateSpread : kPriorRateSpread;
}
// As a deviation, what the law of overlap may lie off the picking that it stands for in
// tests/unit/sim/overlap_test.cc.
inline constexpr double kOverlapSpread = 0.08;
// A guess: nothing was measured. The device's is its own (HostLaws).
inline constexpr double kCacheSpread = 0.2;
// None is drawn further off than this many deviations.
inline constexpr double kMostDeviations = 2;

// One database and what it is asked for.
struct SimulationInput {
  PlantOptions options;
  Laws laws;
  HostLaws host;
  std::vector<FamilyState> state;  // one for each family
  std::uint64_t delayed_rate = 0;
  DemandSeries demand;
  Nanoseconds begin{0};     // when the state was recorded, on the clock of ticks
  std::string device_name;  // empty: not known
  // Of seconds above the SLO; absent: those that the engine goes by.
  std::optional<SloLimits> limits = std::nullopt;
  Seen seen;  // what a run has shown of the laws; nothing of a scenario's
};

// Laws as they may be, given what calibration knows: seed 0 has them as they are, without luck from
// job to job; others draw rates, overlap, cache and device around them. All policies of one seed
// meet the same draw; the luck of single jobs is the same until their order differs.
SimulationInput drawn(const SimulationInput& input, std::uint64_t seed);

// Databases that share a machine, that of the one that begins first, each with its engine, and each
// from its begin and for as long as it is asked for anything; in an absence it has nothing of the
// machine, and comes back opened anew. Times at which none is there are left out. Errors: a policy
// that is not there, or parameters that it does not take.
Result<std::vector<LoopFigures>> simulate(std::span<const SimulationInput> databases,
                                          const std::vector<EngineConfig>& engines,
                                          std::uint64_t seed, LoopWatch watch = {});
// The same of one that has a machine of its own.
Result<LoopFigures> simulate(const SimulationInput& input, const EngineConfig& engine,
                             std::uint64_t seed);

// The same where nobody turns anything: the database as it is at the end.
Plant repeat(const SimulationInput& input, std::uint64_t seed);

struct SimulatedPolicy {
  std::string label;
  std::vector<LoopFigures> by_seed;
};

// By what the objective puts first: lower is better.
double figure_of_merit(const LoopFigures& figures, Priority first);

// What they can be ranked by: the objective's first. Where that is a P99 of operations that nobody
// asked for, or that nothing is known of: time stalled, or throughput where nobody stalls.
Priority ranked_by(const std::vector<SimulatedPolicy>& policies, Priority first);

struct Ranking {
  // By policy: the median over the seeds of its rank among them, 1 the best; ties share their mean.
  std::vector<double> median_rank;
  // The share of the seeds in which it is the best, alone or among others.
  std::vector<double> best_ratio;
  // Kendall's coefficient of concordance over the seeds: 1, all rank alike; 0, no agreement. Absent
  // of one seed or one policy, and where all are ties: nothing is ranked.
  std::optional<double> concordance = std::nullopt;
};

// Those that come first: of the lowest median rank the best in most seeds. Several share the place
// where both are the same.
std::vector<std::size_t> first_places(const Ranking& ranking);

// Figures that lie within this of each other, as a ratio, are ties: the plant does not tell them
// apart.
inline constexpr double kTieRatio = 0.01;

// By seed, or by what else they met alike, the figure of merit of each policy.
Ranking rank(const std::vector<std::vector<double>>& merits_by_seed);
// Every policy has the same number of seeds, at least one.
Ranking rank(const std::vector<SimulatedPolicy>& policies, Priority first);

}  // namespace rocktune::sim
