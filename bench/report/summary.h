// Runs of several policies summed up: per policy the median and range of each figure, its ratio to
// the reference policy with a bootstrap interval, and whether the runs agree well enough to say
// anything at all. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/run.h"
#include "bench/report/statistics.h"

namespace rocktune::bench::report {

struct Comparison {
  std::string title;                  // "Policies on scenario write-burst"
  std::string reference = "static";   // the policy that all others are measured against
  std::string command;                // what made it, for the reader to repeat; may be empty
  std::vector<std::string> policies;  // the order to show them in; others follow as met
  // Policies that the others' throughput is measured against, too.
  std::vector<std::string> yardsticks;
  std::vector<Run> runs;
  Machine machine;
  std::uint64_t seed = 1;  // of the bootstrap
};

enum class Better { kHigher, kLower, kNeither };

// One figure of a run: where it comes from, how it is shown.
struct Figure {
  std::string key;    // in JSON: "ops_per_second", "read_p99_us"
  std::string label;  // for people: "read P99, ms"
  Better better = Better::kNeither;
  double divisor = 1;  // from the key's unit to the label's
  int decimals = 0;
};

// What to make of a ratio.
enum class Verdict {
  kReference,  // the reference itself
  kBetter,     // the interval is wholly on the better side of 1
  kWorse,      // ... on the worse side
  kDifferent,  // ... beside 1, of a figure where neither direction is better
  kSame,       // it covers 1 and lies within kMostSpread of it; or within kLeastDifference
  kTooNoisy,   // it covers 1 and is wider, or the runs of a side disagree (PolicySummary::agrees)
  kTooFew,     // fewer than two repeats on a side: no interval
  kNone,       // one side lacks the figure, or the reference's is zero
};

// "better", "too noisy to call", ...; as it stands in tables and in JSON.
std::string verdict_text(Verdict verdict);

struct FigureSummary {
  std::optional<Range> range;
  std::optional<RatioInterval> ratio;  // to the reference
  Verdict verdict = Verdict::kNone;
};

struct PolicySummary {
  std::string policy;
  std::size_t runs = 0;          // complete ones, on which the figures stand
  std::size_t partial_runs = 0;  // left out of them
  // By how much throughput differs between two repeats of one seed: |a - b| over their mean, the
  // median of all pairs, of the seed where that is largest. Nothing where no seed ran twice.
  std::optional<double> throughput_spread;
  // The runs of this policy and of the reference stood beside each other (turns.h).
  bool took_turns = true;
  std::map<std::string, FigureSummary> figures;  // by Figure::key

  [[nodiscard]] bool agrees() const;  // the spread is at most kMostSpread, or not known
  // Nothing when there is no such figure.
  [[nodiscard]] const FigureSummary* figure(const std::string& key) const;
};

// "Two runs of one policy under one seed agree on throughput within 5%": beyond that a comparison
// is too noisy to call.
inline constexpr double kMostSpread = 0.05;
// A ratio of 1.0004 is nobody's merit, however surely it is no 1: a paced load leaves no more room.
inline constexpr double kLeastDifference = 0.001;

struct Summary {
  std::string title;
  std::string reference;
  std::string command;
  std::string scenario;  // from the results; empty if they have none
  std::string description;
  std::string device;           // "emulated device nvme-p41"
  std::optional<double> scale;  // what sizes and rates were divided by
  std::string first;  // key of the figure that the objective puts first; empty: it has none
  Machine machine;
  std::vector<std::string> differences;  // what should be the same in all runs and is not
  std::vector<std::string> replayed;     // of replayed operations (replayed.h)
  std::vector<Figure> figures;           // those that any run has, in the order to show them
  std::vector<Figure> phase_figures;     // of single phases
  std::vector<PolicySummary> policies;   // the reference first
  // One for each yardstick that ran: `reference` is its name, the figures are throughput alone, of
  // the whole run and of phases.
  std::vector<Summary> yardsticks;
};

Summary summarize(const Comparison& comparison);
nlohmann::json summary_json(const Summary& summary);  // "schema": "rocktune-compare/1"

}  // namespace rocktune::bench::report
