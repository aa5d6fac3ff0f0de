#include "bench/report/standings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "bench/report/result_reader.h"
#include "bench/report/statistics.h"

namespace rocktune::bench::report {
namespace {

using nlohmann::json;

constexpr std::string_view kStaticPolicy = "static";
constexpr std::uint64_t kSeed = 1;  // of the bootstrap

struct TableKind {
  const char* caption;
  std::optional<double> PolicyFigures::* figure;
  double divisor;
  int digits;
  bool as_ratio;  // to static, and a geometric mean of those; else a sum
};

constexpr TableKind kP99Table{"Read P99, ms (in brackets: that of static is 1)",
                              &PolicyFigures::read_p99_us, 1e3, 1, true};
constexpr TableKind kAnyMomentTable{
    "Read P99 for whoever comes at any moment, of phases without a rate, ms (in brackets: that of "
    "static is 1)",
    &PolicyFigures::any_moment_p99_us, 1e3, 1, true};
constexpr TableKind kSloTable{"Time above the SLO, s", &PolicyFigures::seconds_above_slo, 1, 1,
                              false};
constexpr TableKind kOpsTable{"Throughput, ops/s (in brackets: that of static is 1)",
                              &PolicyFigures::ops_per_second, 1, 0, true};
constexpr TableKind kStallTable{"Time writers stalled, s", &PolicyFigures::stall_seconds, 1, 1,
                                false};

std::optional<double> median_at(const json& figures, const std::string& key) {
  const auto found = figures.find(key);
  if (found == figures.end() || !found->is_object()) return std::nullopt;
  const auto median = found->find("median");
  if (median == found->end() || !median->is_number()) return std::nullopt;
  return median->get<double>();
}

// What stands before the figures of the one database that reads: "", or "front.".
std::optional<std::string> reader_of(const json& figures) {
  const std::string read_p99 = "read_p99_us";
  if (figures.contains(read_p99)) return "";
  std::optional<std::string> found;
  for (const auto& [key, value] : figures.items()) {
    if (key.starts_with("phase.") || !key.ends_with("." + read_p99)) continue;
    if (found) return std::nullopt;
    found = key.substr(0, key.size() - read_p99.size());
  }
  return found;
}

bool has_any_moment(const ScenarioStanding& scenario) {
  return std::any_of(scenario.figures.begin(), scenario.figures.end(),
                     [](const auto& one) { return one.second.any_moment_p99_us.has_value(); });
}

std::string assertions_text(const json& assertions) {
  if (!assertions.is_boolean()) return "";
  return assertions.get<bool>() ? " with assertions" : " without assertions";
}

std::string conditions_of(const json& comparison) {
  const auto known = [&comparison](const char* path, const char* otherwise) {
    const std::string text = text_at(comparison, path);
    return text.empty() ? otherwise : text;
  };
  const auto cpus = number_at(comparison, "/machine/cpus");
  std::string out = known("/machine/cpu_model", "unknown CPU") + ", " +
                    (cpus ? page::number_text(*cpus, 0) : "an unknown number of") + " CPUs, " +
                    known("/machine/kernel", "unknown kernel") + ", RocksDB " +
                    known("/machine/rocksdb_version", "of unknown version") +
                    assertions_text(value_at(comparison, "/machine/rocksdb_assertions")) + "; " +
                    known("/device", "unknown device");
  const auto scale = comparison.find("scale");
  if (scale != comparison.end() && scale->is_number()) {
    out += "; scale " + page::number_text(scale->get<double>(), 0);
  }
  if (value_at(comparison, "/full") == json(true)) out += ", life size";
  if (const auto seconds = number_at(comparison, "/seconds")) {
    const bool whole = *seconds == std::floor(*seconds);
    out += "; runs of " + page::number_text(*seconds, whole ? 0 : 1) + " s";
  }
  const std::string build = text_at(comparison, "/programs_digest");
  return out + (build.empty() ? "; unknown build" : "; build " + build);
}

const PolicyFigures* figures_of(const ScenarioStanding& scenario, const std::string& policy) {
  const auto found = scenario.figures.find(policy);
  return found == scenario.figures.end() ? nullptr : &found->second;
}

std::optional<double> value_of(const ScenarioStanding& scenario, const std::string& policy,
                               const TableKind& kind) {
  const PolicyFigures* figures = figures_of(scenario, policy);
  return figures == nullptr ? std::nullopt : figures->*kind.figure;
}

std::optional<double> ratio_of(const ScenarioStanding& scenario, const std::string& policy,
                               const TableKind& kind) {
  const auto value = value_of(scenario, policy, kind);
  const auto reference = value_of(scenario, std::string(kStaticPolicy), kind);
  if (!value || !reference || *reference <= 0) return std::nullopt;
  return *value / *reference;
}

std::vector<std::string> all_policies(const Standings& standings) {
  std::vector<std::string> all;
  for (const ScenarioStanding& scenario : standings.scenarios) {
    for (const std::string& policy : scenario.policies) {
      if (std::find(all.begin(), all.end(), policy) == all.end()) all.push_back(policy);
    }
  }
  return all;
}

std::string cell(const ScenarioStanding& scenario, const std::string& policy,
                 const TableKind& kind) {
  const auto value = value_of(scenario, policy, kind);
  if (!value) return "-";
  std::string text = page::number_text(*value / kind.divisor, kind.digits);
  const auto ratio = ratio_of(scenario, policy, kind);
  if (kind.as_ratio && ratio && policy != kStaticPolicy)
    text += " (" + page::number_text(*ratio, 2) + ")";
  return text;
}

// Over all scenarios; "-" for a policy that did not run in all of them.
std::string total_cell(const Standings& standings, const std::string& policy,
                       const TableKind& kind) {
  std::vector<double> values;
  for (const ScenarioStanding& scenario : standings.scenarios) {
    const auto value =
        kind.as_ratio ? ratio_of(scenario, policy, kind) : value_of(scenario, policy, kind);
    if (!value) return "-";
    values.push_back(*value);
  }
  if (!kind.as_ratio) {
    return page::number_text(std::accumulate(values.begin(), values.end(), 0.0) / kind.divisor,
                             kind.digits);
  }
  const auto mean = bootstrap_geometric_mean(values, kSeed);
  if (policy == kStaticPolicy) return page::number_text(mean->mean, 2);
  return page::number_text(mean->mean, 2) + " [" + page::number_text(mean->low, 2) + "–" +
         page::number_text(mean->high, 2) + "]";
}

page::Table table_of(const Standings& standings, const TableKind& kind) {
  page::Table table{.caption = kind.caption, .columns = {{"", page::Align::kLeft}}, .rows = {}};
  const auto policies = all_policies(standings);
  for (const std::string& policy : policies) table.columns.push_back({policy, page::Align::kRight});
  for (const ScenarioStanding& scenario : standings.scenarios) {
    std::vector<std::string> row = {scenario.scenario};
    for (const std::string& policy : policies) row.push_back(cell(scenario, policy, kind));
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> total = {kind.as_ratio ? "geometric mean of the ratios [95%]"
                                                  : "together"};
  for (const std::string& policy : policies) total.push_back(total_cell(standings, policy, kind));
  table.rows.push_back(std::move(total));
  return table;
}

// The policy with the least of the figure, others than `policy`.
std::optional<std::string> least_of(const ScenarioStanding& scenario, const std::string& policy,
                                    const TableKind& kind) {
  std::optional<std::string> best;
  for (const std::string& other : scenario.policies) {
    const auto value = value_of(scenario, other, kind);
    if (other == policy || !value) continue;
    if (!best || *value < *value_of(scenario, *best, kind)) best = other;
  }
  return best;
}

std::string loss_text(const ScenarioStanding& scenario, const std::string& policy,
                      const std::string& other, const TableKind& kind, const std::string& what) {
  const auto text = [&](const std::string& one) {
    return page::number_text(*value_of(scenario, one, kind) / kind.divisor, kind.digits);
  };
  return scenario.scenario + ": " + what + " " + text(policy) + ", with " + other + " " +
         text(other);
}

void add_losses(const ScenarioStanding& scenario, const std::string& policy,
                std::vector<std::string>& all) {
  struct Look {
    const TableKind* kind;
    const char* what;
    double share, amount;  // by which it may be above the best
  };
  std::vector<Look> looks = {{&kP99Table, "read P99 (ms)", kBehindP99, 0},
                             {&kSloTable, "s above the SLO", 0, kOneSampleSeconds}};
  if (has_any_moment(scenario)) {
    looks.push_back({&kAnyMomentTable, "read P99 at any moment (ms)", kBehindP99, 0});
  }
  const auto not_compared = [&](const char* what) {
    all.push_back(scenario.scenario + ": " + what + ": not to be compared");
  };
  for (const Look& look : looks) {
    const auto own = value_of(scenario, policy, *look.kind);
    const auto best = least_of(scenario, policy, *look.kind);
    if (!own || !best) {
      not_compared(look.what);
      continue;
    }
    const double least = *value_of(scenario, *best, *look.kind);
    if (*own <= least * (1 + look.share) + look.amount) continue;
    all.push_back(loss_text(scenario, policy, *best, *look.kind, look.what));
  }
  const std::string reference(kStaticPolicy);
  const auto throughput = ratio_of(scenario, policy, kOpsTable);
  if (!throughput) {
    not_compared("ops/s");
  } else if (*throughput < 1 - kBehindThroughput) {
    all.push_back(loss_text(scenario, policy, reference, kOpsTable, "ops/s"));
  }
  const auto stalled = value_of(scenario, policy, kStallTable);
  const auto stalled_static = value_of(scenario, reference, kStallTable);
  if (!stalled || !stalled_static) {
    not_compared("s stalled");
  } else if (*stalled > (1 + kBehindThroughput) * *stalled_static + kOneSampleSeconds) {
    all.push_back(loss_text(scenario, policy, reference, kStallTable, "s stalled"));
  }
}

// What all were made under; where that differs, which scenarios were made under what.
std::string conditions_text(const Standings& standings) {
  std::vector<std::pair<std::string, std::string>> found;  // conditions, scenarios
  for (const ScenarioStanding& scenario : standings.scenarios) {
    const auto known = std::find_if(found.begin(), found.end(), [&](const auto& one) {
      return one.first == scenario.conditions;
    });
    if (known == found.end()) {
      found.emplace_back(scenario.conditions, scenario.scenario);
    } else {
      known->second += ", " + scenario.scenario;
    }
  }
  if (found.size() == 1) return found.front().first + ".";
  std::string out = "They were not all made alike:\n";
  for (const auto& [conditions, scenarios] : found) {
    out.append("\n- ").append(scenarios).append(": ").append(conditions).append(".");
  }
  return out;
}

}  // namespace

Result<ScenarioStanding> standing_of(const json& comparison) {
  const json& machine = value_at(comparison, "/machine");
  if (text_at(comparison, "/schema") != "rocktune-compare/1" ||
      !(machine.is_null() || machine.is_object())) {
    return fail(ErrorCode::kCorrupt, "no report of `rocktune-bench compare` (rocktune-compare/1)");
  }
  try {
    ScenarioStanding out;
    out.scenario = comparison.at("scenario").get<std::string>();
    out.conditions = conditions_of(comparison);
    for (const json& one : comparison.at("policies")) {
      const json& figures = one.at("figures");
      if (!figures.is_object()) return fail(ErrorCode::kCorrupt, "figures that are none");
      PolicyFigures own;
      own.runs = one.at("runs").get<std::size_t>();
      if (const auto reader = reader_of(figures)) {
        own.read_p99_us = median_at(figures, *reader + "read_p99_us");
        own.any_moment_p99_us = median_at(figures, *reader + "read_any_moment_p99_us");
      }
      own.seconds_above_slo = median_at(figures, "seconds_above_slo");
      own.ops_per_second = median_at(figures, "ops_per_second");
      own.stall_seconds = median_at(figures, "stall_seconds");
      out.policies.push_back(one.at("policy").get<std::string>());
      out.figures[out.policies.back()] = own;
    }
    if (figures_of(out, std::string(kStaticPolicy)) == nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  "it has no run of static: add one, `compare --policies static`");
    }
    return out;
  } catch (const json::exception& error) {
    return fail(ErrorCode::kCorrupt, std::string("not as `compare` writes it: ") + error.what());
  }
}

bool has_policy(const Standings& standings) {
  return std::any_of(standings.scenarios.begin(), standings.scenarios.end(),
                     [&](const ScenarioStanding& scenario) {
                       const PolicyFigures* figures = figures_of(scenario, standings.policy);
                       return figures != nullptr && figures->runs > 0;
                     });
}

std::vector<page::Table> standing_tables(const Standings& standings) {
  std::vector<page::Table> tables;
  tables.push_back(table_of(standings, kP99Table));
  Standings unpaced{.scenarios = {}, .policy = standings.policy};
  for (const ScenarioStanding& scenario : standings.scenarios) {
    if (has_any_moment(scenario)) unpaced.scenarios.push_back(scenario);
  }
  if (!unpaced.scenarios.empty()) tables.push_back(table_of(unpaced, kAnyMomentTable));
  for (const TableKind& kind : {kSloTable, kOpsTable, kStallTable}) {
    tables.push_back(table_of(standings, kind));
  }
  return tables;
}

std::vector<std::string> losses(const Standings& standings) {
  std::vector<std::string> all;
  for (const ScenarioStanding& scenario : standings.scenarios) {
    add_losses(scenario, standings.policy, all);
  }
  return all;
}

std::string standings_markdown(const Standings& standings) {
  std::string out;
  std::size_t fewest = SIZE_MAX, most = 0;
  for (const ScenarioStanding& scenario : standings.scenarios) {
    for (const auto& [name, figures] : scenario.figures) {
      fewest = std::min(fewest, figures.runs);
      most = std::max(most, figures.runs);
    }
  }
  out += "Medians of " + std::to_string(fewest) +
         (most > fewest ? " to " + std::to_string(most) : "") + " runs of each policy. " +
         conditions_text(standings) + "\n\n";
  for (const page::Table& table : standing_tables(standings)) out += markdown(table) + "\n";
  const auto lost = losses(standings);
  out += "Where " + standings.policy +
         " is behind (read P99, by either measure, by more than 5% and time above the SLO "
         "against the best of the others, throughput by more than 3% and stalled time against "
         "static):";
  out += lost.empty() ? " nowhere.\n" : "\n\n";
  for (const std::string& line : lost) out += "- " + line + "\n";
  return out;
}

}  // namespace rocktune::bench::report
