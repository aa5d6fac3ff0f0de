// How policies stand over several scenarios: one table for each figure that a policy is judged by,
// made of the compare.json of as many comparisons, and where one of them is behind. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "page/table.h"

namespace rocktune::bench::report {

// Medians of the repeats; a figure that a policy has not is absent.
struct PolicyFigures {
  std::size_t runs = 0;  // complete ones
  std::optional<double> read_p99_us, seconds_above_slo, ops_per_second, stall_seconds;
  std::optional<double> any_moment_p99_us;  // of reads; of phases without a rate alone
};

struct ScenarioStanding {
  std::string scenario;
  // Machine, RocksDB, device, scale, the runs' length where it was given, and the programs' digest,
  // in a sentence.
  std::string conditions;
  std::vector<std::string> policies;             // in the comparison's order, "static" among them
  std::map<std::string, PolicyFigures> figures;  // by policy
};

// Of one compare.json. Read P99 is that of the only database that reads. An Error when the document
// is no comparison, or has no run of static.
Result<ScenarioStanding> standing_of(const nlohmann::json& comparison);

struct Standings {
  std::vector<ScenarioStanding> scenarios;
  std::string policy;  // whose losses are listed
};

// "A loss": read P99, by either measure, more than 5% above that of the best of the others, more
// time above the SLO than theirs, throughput more than 3% below that of static, or stalled for
// longer by as much. Half a second more, which is one sample, is no loss. What cannot be compared
// is one of the losses, too.
inline constexpr double kBehindP99 = 0.05, kBehindThroughput = 0.03, kOneSampleSeconds = 0.5;

bool has_policy(const Standings& standings);  // any of the scenarios
std::vector<page::Table> standing_tables(const Standings& standings);
std::vector<std::string> losses(const Standings& standings);
std::string standings_markdown(const Standings& standings);

}  // namespace rocktune::bench::report
