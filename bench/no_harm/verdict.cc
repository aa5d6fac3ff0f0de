#include "bench/no_harm/verdict.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "bench/report/figures.h"
#include "bench/report/result_reader.h"
#include "scenario/workload/operation.h"

namespace rocktune::bench {
namespace {

using report::median_of;

// How a measure is read and judged.
struct HarmKind {
  const char* text;
  std::optional<double> (*read)(const TurnSide&);
  bool as_share;        // of static's; otherwise seconds
  bool more_is_better;  // throughput alone
  double tolerated;     // that share, or a share of the run's length
  double least;         // what counts at all, in its own unit
  bool without_bound;   // runs differ by so much that all of a side have to be apart
};

using Value = std::optional<double>;
constexpr std::array<HarmKind, kMeasures> kHarmKinds = {{
    {"throughput", [](const TurnSide& side) { return Value(side.ops_per_second); }, true, true,
     kMostBehind, 0, false},
    {"time stalled", [](const TurnSide& side) { return Value(side.stalled_seconds); }, false, false,
     kMostBehind, 0, false},
    {"read P99", [](const TurnSide& side) { return side.read_p99_us; }, true, false, kMostSlowerP99,
     kLeastSlowerP99Us, true},
    {"write P99", [](const TurnSide& side) { return side.write_p99_us; }, true, false,
     kMostSlowerP99, kLeastSlowerP99Us, true},
    {"time above the SLO", [](const TurnSide& side) { return side.above_slo_seconds; }, false,
     false, kMostAboveSlo, kSloGrainSeconds, false},
}};

const HarmKind& harm_kind(HarmMeasure measure) {
  return kHarmKinds[static_cast<std::size_t>(measure)];
}

// As Standing::lag.
std::optional<double> lag_of(const HarmKind& kind, const TurnSide& reference,
                             const TurnSide& policy) {
  const auto other = kind.read(reference), own = kind.read(policy);
  if (!other || !own || (kind.as_share && *other <= 0)) return std::nullopt;
  if (std::abs(*own - *other) <= kind.least) return 0;
  if (!kind.as_share) return *own - *other;
  const double more = *own / *other - 1;
  return kind.more_is_better ? -more : more;
}

double tolerated_by(const HarmKind& kind, double seconds) {
  return kind.as_share ? kind.tolerated : kind.tolerated * seconds + kind.least;
}

bool is_behind(const HarmKind& kind, const TurnSide& reference, const TurnSide& policy,
               double seconds) {
  const auto lag = lag_of(kind, reference, policy);
  return lag && *lag > tolerated_by(kind, seconds);
}

// Of the turns that have it.
std::vector<double> values_of_turns(const std::vector<Turn>& turns,
                                    const std::function<Value(const Turn&)>& read) {
  std::vector<double> values;
  for (const Turn& turn : turns) {
    if (const auto value = read(turn)) values.push_back(*value);
  }
  return values;
}

Value median_of_turns(const std::vector<Turn>& turns,
                      const std::function<Value(const Turn&)>& read) {
  auto values = values_of_turns(turns, read);
  return values.empty() ? std::nullopt : Value(median_of(std::move(values)));
}

TurnSide median_side(const std::vector<Turn>& turns, TurnSide Turn::* side) {
  const auto median = [&](HarmMeasure measure) {
    return median_of_turns(turns,
                           [&](const Turn& turn) { return harm_kind(measure).read(turn.*side); });
  };
  return {median(HarmMeasure::kThroughput).value_or(0), median(HarmMeasure::kStalled).value_or(0),
          median(HarmMeasure::kReadP99), median(HarmMeasure::kWriteP99),
          median(HarmMeasure::kAboveSlo)};
}

Standing standing_by(const HarmKind& kind, const std::vector<Turn>& turns,
                     const ScenarioVerdict& medians, double seconds) {
  Standing standing;
  standing.lag = lag_of(kind, medians.reference, medians.policy);
  standing.behind = is_behind(kind, medians.reference, medians.policy, seconds);
  const auto own =
      values_of_turns(turns, [&](const Turn& turn) { return kind.read(turn.reference); });
  standing.spread =
      kind.as_share ? report::relative_difference_of_pairs(own) : report::difference_of_pairs(own);
  // In the unit of the lag, which has no bound: a share of the smaller one.
  if (kind.without_bound && standing.spread) {
    standing.spread = 2 * *standing.spread / (2 - *standing.spread);
  }
  const auto slowest = std::max_element(own.begin(), own.end());
  const auto trails = [&](const Turn& turn) {
    if (kind.without_bound) return kind.read(turn.policy).value_or(0) > *slowest;
    return lag_of(kind, turn.reference, turn.policy).value_or(0) > 0;
  };
  standing.turns =
      own.empty() ? 0 : static_cast<std::size_t>(std::count_if(turns.begin(), turns.end(), trails));
  return standing;
}

// Of a scenario that took all its turns.
Harm judged(const ScenarioVerdict& verdict, bool fell_behind_first) {
  const std::size_t every = verdict.turns - verdict.turns / kTurnsForOneOtherwise;
  bool behind = false, beyond_noise = false;
  for (std::size_t i = 0; i < kMeasures; ++i) {
    const Standing& one = verdict.standings[i];
    if (!one.behind) continue;
    behind = true;
    beyond_noise = beyond_noise || (*one.lag > one.spread.value_or(0) && one.turns >= every);
  }
  if (!behind) return fell_behind_first ? Harm::kCleared : Harm::kNone;
  return beyond_noise ? Harm::kHarm : Harm::kTooNoisy;
}

// A kind of operations of one database in a run.
struct KindFigures {
  double count = 0;
  double p99_us = 0;  // the larger of the P99 and the one at any moment
};
using Kinds = std::map<std::pair<std::string, std::string>, KindFigures>;

Kinds kinds_of(const report::Run& run, bool reads) {
  Kinds out;
  for (const report::DatabaseResult& database : report::databases_of(run.result)) {
    for (const auto& [name, latency] :
         report::object_at(*database.document, "/total/operations").items()) {
      const auto operation = scenario::operation_named(name);
      const double p99 = std::max(report::number_at(latency, "/p99_us").value_or(0),
                                  report::number_at(latency, "/any_moment_p99_us").value_or(0));
      if (!operation || scenario::is_read(*operation) != reads || p99 <= 0) continue;
      out[{database.name, name}] = {report::number_at(latency, "/count").value_or(0), p99};
    }
  }
  return out;
}

// What the policy's P99 of a kind is held to be. Infinite where that is next to nothing:
// whoever asks waits for ever. Hardly fewer are no starvation: their P99 is about the slowest.
double p99_beside(const KindFigures& reference, const Kinds& kinds, const Kinds::key_type& kind) {
  const auto found = kinds.find(kind);
  const KindFigures own = found == kinds.end() ? KindFigures{} : found->second;
  const bool starved =
      own.count < std::min(kLeastOperations, kStarvedShare * reference.count) || own.p99_us <= 0;
  return starved ? kStarved : own.p99_us;
}

using KindNames = std::vector<Kinds::key_type>;

// Those of which static did enough, in the median of its runs: medians and spreads are of the same
// kinds in every turn.
KindNames kinds_done(const std::vector<const report::Run*>& references, bool reads) {
  std::map<Kinds::key_type, std::vector<double>> counts;
  for (const report::Run* run : references) {
    for (const auto& [kind, figures] : kinds_of(*run, reads)) counts[kind].push_back(figures.count);
  }
  KindNames done;
  for (auto& [kind, of_runs] : counts) {
    of_runs.resize(references.size());  // none of it in the others
    if (median_of(of_runs) >= kLeastOperations) done.push_back(kind);
  }
  return done;
}

// Both sides are of those kinds, whatever became of them under the policy. A turn in which static
// did none of one has no P99 on either.
void add_p99s(const report::Run& reference, const report::Run& policy, const KindNames& kinds,
              bool reads, std::optional<double> TurnSide::* p99, Turn& turn) {
  const Kinds others = kinds_of(reference, reads), own = kinds_of(policy, reads);
  double of_static = 0, of_policy = 0;  // logarithms
  for (const Kinds::key_type& kind : kinds) {
    const auto found = others.find(kind);
    if (found == others.end()) return;
    of_static += std::log(found->second.p99_us);
    of_policy += std::log(p99_beside(found->second, own, kind));
  }
  if (kinds.empty()) return;
  turn.reference.*p99 = std::exp(of_static / static_cast<double>(kinds.size()));
  turn.policy.*p99 = std::exp(of_policy / static_cast<double>(kinds.size()));
}

// Without its P99s. Nothing where the run lacks what every run has.
std::optional<TurnSide> side_of(const report::Run& run,
                                const std::vector<report::FigureSource>& sources) {
  const auto figure = [&](const std::string& key) {
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const auto& one) { return one.figure.key == key; });
    return found == sources.end() ? std::nullopt : found->read(run);
  };
  const auto ops = figure(report::kThroughput), stalled = figure(report::kStallSeconds);
  if (!ops || !stalled) return std::nullopt;
  return TurnSide{*ops, *stalled, {}, {}, figure(report::kSecondsAboveSlo)};
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

std::string measure_text(HarmMeasure measure) {
  return harm_kind(measure).text;
}

double tolerated(HarmMeasure measure, double seconds) {
  return tolerated_by(harm_kind(measure), seconds);
}

std::optional<double> ScenarioVerdict::throughput_ratio() const {
  if (reference.ops_per_second <= 0) return std::nullopt;
  return policy.ops_per_second / reference.ops_per_second;
}

bool fell_behind(const Turn& turn, double seconds) {
  return std::any_of(kHarmKinds.begin(), kHarmKinds.end(), [&](const HarmKind& kind) {
    return is_behind(kind, turn.reference, turn.policy, seconds);
  });
}

ScenarioVerdict judge_scenario(const std::vector<Turn>& turns, double seconds,
                               std::size_t confirm) {
  ScenarioVerdict verdict;
  verdict.turns = turns.size();
  if (turns.empty()) return verdict;
  verdict.reference = median_side(turns, &Turn::reference);
  verdict.policy = median_side(turns, &Turn::policy);
  verdict.changes = median_of_turns(turns, [](const Turn& turn) {
    return turn.changes ? Value(static_cast<double>(*turn.changes)) : std::nullopt;
  });
  for (std::size_t i = 0; i < kMeasures; ++i) {
    verdict.standings[i] = standing_by(kHarmKinds[i], turns, verdict, seconds);
  }
  const bool behind = fell_behind(turns.front(), seconds);
  if (turns.size() > confirm) {
    verdict.harm = judged(verdict, behind);
  } else if (!behind) {
    verdict.harm = Harm::kNone;
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
    if (turn.reference.ops_per_second > 0) {
      ratios.push_back(turn.policy.ops_per_second / turn.reference.ops_per_second);
    }
  }
  verdict.throughput_ratio = report::bootstrap_geometric_mean(ratios, seed);
  return verdict;
}

Result<std::vector<Turn>> turns_of(const std::vector<report::Run>& runs,
                                   const std::string& reference, const std::string& policy) {
  const auto sources = report::figure_sources(runs);
  std::map<std::int64_t, std::pair<const report::Run*, const report::Run*>> by_repeat;
  for (const report::Run& run : runs) {
    if (run.partial) continue;
    if (run.policy == reference) by_repeat[run.repeat].first = &run;
    if (run.policy == policy) by_repeat[run.repeat].second = &run;
  }
  std::erase_if(by_repeat, [](const auto& one) { return !one.second.first || !one.second.second; });
  std::vector<const report::Run*> references;
  references.reserve(by_repeat.size());
  for (const auto& [repeat, sides] : by_repeat) references.push_back(sides.first);
  const KindNames reads = kinds_done(references, true), writes = kinds_done(references, false);
  std::vector<Turn> turns;
  for (const auto& [repeat, sides] : by_repeat) {
    const auto& [of_static, of_policy] = sides;
    const auto own = side_of(*of_policy, sources), other = side_of(*of_static, sources);
    if (!own || !other) {
      return fail(ErrorCode::kCorrupt, "a run of repeat " + std::to_string(repeat) +
                                           " says nothing of throughput or stalls");
    }
    turns.push_back({*other, *own, of_policy->changes});
    add_p99s(*of_static, *of_policy, reads, true, &TurnSide::read_p99_us, turns.back());
    add_p99s(*of_static, *of_policy, writes, false, &TurnSide::write_p99_us, turns.back());
  }
  return turns;
}

}  // namespace rocktune::bench
