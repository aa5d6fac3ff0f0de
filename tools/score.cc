// rocktune score: how good the early warnings are, on recorded runs.
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "prior/prior.h"
#include "score/evaluation.h"
#include "score/events.h"
#include "tools/claims.h"
#include "tools/command.h"
#include "tools/score_runs.h"
#include "tools/score_text.h"
#include "tools/status_line.h"
#include "tools/text.h"
#include "trace/json_text.h"

namespace rocktune::tools {
namespace {

// As --model names it: what each run's engine began with.
constexpr std::string_view kRecordedPrior = "recorded";

struct ScoreOptions {
  std::vector<std::string> traces;
  std::vector<std::string> detectors;
  std::vector<std::size_t> horizons = {10, 30, 60};
  std::vector<std::string> train, hold_out;
  std::string model = std::string(kBuiltinPrior);
  std::optional<double> per_hour, per_day;  // one of them at most
  double actuation_seconds = 1;
  std::uint64_t seed = score::kDefaultSeed;
  bool json = false;
};

Result<score::EvaluationRequest> request_of(const ScoreOptions& options) {
  score::EvaluationRequest request;
  std::vector<std::string> names = options.detectors;
  if (names.empty()) {
    for (const score::DetectorSpec& spec : score::detector_specs()) names.emplace_back(spec.name);
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    auto choice = score::parse_choice(name);
    if (!choice) return tl::unexpected(choice.error());
    if (seen.insert(name).second) request.contest.detectors.push_back(*std::move(choice));
  }
  const std::set<std::size_t> horizons(options.horizons.begin(), options.horizons.end());
  request.contest.horizons.assign(horizons.begin(), horizons.end());
  request.plan = {options.train, options.hold_out};
  if (options.per_day) request.false_alarms_per_hour = *options.per_day / 24;
  if (options.per_hour) request.false_alarms_per_hour = *options.per_hour;
  if (options.per_day || options.per_hour) {
    request.contest.false_alarms_per_day = request.false_alarms_per_hour * 24;
  }
  request.actuation_seconds = options.actuation_seconds;
  request.seed = options.seed;
  return request;
}

Result<std::vector<score::RunResult>> read_all(const ScoreOptions& options,
                                               const score::Contest& contest) {
  const StatusLine line;
  return read_runs(
      options.traces, contest,
      [&](std::size_t number, std::size_t total, const std::string& name) {
        line.show_run("scoring", number, total, name);
      },
      options.model == kRecordedPrior ? RunPrior::kRecorded : RunPrior::kOfContest);
}

int score_all(const ScoreOptions& options) {
  auto request = request_of(options);
  if (!request) return report_error(request.error().within("score"), kUsage);
  if (options.model != kRecordedPrior) {
    auto prior = choose_prior(options.model);
    if (!prior) return report_error(prior.error().within("score: --model"));
    request->contest.prior = *std::move(prior);
  }
  const auto runs = read_all(options, request->contest);
  const auto code = [](const Error& error) {
    return error.code == ErrorCode::kInvalidArgument ? kUsage : kFailed;
  };
  if (!runs) return report_error(runs.error().within("score"), code(runs.error()));
  if (runs->empty()) {
    return report_error({ErrorCode::kNotFound,
                         "score: no database was read in any of these traces; rocktune trace info "
                         "FILE shows what is in one"});
  }
  const auto evaluation = score::evaluate(*runs, *request);
  if (!evaluation) {
    return report_error(evaluation.error().within("score"), code(evaluation.error()));
  }
  if (options.json) {
    std::cout << trace::json_text(score_json(*runs, *request, *evaluation)) << '\n';
  } else {
    for (const std::string& line : score_lines(*runs, *request, *evaluation)) {
      std::cout << printable(line) << '\n';
    }
  }
  return kOk;
}

std::string detector_help() {
  std::vector<std::vector<std::string>> rows;
  for (const score::DetectorSpec& spec : score::detector_specs()) {
    rows.push_back({std::string(spec.name), std::string(spec.what)});
  }
  std::string out = "Detectors:\n";
  for (const std::string& line : table(rows)) out += line + "\n";
  return out;
}

// What thresholds are chosen by.
void add_training_options(CLI::App& app, ScoreOptions& options) {
  auto* per_hour =
      app.add_option("--false-alarms-per-hour", options.per_hour,
                     "what thresholds may cost on the runs they are chosen on (default: 1), and "
                     "the budget of rocktune-alerts (default: each trace's own)")
          ->check(number_between(0, 1e9))
          ->type_name("NUMBER");
  app.add_option("--false-alarms-per-day", options.per_day, "the same, by day")
      ->check(number_between(0, 1e9))
      ->type_name("NUMBER")
      ->excludes(per_hour);
  app.add_option(
         "--train", options.train,
         "choose thresholds on the runs with this in their name, and on no others (* stands "
         "for anything); default: on all that ended before a run began")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  app.add_option(
         "--hold-out", options.hold_out,
         "never choose thresholds on the runs with this in their name, and score them alone")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PATTERN");
}

void add_score_options(CLI::App& app, ScoreOptions& options) {
  app.add_option("TRACE", options.traces, "traces of runs, in any order")->required();
  app.add_option("--detector", options.detectors,
                 "what to compare, with commas; NAME=NUMBER fixes its threshold; default: all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option(
         "--model", options.model,
         "what rocktune's own detectors begin with: builtin, none (nothing learnt), recorded "
         "(what each run began with live), or a file that rocktune train wrote")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--horizon", options.horizons, "how far ahead, in seconds, with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(score::kShortestLead, score::kLongestHorizon))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_training_options(app, options);
  app.add_option("--actuation-delay", options.actuation_seconds,
                 "seconds that an action needs to work: a usable warning leads by this and 2 s")
      ->check(number_between(0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the bootstrap")->capture_default_str();
  app.add_flag("--json", options.json, "one line of JSON, with every figure of every run");
}

}  // namespace

void add_score(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("score", "how good the early warnings are on recorded runs");
  auto options = std::make_shared<ScoreOptions>();
  add_score_options(*app, *options);
  app->footer(detector_help() +
              "Example: rocktune score runs/*.sqlite --horizon 60 "
              "--detector static,static=0.7,rocktune\nThe rules: docs/score.md\n\n" +
              kScoreClaims);
  app->callback([options, &chosen] { chosen = [options] { return score_all(*options); }; });
}

}  // namespace rocktune::tools
