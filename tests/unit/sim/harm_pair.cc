#include "tests/unit/sim/harm_pair.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sim/median.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/random_case.h"

namespace rocktune::sim {
namespace {

constexpr std::uint64_t kMorePairs = 8;

std::vector<Came> run_case(const RandomCase& one, const std::string& policy) {
  ClosedLoop loop = loop_of(one, policy);
  run_phases(one, loop);
  std::vector<Came> out;
  for (std::size_t i = 0; i < one.databases.size(); ++i) {
    const LoopFigures figures = loop.figures(i);
    out.push_back({figures.operations, figures.writers_seconds, figures.seconds_above_slo,
                   figures.reads_p99_seconds});
  }
  return out;
}

Came sum_of(std::span<const Came> databases) {
  Came all;
  std::vector<double> p99s;
  for (const Came& one : databases) {
    all.operations += one.operations;
    all.lost_seconds += one.lost_seconds;
    all.above_slo_seconds += one.above_slo_seconds;
    if (one.read_p99_seconds > 0) p99s.push_back(one.read_p99_seconds);
  }
  all.read_p99_seconds = geometric_mean(p99s);
  return all;
}

double slower_by(double before, double now) {
  if (!(before > 0) || std::abs(now - before) <= kLeastSlowerSeconds) return 0;
  return now / before - 1;
}

// Behind in the middle of all pairs, and in every pair but one.
bool is_harm(std::span<const HarmPair> pairs, std::size_t measure) {
  std::vector<double> behind;
  for (const HarmPair& pair : pairs) behind.push_back(pair.behind.at(measure));
  const auto otherwise =
      std::count_if(behind.begin(), behind.end(), [](double x) { return x <= 0; });
  return median(behind) > 1 && otherwise <= 1;
}

// In every pair but one.
bool do_reads_pay(std::span<const HarmPair> pairs, std::size_t measure) {
  const auto not_so = std::count_if(
      pairs.begin(), pairs.end(), [&](const HarmPair& pair) { return !pair.is_excused(measure); });
  return not_so <= 1;
}

}  // namespace

bool HarmPair::is_behind() const {
  return std::any_of(behind.begin(), behind.end(), [](double x) { return x > 1; });
}

bool HarmPair::lets_writers_go() const {
  return throughput_ratio > 1 + kMostBehind || lost_seconds < -kMostBehind * kCaseSeconds;
}

bool HarmPair::is_excused(std::size_t measure) const {
  return (measure == kReadP99 || measure == kAboveSlo) && lets_writers_go();
}

bool HarmPair::is_unexcused() const {
  bool unexcused = least_ratio < kLeastOfOne;
  for (std::size_t measure = 0; measure < kHarmMeasures; ++measure) {
    unexcused = unexcused || (behind.at(measure) > 1 && !is_excused(measure));
  }
  return unexcused;
}

double geometric_mean(std::span<const double> values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return values.empty() ? 0 : std::exp(logarithms / static_cast<double>(values.size()));
}

HarmPair compare_runs(std::vector<Came> still, std::vector<Came> tuned) {
  const double seconds = kCaseSeconds * static_cast<double>(still.size());
  HarmPair pair;
  pair.still = sum_of(still);
  pair.tuned = sum_of(tuned);
  pair.throughput_ratio = pair.tuned.operations / pair.still.operations;
  pair.least_ratio = pair.throughput_ratio;
  for (std::size_t i = 0; i < still.size(); ++i) {
    pair.least_ratio = std::min(pair.least_ratio, tuned[i].operations / still[i].operations);
  }
  const double p99_before = pair.still.read_p99_seconds, p99_now = pair.tuned.read_p99_seconds;
  pair.lost_seconds = pair.tuned.lost_seconds - pair.still.lost_seconds;
  pair.read_p99_ratio = p99_before > 0 ? p99_now / p99_before : 0;
  pair.above_slo_seconds = pair.tuned.above_slo_seconds - pair.still.above_slo_seconds;
  pair.behind[kThroughput] = (1 - pair.throughput_ratio) / kMostBehind;
  pair.behind[kTimeLost] = pair.lost_seconds / (kMostBehind * seconds);
  pair.behind[kReadP99] = slower_by(p99_before, p99_now) / kMostSlowerP99;
  pair.behind[kAboveSlo] = pair.above_slo_seconds / (kMostAboveSlo * seconds);
  pair.still_each = std::move(still);
  pair.tuned_each = std::move(tuned);
  return pair;
}

HarmPair run_pair(std::uint64_t seed, std::uint64_t luck, std::size_t databases) {
  const RandomCase one = random_case(seed, luck, kCaseSeconds, databases);
  return compare_runs(run_case(one, "static"), run_case(one, "headroom"));
}

HarmOutcome outcome_of(std::uint64_t seed, std::size_t databases, const HarmPair& first) {
  if (first.least_ratio < kLeastOfOne) {
    WARN("seed " << seed << ": " << first.least_ratio << " of static's operations in one database");
    return HarmOutcome::kHarm;
  }
  if (!first.is_behind()) return HarmOutcome::kNone;
  std::vector<HarmPair> pairs;
  for (std::uint64_t luck = 1; luck <= kMorePairs; ++luck) {
    pairs.push_back(run_pair(seed, luck, databases));
  }
  HarmOutcome outcome = HarmOutcome::kNone;
  for (std::size_t measure = 0; measure < kHarmMeasures; ++measure) {
    if (!is_harm(pairs, measure)) continue;
    const bool pay = do_reads_pay(pairs, measure);
    WARN("seed " << seed << ": " << kHarmMeasureTexts.at(measure)
                 << (pay ? ", for writers who are let go" : ""));
    outcome = std::max(outcome, pay ? HarmOutcome::kReadsPay : HarmOutcome::kHarm);
  }
  return outcome;
}

}  // namespace rocktune::sim
