#include "bench/report/summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "bench/report/figures.h"
#include "bench/report/replayed.h"
#include "bench/report/result_reader.h"
#include "bench/report/turns.h"

namespace rocktune::bench::report {
namespace {

using nlohmann::json;

// The reference first, then the order that was asked for, then as met.
std::vector<std::string> policies_of(const Comparison& comparison) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    const bool ran = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                 [&](const Run& run) { return run.policy == name; });
    if (ran && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  add(comparison.reference);
  for (const std::string& name : comparison.policies) add(name);
  for (const Run& run : comparison.runs) add(run.policy);
  return all;
}

std::vector<const Run*> complete_runs(const Comparison& comparison, const std::string& policy) {
  std::vector<const Run*> all;
  for (const Run& run : comparison.runs) {
    if (run.policy == policy && !run.partial) all.push_back(&run);
  }
  return all;
}

ByRepeat by_repeat(const std::vector<const Run*>& runs, const FigureSource& source) {
  ByRepeat values;
  for (const Run* run : runs) {
    if (const auto value = source.read(*run)) values[run->repeat] = *value;
  }
  return values;
}

// What the run's random numbers came from: the seeds of all its workloads.
std::string seed_of(const Run& run) {
  std::string seeds;
  for (const DatabaseResult& database : databases_of(run.result)) {
    seeds += value_at(*database.document, "/workload/seed").dump() + " ";
  }
  return seeds;
}

std::optional<double> spread_under_one_seed(const std::vector<const Run*>& runs,
                                            const FigureSource& throughput) {
  std::map<std::string, std::vector<double>> by_seed;
  for (const Run* run : runs) {
    if (const auto value = throughput.read(*run)) by_seed[seed_of(*run)].push_back(*value);
  }
  std::optional<double> largest;
  for (const auto& [seed, values] : by_seed) {
    if (const auto spread = relative_difference_of_pairs(values)) {
      largest = std::max(largest.value_or(0), *spread);
    }
  }
  return largest;
}

Verdict judge(const RatioInterval& interval, Better better, bool runs_agree) {
  if (interval.repeats < 2) return Verdict::kTooFew;
  if (!runs_agree) return Verdict::kTooNoisy;
  const auto lies_within = [&](double distance) {
    return interval.low >= 1 - distance && interval.high <= 1 + distance;
  };
  if (lies_within(kLeastDifference)) return Verdict::kSame;
  if (interval.covers(1)) return lies_within(kMostSpread) ? Verdict::kSame : Verdict::kTooNoisy;
  if (better == Better::kNeither) return Verdict::kDifferent;
  return (interval.low > 1) == (better == Better::kHigher) ? Verdict::kBetter : Verdict::kWorse;
}

PolicySummary summarize_policy(const Comparison& comparison, const std::string& policy,
                               const std::vector<FigureSource>& sources) {
  PolicySummary summary;
  summary.policy = policy;
  const auto runs = complete_runs(comparison, policy);
  summary.runs = runs.size();
  summary.partial_runs = static_cast<std::size_t>(
      std::count_if(comparison.runs.begin(), comparison.runs.end(),
                    [&](const Run& run) { return run.policy == policy && run.partial; }));
  summary.throughput_spread = spread_under_one_seed(runs, sources.front());
  for (const FigureSource& source : sources) {
    std::vector<double> values;
    for (const Run* run : runs) {
      if (const auto value = source.read(*run)) values.push_back(*value);
    }
    summary.figures[source.figure.key].range = range_of(std::move(values));
  }
  return summary;
}

bool took_turns(const Comparison& comparison, const std::string& one, const std::string& other) {
  auto runs = complete_runs(comparison, one);
  const auto others = complete_runs(comparison, other);
  runs.insert(runs.end(), others.begin(), others.end());
  return took_turns(runs, policies_of(comparison).size());
}

void compare(const Comparison& comparison, const std::vector<FigureSource>& sources,
             const PolicySummary& reference, PolicySummary& policy) {
  const bool agree = reference.agrees() && policy.agrees();
  if (&policy != &reference) {
    policy.took_turns = took_turns(comparison, policy.policy, reference.policy);
  }
  for (const FigureSource& source : sources) {
    FigureSummary& figure = policy.figures[source.figure.key];
    if (&policy == &reference) {
      figure.verdict = figure.range ? Verdict::kReference : Verdict::kNone;
      continue;
    }
    figure.ratio = bootstrap_ratio(by_repeat(complete_runs(comparison, policy.policy), source),
                                   by_repeat(complete_runs(comparison, reference.policy), source),
                                   policy.took_turns, comparison.seed);
    if (figure.ratio) figure.verdict = judge(*figure.ratio, source.figure.better, agree);
  }
}

// A word on what is not the same in all runs though it should be.
void add_difference(const Comparison& comparison, const std::string& what,
                    const std::function<std::string(const Run&)>& read,
                    std::vector<std::string>& differences) {
  std::set<std::string> found;
  for (const Run& run : comparison.runs) found.insert(read(run));
  if (found.size() < 2) return;
  std::string sentence = "Not all runs have the same " + what + ":";
  for (const std::string& one : found) sentence += " " + (one.empty() ? "unknown" : one) + ",";
  sentence.back() = '.';
  differences.push_back(sentence);
}

std::vector<std::string> differences_of(const Comparison& comparison) {
  std::vector<std::string> all;
  add_difference(comparison, "device", [](const Run& run) { return device_text(run.result); }, all);
  add_difference(
      comparison, "RocksDB", [](const Run& run) { return text_at(run.result, "/rocksdb_version"); },
      all);
  add_difference(
      comparison, "scale",
      [](const Run& run) { return value_at(run.result, "/scenario/scale").dump(); }, all);
  add_difference(
      comparison, "objective",
      [](const Run& run) { return value_at(run.result, "/objective").dump(); }, all);
  return all;
}

bool any_has(const std::vector<Run>& runs, const FigureSource& source) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const Run& run) { return source.read(run).has_value(); });
}

// The summary's key of what the objective puts first: "read_p99" is read_p99_us here, and
// front.read_p99_us where there are several databases and the first one that reads is called front.
std::string first_key(const Comparison& comparison, const std::vector<FigureSource>& sources) {
  std::string first;
  for (const Run& run : comparison.runs) {
    if (first.empty()) first = text_at(run.result, "/objective/first");
  }
  if (first.empty()) return "";
  if (first == "throughput") return kThroughput;
  for (const FigureSource& source : sources) {
    const std::string& key = source.figure.key;
    const bool named = key == first || key == first + "_us" || key.ends_with("." + first + "_us");
    if (named && any_has(comparison.runs, source)) return key;
  }
  return "";
}

std::string first_text(const Comparison& comparison, const std::string& path) {
  for (const Run& run : comparison.runs) {
    if (std::string text = text_at(run.result, path); !text.empty()) return text;
  }
  return "";
}

// Throughput, of the whole run, of a database, of a phase.
bool is_throughput(const Figure& figure) {
  return figure.key == kThroughput || figure.key.ends_with(std::string(".") + kThroughput);
}

std::vector<Figure> throughput_of(const std::vector<Figure>& figures) {
  std::vector<Figure> all;
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(all), is_throughput);
  return all;
}

// `summary` before anything in it was compared, and now against this policy; nothing when it did
// not run.
std::optional<Summary> against(const Comparison& comparison, std::vector<FigureSource> sources,
                               const Summary& summary, const std::string& yardstick) {
  Summary other;
  other.reference = yardstick;
  other.policies = summary.policies;
  const auto reference =
      std::find_if(other.policies.begin(), other.policies.end(),
                   [&](const PolicySummary& policy) { return policy.policy == yardstick; });
  if (reference == other.policies.end()) return std::nullopt;
  std::rotate(other.policies.begin(), reference, reference + 1);
  std::erase_if(sources, [](const FigureSource& one) { return !is_throughput(one.figure); });
  for (PolicySummary& policy : other.policies) {
    compare(comparison, sources, other.policies.front(), policy);
  }
  other.figures = throughput_of(summary.figures);
  other.phase_figures = throughput_of(summary.phase_figures);
  return other;
}

bool any_has(const std::vector<PolicySummary>& policies, const std::string& key) {
  return std::any_of(policies.begin(), policies.end(), [&](const PolicySummary& policy) {
    return policy.figure(key)->range.has_value();
  });
}

json optional_json(const auto& value) {
  return value ? json(*value) : json(nullptr);
}

json figure_json(const FigureSummary& figure) {
  json out = {{"median", nullptr}, {"min", nullptr}, {"max", nullptr}, {"repeats", 0}};
  if (figure.range) {
    out = {{"median", figure.range->median},
           {"min", figure.range->least},
           {"max", figure.range->most},
           {"repeats", figure.range->count}};
  }
  out["verdict"] = verdict_text(figure.verdict);
  out["ratio"] = nullptr;
  if (figure.ratio) {
    out["ratio"] = {{"of_medians", figure.ratio->ratio},
                    {"low", figure.ratio->low},
                    {"high", figure.ratio->high},
                    {"repeats", figure.ratio->repeats},
                    {"paired", figure.ratio->paired}};
  }
  return out;
}

json policy_json(const Summary& summary, const PolicySummary& policy) {
  json figures = json::object();
  for (const auto* shown : {&summary.figures, &summary.phase_figures}) {
    for (const Figure& figure : *shown) {
      figures[figure.key] = figure_json(*policy.figure(figure.key));
    }
  }
  return {{"policy", policy.policy},
          {"runs", policy.runs},
          {"partial_runs", policy.partial_runs},
          {"throughput_spread_ratio", optional_json(policy.throughput_spread)},
          {"runs_agree", policy.agrees()},
          {"took_turns", policy.took_turns},
          {"figures", std::move(figures)}};
}

json policies_json(const Summary& summary) {
  json policies = json::array();
  for (const PolicySummary& policy : summary.policies) {
    policies.push_back(policy_json(summary, policy));
  }
  return policies;
}

}  // namespace

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReference:
      return "reference";
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kDifferent:
      return "different";
    case Verdict::kSame:
      return "no difference";
    case Verdict::kTooNoisy:
      return "too noisy to call";
    case Verdict::kTooFew:
      return "too few runs";
    case Verdict::kNone:
      break;
  }
  return "not comparable";
}

bool PolicySummary::agrees() const {
  return throughput_spread.value_or(0) <= kMostSpread;
}

const FigureSummary* PolicySummary::figure(const std::string& key) const {
  const auto found = figures.find(key);
  return found == figures.end() ? nullptr : &found->second;
}

Summary summarize(const Comparison& comparison) {
  Summary summary;
  summary.title = comparison.title;
  summary.reference = comparison.reference;
  summary.command = comparison.command;
  summary.machine = comparison.machine;
  summary.scenario = first_text(comparison, "/scenario/name");
  summary.description = first_text(comparison, "/scenario/description");
  summary.differences = differences_of(comparison);
  summary.replayed = replay_remarks(comparison.runs);
  if (!comparison.runs.empty()) {
    summary.device = device_text(comparison.runs.front().result);
    summary.scale = number_at(comparison.runs.front().result, "/scenario/scale");
  }

  auto sources = figure_sources(comparison.runs);
  const std::size_t of_whole_runs = sources.size();
  for (FigureSource& source : phase_figure_sources(comparison.runs)) {
    sources.push_back(std::move(source));
  }
  summary.first = first_key(comparison, sources);
  for (const std::string& policy : policies_of(comparison)) {
    summary.policies.push_back(summarize_policy(comparison, policy, sources));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!any_has(summary.policies, sources[i].figure.key)) continue;
    (i < of_whole_runs ? summary.figures : summary.phase_figures).push_back(sources[i].figure);
  }
  for (const std::string& yardstick : comparison.yardsticks) {
    auto compared = against(comparison, sources, summary, yardstick);
    if (compared) summary.yardsticks.push_back(std::move(*compared));
  }
  // policies_of() puts the reference first if it ran; without it there is nothing to compare with.
  const bool has_reference =
      !summary.policies.empty() && summary.policies.front().policy == summary.reference;
  for (PolicySummary& policy : summary.policies) {
    if (has_reference) compare(comparison, sources, summary.policies.front(), policy);
  }
  return summary;
}

nlohmann::json summary_json(const Summary& summary) {
  const json policies = policies_json(summary);
  json yardsticks = json::array();
  for (const Summary& one : summary.yardsticks) {
    yardsticks.push_back({{"reference", one.reference}, {"policies", policies_json(one)}});
  }
  const Machine& machine = summary.machine;
  return {{"schema", "rocktune-compare/1"},
          {"title", summary.title},
          {"scenario", summary.scenario.empty() ? json() : json(summary.scenario)},
          {"command", summary.command},
          {"reference", summary.reference},
          {"first", summary.first.empty() ? json() : json(summary.first)},
          {"method", bootstrap_method()},
          {"machine",
           {{"cpu_model", optional_json(machine.cpu_model)},
            {"cpus", optional_json(machine.cpus)},
            {"kernel", optional_json(machine.kernel)},
            {"rocksdb_version", optional_json(machine.rocksdb_version)},
            {"rocksdb_assertions", optional_json(machine.rocksdb_assertions)}}},
          {"device", summary.device},
          {"scale", optional_json(summary.scale)},
          {"differences", summary.differences},
          {"policies", policies},
          {"yardsticks", std::move(yardsticks)}};
}

}  // namespace rocktune::bench::report
