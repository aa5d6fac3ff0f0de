#include "bench/compare/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "bench/compare/policies.h"
#include "bench/report/result_reader.h"
#include "bench/report/statistics.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

// Of the device's write bandwidth; 0: no limit. Reads and compactions share the device, so a limit
// between "some of it" and "a little of it" is what is worth trying.
constexpr std::array<double, 3> kRateShares = {0, 0.25, 0.0625};
constexpr std::array<double, 4> kMemtableFactors = {1, 0.5, 2, 4};
// Of the size of single background writes, where that leaves 64 KiB (what the scale leaves, too):
// reads wait behind them.
constexpr std::array<double, 2> kWriteSizeFactors = {1, 0.125};
constexpr double kLeastWriteBytes = 64 << 10;
// A cache below this share of the memory is no sensible split.
constexpr double kLeastCacheShare = 0.2;
// Runs of one setting differ by this: beyond it one is better.
constexpr double kSameScore = 0.01;
// Of each setting in the last round: a single run chose one in `diurnal` whose reads took 122
// times static's P99 when it ran again (docs/results.md).
constexpr std::size_t kLastRoundRepeats = 3;
// A setting that is tried more briefly than this shows nothing of its compactions.
constexpr double kShortestTrySeconds = 4;

struct Choice {
  double rate_share = 0;
  std::int64_t jobs = 2;
  double memtables = 1;
  double write_size = 1;
};

std::string name_of(const Choice& choice) {
  char text[96];
  const std::string rate = choice.rate_share > 0
                               ? "rate 1/" + std::to_string(std::lround(1 / choice.rate_share)) +
                                     " of the device's writes"
                               : "no rate limit";
  std::snprintf(text, sizeof text, ", %d jobs, memtables x%g", static_cast<int>(choice.jobs),
                choice.memtables);
  return rate + text + (choice.write_size < 1 ? ", smaller single writes" : "");
}

// Nothing when the memory has no room for it.
std::optional<StaticSetting> setting_of(const scenario::Scenario& scenario, const Choice& choice,
                                        std::int64_t device_rate) {
  StaticSetting setting{name_of(choice), {}};
  for (const scenario::ScenarioDatabase& database : scenario.databases) {
    const auto add = [&](const char* key, std::int64_t value) {
      setting.options.push_back(option_of(scenario, database, key, std::to_string(value)));
    };
    const std::int64_t memory = scenario::memory_share(scenario, database);
    const auto memtables = static_cast<std::int64_t>(
        std::llround(static_cast<double>(scenario::memtable_bytes(database)) * choice.memtables));
    const std::int64_t cache = memory - memtables;
    if (static_cast<double>(cache) < kLeastCacheShare * static_cast<double>(memory)) {
      return std::nullopt;
    }
    add("rate_limit", std::llround(static_cast<double>(device_rate) * choice.rate_share));
    add("max_background_jobs", choice.jobs);
    add("write_buffer_size",
        std::llround(static_cast<double>(database.configuration.write_buffer_bytes) *
                     choice.memtables));
    add("block_cache", cache);
    if (choice.write_size == 1) continue;
    const double write = choice.write_size *
                         static_cast<double>(database.configuration.writable_file_max_buffer_bytes);
    if (write < kLeastWriteBytes) return std::nullopt;
    add("writable_file_max_buffer_size", std::llround(write));
  }
  return setting;
}

// Joins a second of the run to the sums: all its operations, and those within the limits.
void add_second(const json& second, const json& phase,
                const std::vector<report::LatencyLimit>& limits, double& within, double& all) {
  const double done = report::number_at(second, "/operations_done").value_or(0);
  all += done;
  const bool kept = std::none_of(limits.begin(), limits.end(), [&](const auto& limit) {
    return report::second_is_above(second, phase, limit).value_or(false);
  });
  if (kept) within += done;
}

const SearchedRun* find(const std::vector<SearchedRun>& known, std::size_t round,
                        const std::string& setting, std::size_t repeat) {
  for (const SearchedRun& run : known) {
    if (run.round == round && run.setting == setting && run.repeat == repeat) return &run;
  }
  return nullptr;
}

// Part by part.
Score median_of_scores(const std::vector<Score>& scores) {
  const auto median = [&](double Score::* part) {
    std::vector<double> values;
    values.reserve(scores.size());
    for (const Score& score : scores) values.push_back(score.*part);
    return report::median_of(std::move(values));
  };
  return {median(&Score::goodput), median(&Score::throughput), median(&Score::latency)};
}

struct RoundPlace {
  std::size_t number = 0;
  SearchRound round;
};

// What each of the settings comes to in a round: whatever drifts on the machine meets all of them
// alike. Nothing when it was stopped.
Result<std::optional<std::vector<Score>>> scores_of_round(
    const std::vector<StaticSetting>& settings, const RoundPlace& place,
    std::vector<SearchedRun>& known, const Measure& measure) {
  std::vector<std::vector<Score>> runs(settings.size());
  for (std::size_t repeat = 1; repeat <= place.round.repeats; ++repeat) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const StaticSetting& setting = settings[i];
      if (const SearchedRun* before = find(known, place.number, setting.name, repeat)) {
        runs[i].push_back(before->score);
        continue;
      }
      auto score = measure(setting, place.number, place.round.share_of_seconds);
      if (!score) return tl::unexpected(score.error());
      if (!*score) return std::optional<std::vector<Score>>();
      known.push_back({place.number, setting.name, **score, repeat});
      runs[i].push_back(**score);
    }
  }
  std::vector<Score> scores;
  scores.reserve(runs.size());
  for (const std::vector<Score>& of : runs) scores.push_back(median_of_scores(of));
  return scores;
}

}  // namespace

Result<std::vector<StaticSetting>> static_settings(const scenario::Scenario& scenario) {
  const auto device_rate = scenario::device_write_rate(scenario);
  if (!device_rate) return tl::unexpected(device_rate.error());
  std::vector<StaticSetting> settings = {{"as configured", {}}};
  std::vector<std::int64_t> jobs = {2};
  const std::int64_t share = scenario::jobs_share(scenario, machine_cpus());
  if (share > 2) jobs.push_back(share);
  for (const double rate : kRateShares) {
    for (const std::int64_t number : jobs) {
      for (const double memtables : kMemtableFactors) {
        for (const double write_size : kWriteSizeFactors) {
          const Choice choice{rate, number, memtables, write_size};
          auto setting = setting_of(scenario, choice, *device_rate);
          if (setting) settings.push_back(std::move(*setting));
        }
      }
    }
  }
  return settings;
}

Score score_of(const json& run) {
  const auto limits = report::latency_limits(run);
  Score score;
  for (const auto& database : report::databases_of(run)) {
    double within = 0;
    double all = 0;
    for (const json& phase : report::array_at(*database.document, "/phases")) {
      for (const json& second : report::array_at(phase, "/per_second")) {
        add_second(second, phase, limits, within, all);
      }
    }
    const double length = report::number_at(*database.document, "/total/seconds").value_or(0);
    if (length <= 0) continue;
    score.goodput += within / length;
    score.throughput += all / length;
    for (const report::LatencyLimit& limit : limits) {
      const auto value = report::number_at(
          *database.document, "/total/operations/" + limit.operation + "/" + limit.percentile);
      if (limit.limit_us > 0) {
        score.latency = std::max(score.latency, value.value_or(0) / limit.limit_us);
      }
    }
  }
  return score;
}

Ranking ranking_for(const scenario::Objective& objective) {
  return objective.first == "throughput" ? Ranking::kMostWork : Ranking::kMostWithinLimits;
}

std::vector<std::size_t> ranked(const std::vector<Score>& scores, Ranking ranking) {
  const bool work = ranking == Ranking::kMostWork;
  const auto first_of = [&](const Score& score) { return work ? score.throughput : score.goodput; };
  const auto next_of = [&](const Score& score) { return work ? score.goodput : score.throughput; };
  const auto near = [](double value, double most) { return value >= (1 - kSameScore) * most; };
  double most_first = 0, most_next = 0;
  for (const Score& score : scores) most_first = std::max(most_first, first_of(score));
  for (const Score& score : scores) {
    if (near(first_of(score), most_first)) most_next = std::max(most_next, next_of(score));
  }
  // Smaller is better, part by part.
  const auto key = [&](const Score& score) {
    const bool first = near(first_of(score), most_first);
    const bool second = first && near(next_of(score), most_next);
    const double behind = 2.0 - (first ? 1 : 0) - (second ? 1 : 0);
    return std::array<double, 4>{behind, second ? score.latency : 0, first ? 0 : -first_of(score),
                                 -next_of(score)};
  };
  std::vector<std::size_t> places(scores.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return key(scores[a]) < key(scores[b]); });
  return places;
}

std::vector<SearchRound> search_rounds(std::size_t settings) {
  const std::size_t third = std::max<std::size_t>(1, (settings + 2) / 3);
  return {{0.25, third}, {0.5, std::min<std::size_t>(2, third)}, {1, 1, kLastRoundRepeats}};
}

std::optional<double> shorter_seconds(double whole_run, double share_of_seconds) {
  const double seconds = std::max(whole_run * share_of_seconds, kShortestTrySeconds);
  return seconds < whole_run ? std::optional(seconds) : std::nullopt;
}

Result<std::optional<StaticSetting>> search(const std::vector<StaticSetting>& settings,
                                            Ranking ranking, std::vector<SearchedRun>& known,
                                            const Measure& measure) {
  std::vector<StaticSetting> left = settings;
  const std::vector<SearchRound> rounds = search_rounds(settings.size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const auto scores = scores_of_round(left, {round, rounds[round]}, known, measure);
    if (!scores) return tl::unexpected(scores.error());
    if (!*scores) return std::optional<StaticSetting>();
    // Equal scores keep the grid's order: the plainer setting first.
    const std::vector<StaticSetting> tried = std::exchange(left, {});
    for (const std::size_t place : ranked(**scores, ranking)) {
      if (left.size() < rounds[round].keep) left.push_back(tried[place]);
    }
    const bool last = round + 1 == rounds.size();
    if (!last && std::find(left.begin(), left.end(), settings.front()) == left.end()) {
      left.push_back(settings.front());
    }
  }
  return left.front();
}

}  // namespace rocktune::bench
