#include "bench/no_harm/verdict.h"

#include <algorithm>
#include <functional>
#include <map>

#include "bench/report/figures.h"

namespace rocktune::bench {
namespace {

using report::median_of;

std::vector<double> values_of_turns(const std::vector<Turn>& turns,
                                    const std::function<double(const Turn&)>& read) {
  std::vector<double> values;
  values.reserve(turns.size());
  for (const Turn& turn : turns) values.push_back(read(turn));
  return values;
}

std::optional<double> median_changes(const std::vector<Turn>& turns) {
  std::vector<double> values;
  for (const Turn& turn : turns) {
    if (turn.changes) values.push_back(static_cast<double>(*turn.changes));
  }
  if (values.empty()) return std::nullopt;
  return median_of(std::move(values));
}

std::optional<double> ratio_of(double policy, double reference) {
  if (reference <= 0) return std::nullopt;
  return policy / reference;
}

bool is_slower(const TurnSide& reference, const TurnSide& policy) {
  const auto ratio = ratio_of(policy.ops_per_second, reference.ops_per_second);
  return ratio.value_or(1) < 1 - kMostBehind;
}

bool is_stalled(const TurnSide& reference, const TurnSide& policy, double seconds) {
  return policy.stalled_seconds - reference.stalled_seconds > kMostBehind * seconds;
}

// Of a scenario that took all its turns.
Harm judged(const ScenarioVerdict& verdict) {
  if (!verdict.slower && !verdict.stalled) return Harm::kCleared;
  const double deficit = 1 - verdict.throughput_ratio.value_or(1);
  const double stalled = verdict.policy.stalled_seconds - verdict.reference.stalled_seconds;
  const std::size_t every = verdict.turns - verdict.turns / kTurnsForOneOtherwise;
  const bool beyond_noise =
      (verdict.slower && deficit > verdict.reference_spread.value_or(0) &&
       verdict.slower_turns >= every) ||
      (verdict.stalled && stalled > verdict.reference_stalled_spread.value_or(0) &&
       verdict.stalled_turns >= every);
  return beyond_noise ? Harm::kHarm : Harm::kTooNoisy;
}

const report::FigureSource* source_named(const std::vector<report::FigureSource>& sources,
                                         const std::string& key) {
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const auto& one) { return one.figure.key == key; });
  return found == sources.end() ? nullptr : &*found;
}

}  // namespace

std::string harm_text(Harm harm) {
  switch (harm) {
    case Harm::kNone:
      return "no harm";
    case Harm::kCleared:
      return "cleared";
    case Harm::kTooNoisy:
      return "too noisy to call";
    case Harm::kHarm:
      return "harm";
    case Harm::kUnfinished:
      break;
  }
  return "unfinished";
}

bool fell_behind(const Turn& turn, double seconds) {
  return is_slower(turn.reference, turn.policy) || is_stalled(turn.reference, turn.policy, seconds);
}

ScenarioVerdict judge_scenario(const std::vector<Turn>& turns, double seconds,
                               std::size_t confirm) {
  ScenarioVerdict verdict;
  verdict.turns = turns.size();
  if (turns.empty()) return verdict;
  const auto median = [&](const std::function<double(const Turn&)>& read) {
    return median_of(values_of_turns(turns, read));
  };
  const auto ops = [](const Turn& turn) { return turn.reference.ops_per_second; };
  const auto stalled = [](const Turn& turn) { return turn.reference.stalled_seconds; };
  verdict.reference = {median(ops), median(stalled)};
  verdict.policy = {median([](const Turn& turn) { return turn.policy.ops_per_second; }),
                    median([](const Turn& turn) { return turn.policy.stalled_seconds; })};
  verdict.reference_spread = report::relative_difference_of_pairs(values_of_turns(turns, ops));
  verdict.reference_stalled_spread = report::difference_of_pairs(values_of_turns(turns, stalled));
  verdict.throughput_ratio =
      ratio_of(verdict.policy.ops_per_second, verdict.reference.ops_per_second);
  verdict.changes = median_changes(turns);
  verdict.slower = is_slower(verdict.reference, verdict.policy);
  verdict.stalled = is_stalled(verdict.reference, verdict.policy, seconds);
  for (const Turn& turn : turns) {
    if (turn.policy.ops_per_second < turn.reference.ops_per_second) ++verdict.slower_turns;
    if (turn.policy.stalled_seconds > turn.reference.stalled_seconds) ++verdict.stalled_turns;
  }
  if (!fell_behind(turns.front(), seconds)) {
    verdict.harm = Harm::kNone;
  } else if (turns.size() > confirm) {
    verdict.harm = judged(verdict);
  }
  return verdict;
}

OverallVerdict judge_all(const std::vector<Turn>& first_turns, std::uint64_t seed) {
  OverallVerdict verdict;
  verdict.scenarios = first_turns.size();
  std::vector<double> ratios;
  for (const Turn& turn : first_turns) {
    verdict.reference_stalled_seconds += turn.reference.stalled_seconds;
    verdict.policy_stalled_seconds += turn.policy.stalled_seconds;
    if (const auto ratio = ratio_of(turn.policy.ops_per_second, turn.reference.ops_per_second)) {
      ratios.push_back(*ratio);
    }
  }
  verdict.throughput_ratio = report::bootstrap_geometric_mean(ratios, seed);
  return verdict;
}

Result<std::vector<Turn>> turns_of(const std::vector<report::Run>& runs,
                                   const std::string& reference, const std::string& policy) {
  const auto sources = report::figure_sources(runs);
  const report::FigureSource* ops = source_named(sources, report::kThroughput);
  const report::FigureSource* stalled = source_named(sources, report::kStallSeconds);
  std::map<std::int64_t, std::pair<const report::Run*, const report::Run*>> by_repeat;
  for (const report::Run& run : runs) {
    if (run.partial) continue;
    if (run.policy == reference) by_repeat[run.repeat].first = &run;
    if (run.policy == policy) by_repeat[run.repeat].second = &run;
  }
  std::vector<Turn> turns;
  for (const auto& [repeat, sides] : by_repeat) {
    if (sides.first == nullptr || sides.second == nullptr) continue;
    const auto own_ops = ops->read(*sides.second), own_stalled = stalled->read(*sides.second);
    const auto ops_of_other = ops->read(*sides.first);
    const auto stalled_of_other = stalled->read(*sides.first);
    if (!own_ops || !own_stalled || !ops_of_other || !stalled_of_other) {
      return fail(ErrorCode::kCorrupt, "a run of repeat " + std::to_string(repeat) +
                                           " says nothing of throughput or stalls");
    }
    turns.push_back(
        {{*ops_of_other, *stalled_of_other}, {*own_ops, *own_stalled}, sides.second->changes});
  }
  return turns;
}

}  // namespace rocktune::bench
