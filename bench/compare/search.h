// best-static: the options that an operator would find by trying. A small grid over rate limit,
// background jobs and the split of memory between block cache and memtables, thinned by successive
// halving (Jamieson and Talwalkar, AISTATS 2016): every setting runs for a short while, the better
// ones again for longer, the best of the last round, by the median of its runs there, wins. Pure:
// who measures is a parameter.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "scenario/scenario.h"

namespace rocktune::bench {

struct StaticSetting {
  std::string name;                  // "rate 1/4 of the device, 4 jobs, memtables x2"
  std::vector<std::string> options;  // as `run --config` takes them
  bool operator==(const StaticSetting&) const = default;
};

// The scenario's own options come first. All settings keep within its budgets of memory and jobs,
// which are the daemon's too.
Result<std::vector<StaticSetting>> static_settings(const scenario::Scenario& scenario);

// How good a run was: operations done in seconds that kept every limit of the objective, per second
// of the run; all operations per second; and the largest of the limited latencies of the whole run,
// as a share of its limit.
struct Score {
  double goodput = 0;
  double throughput = 0;
  double latency = 0;
};
// What the objective asks of a setting.
enum class Ranking { kMostWithinLimits, kMostWork };
// kMostWork where the objective puts throughput first.
Ranking ranking_for(const scenario::Objective& objective);
// The places of these runs, the best first. The larger goodput is better; where all are within 1%
// of the best, or nobody has any, throughput; of those within 1% of the best one in that, too, the
// lower latency. For kMostWork throughput comes before goodput. Equal ones keep their order.
std::vector<std::size_t> ranked(const std::vector<Score>& scores, Ranking ranking);
// `run`: as `rocktune-bench run` writes it.
Score score_of(const nlohmann::json& run);

// What share of a run's length each round gives a setting, how many go on to the next, and how
// often each setting runs.
struct SearchRound {
  double share_of_seconds = 1;
  std::size_t keep = 1;
  std::size_t repeats = 1;
};
std::vector<SearchRound> search_rounds(std::size_t settings);
// How long a run of that share is, as `run --seconds` takes it; nothing where it is a whole run,
// which is made as those of the comparison are.
std::optional<double> shorter_seconds(double whole_run, double share_of_seconds);

struct SearchedRun {
  std::size_t round = 0;
  std::string setting;  // its name
  Score score;
  std::size_t repeat = 1;  // in the round, from 1
};

// Runs one setting; nothing when a stop was requested meanwhile.
using Measure = std::function<Result<std::optional<Score>>(
    const StaticSetting& setting, std::size_t round, double share_of_seconds)>;

// The best setting; nothing when it was stopped. The first one, the scenario's own options, takes
// part in every round: what is found was not worse than nothing in the medians of the last one,
// which is no promise for later runs. Where a round has several runs of each setting these take
// turns. Runs that `known` has are not made again; new ones are added to it.
Result<std::optional<StaticSetting>> search(const std::vector<StaticSetting>& settings,
                                            Ranking ranking, std::vector<SearchedRun>& known,
                                            const Measure& measure);

}  // namespace rocktune::bench
