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
  std::vector<Run> runs;
  Machine machine;
  std::uint64_t seed = 1;  // of the bootstrap
};

enum class Better { kHigher, kLower, kNeither };

// One figure of a run: where it comes from, how it is shown.
struct Figure {
  std::string key;    // in JSON: "throughput_ops_per_second", "read_p99_us"
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
  kTooNoisy,   // the interval covers 1, or the runs of one policy disagree (see PolicySummary)
  kTooFew,     // fewer than two repeats on a side: no interval
  kNone,       // one side lacks the figure
};

struct FigureSummary {
  std::optional<Range> range;
  std::optional<RatioInterval> ratio;  // to the reference
  Verdict verdict = Verdict::kNone;
};

struct PolicySummary {
  std::string policy;
  std::size_t runs = 0;          // complete ones, on which the figures stand
  std::size_t partial_runs = 0;  // left out of them
  // (most - least) / median of throughput over the repeats.
  std::optional<double> throughput_spread;
  bool agrees = true;                            // spread at most kMostSpread
  std::map<std::string, FigureSummary> figures;  // by Figure::key
};

// "Two runs of one policy under one seed agree on throughput within 5%": beyond that the comparison
// is too noisy to call.
inline constexpr double kMostSpread = 0.05;

struct Summary {
  std::string title;
  std::string reference;
  std::string command;
  std::string scenario;  // from the results; empty if they have none
  std::string device;    // "emulated device nvme-p41" or "real device"
  Machine machine;
  std::vector<std::string> differences;  // what should be the same in all runs and is not
  std::vector<Figure> figures;           // those that any run has, in the order to show them
  std::vector<PolicySummary> policies;
};

Summary summarize(const Comparison& comparison);
nlohmann::json summary_json(const Summary& summary);  // "schema": "rocktune-compare/1"

}  // namespace rocktune::bench::report
