#include "bench/compare/runs.h"

#include <cmath>
#include <filesystem>
#include <set>

#include "bench/cli/stop.h"
#include "bench/compare/finished_trial.h"
#include "bench/compare/shared.h"
#include "bench/report/result_reader.h"
#include "bench/text_file.h"
#include "bench/trial/loaded_database.h"
#include "model/text.h"
#include "scenario/device/spec.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

constexpr const char* kSearch = "search.json";
constexpr const char* kSearchSchema = "rocktune-compare-search/3";

std::string run_name(const PlannedRun& planned) {
  return planned.policy + " " + std::to_string(planned.repeat);
}

json search_json(const std::vector<SearchedRun>& runs, const std::vector<StaticSetting>& settings,
                 Ranking ranking, const std::optional<StaticSetting>& best) {
  json out = {
      {"schema", kSearchSchema},
      {"ranked_by", ranking == Ranking::kMostWork ? "ops_per_second"
                                                  : "operations_within_the_objective_per_second"},
      {"settings", json::array()},
      {"runs", json::array()}};
  for (const StaticSetting& setting : settings) {
    out["settings"].push_back({{"name", setting.name}, {"options", setting.options}});
  }
  for (const SearchedRun& run : runs) {
    out["runs"].push_back({{"round", run.round},
                           {"setting", run.setting},
                           {"repeat", run.repeat},
                           {"operations_within_the_objective_per_second", run.score.goodput},
                           {"ops_per_second", run.score.throughput},
                           {"latency_over_limit", run.score.latency}});
  }
  out["best"] = best ? json(best->name) : json(nullptr);
  return out;
}

}  // namespace

Result<void> CompareRuns::make(const std::vector<std::string>& policies) {
  std::vector<PlannedRun> missing;
  std::set<std::string> configurations;
  bool needs_best = false;
  for (PlannedRun& planned : planned_runs(policies, settings_.repeat, settings_.seed)) {
    if (directory_.has(planned.policy, planned.repeat)) continue;
    needs_best = needs_best || planned.policy == kBestStatic;
    const auto setup = policy_setup(planned.policy, scenario_, {});
    if (!setup) return tl::unexpected(setup.error());
    configurations.insert(setup->configuration);
    missing.push_back(std::move(planned));
  }
  // All before the first run, so that none stands between two that take turns.
  for (const std::string& configuration : configurations) {
    if (auto loaded = load(configuration); !loaded || stop_requested()) return loaded;
  }
  if (needs_best) {
    if (auto found = find_best_static(); !found || stop_requested()) return found;
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (auto made = make_run(missing[i], i + 1, missing.size()); !made || stop_requested()) {
      return made;
    }
  }
  return {};
}

TrialSubject CompareRuns::subject(const std::string& configuration) const {
  TrialSubject subject;
  subject.configuration = configuration;
  subject.scenario = settings_.scenario;
  subject.full = settings_.full;
  subject.device = settings_.device;
  subject.seconds = settings_.seconds;
  return subject;
}

double CompareRuns::seconds() const {
  return settings_.seconds > 0 ? settings_.seconds : scenario_.seconds();
}

Watcher CompareRuns::watcher(const std::string& what) {
  Watcher watcher;
  watcher.event = [this, what](const json& event) {
    const std::string kind = event.value("event", "");
    const bool several = scenario_.databases.size() > 1;
    const std::string whose = several ? what + " " + event.value("database", "") : what;
    if (kind == "second") screen_.progress(second_text(whose, event));
    if (kind == "loading") {
      screen_.progress("[" + whose + "] " +
                       std::to_string(event.value("records", std::int64_t{0})) + " records" +
                       (event.value("settling", false) ? ", settling" : ""));
    }
  };
  return watcher;
}

Result<void> CompareRuns::load(const std::string& configuration) {
  if (auto same = check_programs(kComparedPrograms, programs_); !same) return same;
  auto loaded = loaded_database(subject(configuration), directory_.path(), watcher("load"));
  screen_.end_progress();
  if (!loaded) return tl::unexpected(loaded.error());
  loaded_[configuration] = loaded->value_or("");
  return {};
}

Result<void> CompareRuns::find_best_static() {
  const auto settings = static_settings(scenario_);
  if (!settings) return tl::unexpected(settings.error());
  auto known = read_search();
  if (!known) return tl::unexpected(known.error());
  screen_.say("best-static: searching among " + std::to_string(settings->size()) + " settings");
  const auto best = search(*settings, ranking_for(scenario_.objective), *known,
                           [&](const StaticSetting& setting, std::size_t round,
                               double share) -> Result<std::optional<Score>> {
                             // What is known so far must outlive a stop in this run.
                             if (auto written = write_search(*known, {}); !written) {
                               return tl::unexpected(written.error());
                             }
                             return try_setting(setting, round, share);
                           });
  if (!best) return tl::unexpected(best.error());
  if (auto written = write_search(*known, *best); !written) return written;
  if (!*best) return {};
  best_options_ = (*best)->options;
  screen_.say("best-static: " + (*best)->name);
  return {};
}

Result<std::optional<Score>> CompareRuns::try_setting(const StaticSetting& setting,
                                                      std::size_t round, double share_of_seconds) {
  if (auto same = check_programs(kComparedPrograms, programs_); !same) {
    return tl::unexpected(same.error());
  }
  auto place = directory_.trial_directory("search");
  if (!place) return tl::unexpected(place.error());
  TrialPlan plan{subject(), loaded_[""], *place, {}, {}};
  plan.subject.options = setting.options;
  const auto shortened = shorter_seconds(seconds(), share_of_seconds);
  if (shortened) plan.subject.seconds = *shortened;
  if (shortened &&
      !settings_.device.empty()) {  // has times of its own, which `run` leaves as they are
    auto device = scenario::stretched_device(settings_.device, plan.subject.seconds / seconds());
    if (!device) return tl::unexpected(device.error());
    plan.subject.device = std::move(*device);
  }
  const auto outcome = run_trial(plan, watcher("search"));
  screen_.end_progress();
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->partial || !outcome->run.is_object()) return std::optional<Score>();
  const Score score = score_of(outcome->run);
  screen_.say("  round " + std::to_string(round + 1) + ", " + setting.name + ": " +
              text::number(score.goodput, 0) + " ops/s within the objective of " +
              text::number(score.throughput, 0) + ", the slowest P99 " +
              text::number(score.latency, 2) + " of its limit");
  return score;
}

Result<std::vector<SearchedRun>> CompareRuns::read_search() const try {
  std::vector<SearchedRun> known;
  const std::string path = directory_.path() + "/" + kSearch;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return known;
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  const json document = json::parse(*text);
  for (const json& run : document.at("runs")) {
    known.push_back({run.at("round"),
                     run.at("setting"),
                     {run.at("operations_within_the_objective_per_second"),
                      run.at("ops_per_second"), run.at("latency_over_limit")},
                     run.at("repeat")});
  }
  return known;
} catch (const json::exception& error) {
  return fail(ErrorCode::kCorrupt, directory_.path() + "/" + kSearch + ": " + error.what() +
                                       " (remove it to search anew)");
}

Result<void> CompareRuns::write_search(const std::vector<SearchedRun>& runs,
                                       const std::optional<StaticSetting>& best) {
  const auto settings = static_settings(scenario_);
  if (!settings) return tl::unexpected(settings.error());
  return directory_.write(
      kSearch, search_json(runs, *settings, ranking_for(scenario_.objective), best).dump(1) + "\n");
}

Result<void> CompareRuns::make_run(const PlannedRun& planned, std::size_t number, std::size_t of) {
  if (auto same = check_programs(kComparedPrograms, programs_); !same) return same;
  auto setup = policy_setup(planned.policy, scenario_, best_options_);
  if (!setup) return tl::unexpected(setup.error());
  if (settings_.traces && !setup->daemon) setup->daemon = observing_daemon(scenario_);
  auto place = directory_.trial_directory(planned.policy + "-" + std::to_string(planned.repeat));
  if (!place) return tl::unexpected(place.error());
  screen_.say("run " + std::to_string(number) + " of " + std::to_string(of) + ": " +
              run_name(planned));
  const std::string& configuration = setup->configuration;
  TrialPlan plan{subject(configuration), loaded_[configuration], *place, setup->daemon, {}};
  plan.subject.options = setup->options;
  auto outcome = run_trial(plan, watcher(run_name(planned)));
  screen_.end_progress();
  if (!outcome) return tl::unexpected(outcome.error().within(run_name(planned)));
  if (!outcome->run.is_object()) return {};  // stopped before anything was measured
  if (setup->daemon && !outcome->partial) {
    if (auto served = check_served(outcome->run); !served) {
      return tl::unexpected(served.error().within(run_name(planned)));
    }
  }
  return directory_.add(finished_trial(planned, *setup, std::move(*outcome), *place));
}

}  // namespace rocktune::bench
