#include "bench/no_harm/report.h"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

#include "bench/compare/policies.h"
#include "model/text.h"
#include "page/table.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;
using page::Align;
using page::number_text;
using page::Table;

constexpr std::size_t kShownWorst = 8;

std::string no_harm_command_text(const NoHarmSettings& settings) {
  const NoHarmSettings usual;
  std::ostringstream out;
  out << "rocktune-bench no-harm --scenarios " << settings.scenarios << " --seconds "
      << settings.seconds << " --seed " << settings.seed << " --policy " << settings.policy;
  if (settings.confirm != usual.confirm) out << " --confirm " << settings.confirm;
  return out.str();
}

std::vector<const JudgedScenario*> judged_as(const NoHarmReport& report, Harm harm) {
  std::vector<const JudgedScenario*> found;
  for (const JudgedScenario& one : report.scenarios) {
    if (one.verdict.harm == harm) found.push_back(&one);
  }
  return found;
}

std::string names_text(const std::vector<const JudgedScenario*>& scenarios) {
  std::string out;
  for (const JudgedScenario* one : scenarios) out += (out.empty() ? "" : ", ") + one->name;
  return out;
}

std::string ratio_or_dash(const std::optional<double>& ratio) {
  return ratio ? number_text(*ratio, 3) : "-";
}

std::string seconds_or_dash(const std::optional<double>& seconds) {
  return seconds ? number_text(*seconds, 1) : "-";
}

std::string percent_or_dash(const std::optional<double>& share) {
  return share ? number_text(100 * *share, 1) + "%" : "-";
}

// How far behind, in units of what is tolerated: what the worst ones are sorted by.
double badness(const ScenarioVerdict& verdict, double seconds) {
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kMeasures; ++i) {
    const auto measure = static_cast<HarmMeasure>(i);
    if (const auto lag = verdict.by(measure).lag) {
      worst = std::max(worst, *lag / tolerated(measure, seconds));
    }
  }
  return worst;
}

// "throughput, read P99"; empty: nothing.
std::string behind_text(const ScenarioVerdict& verdict) {
  std::string text;
  for (std::size_t i = 0; i < kMeasures; ++i) {
    const auto measure = static_cast<HarmMeasure>(i);
    if (!verdict.by(measure).behind) continue;
    text += (text.empty() ? "" : ", ") + measure_text(measure);
  }
  return text;
}

std::string p99_ratio_text(const ScenarioVerdict& verdict, std::optional<double> TurnSide::* p99) {
  const auto own = verdict.policy.*p99, other = verdict.reference.*p99;
  if (own == kStarved) return "starved";
  return own && other ? number_text(*own / *other, 2) : "-";
}

Table scenario_table(const std::vector<const JudgedScenario*>& scenarios) {
  Table table{
      .caption =
          "Throughput and P99 over static's, seconds in which writers stalled and above the "
          "SLO; medians where there are several pairs",
      .columns = {{"scenario", Align::kLeft},
                  {"throughput"},
                  {"static differs by"},
                  {"stalled, s"},
                  {"static, s"},
                  {"read P99"},
                  {"write P99"},
                  {"above the SLO, s"},
                  {"static, s"},
                  {"changes"},
                  {"pairs"},
                  {"", Align::kLeft}},
      .rows = {}};
  for (const JudgedScenario* one : scenarios) {
    const ScenarioVerdict& verdict = one->verdict;
    const std::string behind = behind_text(verdict);
    table.rows.push_back({one->name, ratio_or_dash(verdict.throughput_ratio()),
                          percent_or_dash(verdict.by(HarmMeasure::kThroughput).spread),
                          number_text(verdict.policy.stalled_seconds, 2),
                          number_text(verdict.reference.stalled_seconds, 2),
                          p99_ratio_text(verdict, &TurnSide::read_p99_us),
                          p99_ratio_text(verdict, &TurnSide::write_p99_us),
                          seconds_or_dash(verdict.policy.above_slo_seconds),
                          seconds_or_dash(verdict.reference.above_slo_seconds),
                          verdict.changes ? number_text(*verdict.changes, 0) : "-",
                          std::to_string(verdict.turns),
                          harm_text(verdict.harm) + (behind.empty() ? "" : ": " + behind)});
  }
  return table;
}

std::vector<const JudgedScenario*> all_judged(const NoHarmReport& report) {
  std::vector<const JudgedScenario*> all;
  all.reserve(report.scenarios.size());
  for (const JudgedScenario& one : report.scenarios) all.push_back(&one);
  return all;
}

std::vector<const JudgedScenario*> worst_judged(const NoHarmReport& report) {
  auto all = all_judged(report);
  const double seconds = report.settings.seconds;
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) {
    return badness(a->verdict, seconds) > badness(b->verdict, seconds);
  });
  if (all.size() > kShownWorst) all.resize(kShownWorst);
  return all;
}

std::string no_harm_machine_line(const report::Machine& machine) {
  std::string text = "Machine: " + machine.cpu_model.value_or("CPU of unknown model");
  if (machine.cpus) text += ", " + std::to_string(*machine.cpus) + " CPUs";
  text += ", RocksDB " + machine.rocksdb_version.value_or("of unknown version");
  if (machine.rocksdb_assertions) {
    text += *machine.rocksdb_assertions ? " with assertions" : " without assertions";
  }
  return text + ".";
}

json number_or_null(const auto& value) {
  return value ? json(*value) : json(nullptr);
}

// JSON has no infinity, and what is starved has no P99.
json p99_json(const std::optional<double>& p99_us) {
  return p99_us == kStarved ? json(nullptr) : number_or_null(p99_us);
}

json side_json(const TurnSide& side) {
  return {{"ops_per_second", side.ops_per_second},
          {"stalled_seconds", side.stalled_seconds},
          {"read_p99_us", p99_json(side.read_p99_us)},
          {"write_p99_us", p99_json(side.write_p99_us)},
          {"reads_starved", side.read_p99_us == kStarved},
          {"writes_starved", side.write_p99_us == kStarved},
          {"above_slo_seconds", number_or_null(side.above_slo_seconds)}};
}

// What the report calls a measure's parts.
struct StandingKeys {
  const char *behind, *pairs, *spread;
};
constexpr std::array<StandingKeys, kMeasures> kStandingKeys = {
    {{"slower", "slower_pairs", "static_spread_ratio"},
     {"stalled", "stalled_pairs", "static_stalled_spread_seconds"},
     {"slower_reads", "slower_reads_pairs", "static_read_p99_spread_ratio"},
     {"slower_writes", "slower_writes_pairs", "static_write_p99_spread_ratio"},
     {"above_slo", "above_slo_pairs", "static_above_slo_spread_seconds"}}};

json judged_json(const NoHarmReport& report, const JudgedScenario& one) {
  json turns = json::array();
  for (const Turn& turn : one.turns) {
    turns.push_back({{"static", side_json(turn.reference)},
                     {"policy", side_json(turn.policy)},
                     {"changes", number_or_null(turn.changes)}});
  }
  const ScenarioVerdict& verdict = one.verdict;
  json out = {{"number", one.number},
              {"name", one.name},
              {"order_seed", order_seed(report.settings.seed, one.number)},
              {"verdict", harm_text(verdict.harm)},
              {"throughput_ratio", number_or_null(verdict.throughput_ratio())},
              {"static", side_json(verdict.reference)},
              {"policy", side_json(verdict.policy)},
              {"changes", number_or_null(verdict.changes)},
              {"pairs", std::move(turns)}};
  for (std::size_t i = 0; i < kMeasures; ++i) {
    out[kStandingKeys[i].behind] = verdict.standings[i].behind;
    out[kStandingKeys[i].pairs] = verdict.standings[i].turns;
    out[kStandingKeys[i].spread] = number_or_null(verdict.standings[i].spread);
  }
  return out;
}

json overall_json(const NoHarmReport& report) {
  const OverallVerdict& overall = report.overall;
  json ratio = nullptr;
  if (const auto& mean = overall.throughput_ratio) {
    ratio = {{"geometric_mean", mean->mean},
             {"low", mean->low},
             {"high", mean->high},
             {"scenarios", mean->count}};
  }
  json counts = json::object();
  for (const Harm harm :
       {Harm::kNone, Harm::kCleared, Harm::kTooNoisy, Harm::kHarm, Harm::kUnfinished}) {
    counts[harm_text(harm)] = judged_as(report, harm).size();
  }
  return {
      {"scenarios", overall.scenarios},
      {"throughput_ratio", std::move(ratio)},
      {"stalled_seconds",
       {{"static", overall.reference_stalled_seconds}, {"policy", overall.policy_stalled_seconds}}},
      {"verdicts", std::move(counts)}};
}

std::string overall_line(const NoHarmReport& report) {
  const OverallVerdict& overall = report.overall;
  std::string text =
      "All " + std::to_string(overall.scenarios) + " together, by their first pair: ";
  if (const auto& mean = overall.throughput_ratio) {
    text += "throughput " + number_text(mean->mean, 3) + " times static's (geometric mean, 95% " +
            number_text(mean->low, 3) + " to " + number_text(mean->high, 3) + "), ";
  }
  return text + "writers stalled for " + number_text(overall.policy_stalled_seconds, 1) +
         " s, under static for " + number_text(overall.reference_stalled_seconds, 1) + " s.";
}

}  // namespace

NoHarmReport make_report(const NoHarmSettings& settings, const report::Machine& machine,
                         std::vector<JudgedScenario> scenarios) {
  NoHarmReport report{settings, no_harm_command_text(settings), machine, std::move(scenarios), {}};
  std::vector<Turn> first;
  for (const JudgedScenario& one : report.scenarios) {
    if (!one.turns.empty()) first.push_back(one.turns.front());
  }
  report.overall = judge_all(first, settings.seed);
  return report;
}

bool has_harm(const NoHarmReport& report) {
  return !judged_as(report, Harm::kHarm).empty();
}

std::string scenario_line(const ScenarioVerdict& verdict) {
  std::string text = "throughput " + ratio_or_dash(verdict.throughput_ratio()) + ", stalled " +
                     number_text(verdict.policy.stalled_seconds, 2) + " s (static " +
                     number_text(verdict.reference.stalled_seconds, 2) + " s)";
  if (verdict.changes) text += ", " + number_text(*verdict.changes, 0) + " changes";
  if (verdict.turns > 1) text += ", " + std::to_string(verdict.turns) + " pairs";
  if (const std::string behind = behind_text(verdict); !behind.empty()) {
    text += ", behind in " + behind;
  }
  return text;
}

std::vector<std::string> verdict_lines(const NoHarmReport& report) {
  std::vector<std::string> lines;
  if (!report.scenarios.empty()) lines.push_back(overall_line(report));
  const std::string of = " of " + std::to_string(report.scenarios.size()) + " scenarios";
  const auto add = [&](Harm harm, const std::string& what) {
    const auto found = judged_as(report, harm);
    if (!found.empty()) {
      lines.push_back(std::to_string(found.size()) + of + what + ": " + names_text(found) + ".");
    }
  };
  add(Harm::kCleared, " fell behind in their first pair and not in the median of all");
  add(Harm::kTooNoisy,
      " too noisy to call (behind by less than static differs from itself, or not in every pair)");
  add(Harm::kUnfinished, " unfinished");
  const auto harmed = judged_as(report, Harm::kHarm);
  const std::string policy = report.settings.policy;
  lines.push_back(harmed.empty() ? "No confirmed harm by " + policy + " in " +
                                       std::to_string(report.scenarios.size()) + " scenarios."
                                 : "HARM by " + policy + " in " + std::to_string(harmed.size()) +
                                       of + ": " + names_text(harmed) + ".");
  return lines;
}

json no_harm_json(const NoHarmReport& report) {
  json scenarios = json::array();
  for (const JudgedScenario& one : report.scenarios) {
    scenarios.push_back(judged_json(report, one));
  }
  const report::Machine& machine = report.machine;
  return {{"schema", "rocktune-no-harm/1"},
          {"command", report.command},
          {"policy", report.settings.policy},
          {"reference", kStatic},
          {"seed", report.settings.seed},
          {"seconds", report.settings.seconds},
          {"most_behind_ratio", kMostBehind},
          {"most_slower_p99_ratio", kMostSlowerP99},
          {"most_above_slo_ratio", kMostAboveSlo},
          {"machine",
           {{"cpu_model", number_or_null(machine.cpu_model)},
            {"cpus", number_or_null(machine.cpus)},
            {"kernel", number_or_null(machine.kernel)},
            {"rocksdb_version", number_or_null(machine.rocksdb_version)},
            {"rocksdb_assertions", number_or_null(machine.rocksdb_assertions)}}},
          {"harm", has_harm(report)},
          {"overall", overall_json(report)},
          {"scenarios", std::move(scenarios)}};
}

std::string no_harm_markdown(const NoHarmReport& report) {
  std::string out = "# Does " + report.settings.policy + " do harm?\n\n";
  for (const std::string& line : verdict_lines(report)) out += "- " + line + "\n";
  out += "\n" + page::markdown(scenario_table(all_judged(report))) + "\n";
  return out + "- " + no_harm_machine_line(report.machine) + "\n\n```\n" + report.command +
         "\n```\n";
}

std::string no_harm_text(const NoHarmReport& report) {
  Table table = scenario_table(worst_judged(report));
  table.caption = "The worst: " + table.caption;
  std::string out = page::plain_text(table) + "\n";
  for (const std::string& line : verdict_lines(report)) out += line + "\n";
  return out + no_harm_machine_line(report.machine) + "\n";
}

}  // namespace rocktune::bench
