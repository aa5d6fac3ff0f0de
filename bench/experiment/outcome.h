// What the runs of a part came to: every metric by case as median and range, its ratio to the
// reference case, and whether the document's findings showed. Pure: from numbers to numbers.
//
// Ratios are taken within a round, whose cases ran one after another in random order: a machine
// whose speed drifts then spoils neither side.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/experiment/experiment.h"
#include "bench/report/statistics.h"

namespace rocktune::bench::experiment {

// metric -> case -> round -> value, of complete runs only.
using Figures = std::map<std::string, std::map<std::string, report::ByRepeat>>;

// Median and range over the rounds; nothing when no round has it.
std::optional<report::Range> figure(const Figures& figures, const std::string& metric,
                                    const std::string& name);
// The same of `name` over `other`, round by round.
std::optional<report::Range> ratio(const Figures& figures, const std::string& metric,
                                   const std::string& name, const std::string& other);

enum class Answer { kReproduced, kNotReproduced, kNotMeasured };

struct Verdict {
  const Rule* rule = nullptr;
  Answer answer = Answer::kNotMeasured;
  std::string seen;            // the figures behind it: "2.31 [1.98-2.40]"
  std::size_t rounds = 0;      // that had all the values
  std::size_t rounds_for = 0;  // of them, those in which the rule holds by itself
};

// `part` must outlive the verdict.
std::vector<Verdict> judge(const Part& part, const Figures& figures);

// "reproduced (5 of 5 rounds)", "NOT reproduced (1 of 5 rounds)", "not measured".
std::string verdict_text(const Verdict& verdict);
// What the rule asks: "throughput of ReadOpt-512MB at least 1.8 times Baseline".
std::string rule_text(const Rule& rule);

// Every metric that a part's table or rules need.
std::vector<std::string> metrics_of(const Part& part);

// "1200", "0.5": as it is given to --seconds.
std::string seconds_text(double seconds);
// "2.45 [2.31-2.50]"; one value alone without a range; "-" for nothing.
std::string range_text(const std::optional<report::Range>& range, int digits);

}  // namespace rocktune::bench::experiment
