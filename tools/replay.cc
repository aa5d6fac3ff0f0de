// rocktune replay: what a policy would have decided in a recorded run.
#include <iostream>
#include <map>
#include <memory>

#include "model/text.h"
#include "policy/policy_choice.h"
#include "replay/run.h"
#include "tools/claims.h"
#include "tools/command.h"
#include "tools/replay_text.h"
#include "tools/status_line.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

struct ReplayOptions {
  std::string file, target;
  std::vector<std::string> policies;
  double indicators_every = 0;  // s; 0: each sample
  bool has_indicators = false;
  bool json = false;
  bool check = false;
};

// How far one policy is in the trace, on a line that nothing else is printed on.
class ReplayProgress {
 public:
  void count(const replay::ReplayedSample& sample) {
    if (++samples_ % kSamplesBetween != 0) return;
    line_.show("replayed " + count_text(static_cast<double>(samples_)) + " samples, up to " +
               text::rfc3339(sample.at.wall));
  }

 private:
  static constexpr std::uint64_t kSamplesBetween = 256;
  StatusLine line_;
  std::uint64_t samples_ = 0;
};

// Prints the lines of JSON as they come, and the indicators where they are asked for.
Result<std::vector<ScoredReplay>> replay_policy(const ReplayOptions& options,
                                                const replay::ReplayRequest& request,
                                                bool with_indicators) {
  const auto print = [](const std::string& line) { std::cout << line << '\n'; };
  const bool prints_meanwhile = options.json || with_indicators;
  ReplayProgress progress;
  ReplayScorer scorer;
  IndicatorPrinter indicators(options.indicators_every, options.json, print);
  auto results = replay::run(
      request,
      [&](const std::string& line) {
        if (options.json) print(line);
      },
      [&](const replay::ReplayedSample& sample) {
        scorer.add(sample);
        if (!prints_meanwhile) progress.count(sample);
        if (with_indicators) indicators.add(sample);
      });
  if (!results) return tl::unexpected(results.error());
  std::vector<ScoredReplay> scored = scorer.finish(*std::move(results));
  if (options.json) {
    for (const ScoredReplay& one : scored) print(replay_line(one));
  }
  return scored;
}

// The trace may be growing: what the first policy saw is what the others see.
std::map<std::int64_t, std::uint64_t> extent_of(const std::vector<ScoredReplay>& scored) {
  std::map<std::int64_t, std::uint64_t> extent;
  for (const ScoredReplay& one : scored) extent[one.replay.id] = one.replay.samples;
  return extent;
}

// Whether what was recorded is what came out.
int checked(const ReplayOptions& options, const std::vector<std::vector<ScoredReplay>>& by_policy) {
  bool any = false, identical = true;
  for (const auto& scored : by_policy) {
    for (const ScoredReplay& one : scored) {
      any = any || (one.replay.as_recorded && one.replay.samples > 0);
      identical = identical && !one.replay.first_difference;
    }
  }
  if (any) return identical ? kOk : kFailed;
  const auto& first = by_policy.front();
  const bool imported = !first.empty() && trace::is_imported(first.front().replay.recorded_by);
  const std::string why = first.empty() ? "no database was recorded"
                          : imported
                              ? "it is of a RocksDB LOG, and nobody has decided then"
                              : "none of these policies, with these parameters, was recorded";
  return report_error(
      {ErrorCode::kInvalidArgument,
       "replay: trace " + options.file + ": nothing to check: " + why +
           (imported ? "" : "; without --policy it is what was recorded that is replayed")},
      kUsage);
}

int replay_all(const ReplayOptions& options) {
  auto choices = parse_policy_choices(options.policies);
  if (!choices) return report_error(choices.error().within("replay"), kUsage);
  std::vector<std::optional<PolicyChoice>> policies(choices->begin(), choices->end());
  if (policies.empty()) policies.emplace_back();  // each target as recorded
  std::vector<std::vector<ScoredReplay>> by_policy;
  replay::ReplayRequest request{options.file, std::nullopt, std::nullopt};
  if (!options.target.empty()) request.target = options.target;
  for (const auto& policy : policies) {
    request.policy = policy;
    // No policy changes them: once is enough.
    const bool with_indicators = options.has_indicators && by_policy.empty();
    auto scored = replay_policy(options, request, with_indicators);
    if (!scored) {
      const bool usage =
          scored.error().code == ErrorCode::kInvalidArgument && !options.target.empty();
      return report_error(scored.error(), usage ? kUsage : kFailed);
    }
    if (by_policy.empty()) request.extent = extent_of(*scored);
    by_policy.push_back(*std::move(scored));
  }
  if (!options.json) {
    if (options.has_indicators) std::cout << '\n';
    for (const std::string& line : replay_lines(options.file, by_policy)) std::cout << line << '\n';
  }
  return options.check ? checked(options, by_policy) : kOk;
}

CLI::Option* add_indicators_option(CLI::App& app, double& every_seconds) {
  return app
      .add_option("--indicators", every_seconds,
                  "print the three forecasts, too, so often in the trace's time: seconds, or 30s, "
                  "1m; 0: at each sample")
      ->transform(CLI::AsNumberWithUnit(time_units()))
      ->check([](const std::string& seconds) {
        return seconds.starts_with('-') ? "has to be 0 or more" : "";
      })
      ->type_name("TIME");
}

}  // namespace

void add_replay(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("replay", "what a policy would have decided in a trace");
  auto options = std::make_shared<ReplayOptions>();
  app->add_option("TRACE", options->file, "the trace of a run")->required();
  app->add_option("--policy,--policies", options->policies,
                  "policies to compare, with commas; default: what was recorded")
      ->delimiter(',')
      ->type_name("POLICY");
  app->add_option("--target", options->target, "one database, by name or path; default: all")
      ->type_name("NAME");
  CLI::Option* indicators = add_indicators_option(*app, options->indicators_every);
  app->add_flag("--json", options->json,
                "each alert, decision and outcome as its alert-log line, and a line of kind "
                "\"replay\" for each policy and target");
  app->add_flag("--check", options->check,
                "fail (exit code 1) where the recorded policy differs from what was recorded");
  app->footer(std::string("Example: rocktune replay run.sqlite --policy static,headroom\n\n") +
              kPolicyChoiceHelp + "\n\n" + kReplayClaims);
  app->callback([options, indicators, &chosen] {
    options->has_indicators = indicators->count() > 0;
    chosen = [options] { return replay_all(*options); };
  });
}

}  // namespace rocktune::tools
