// rocktune replay: what a policy would have decided in a recorded run.
#include <iostream>
#include <memory>

#include "policy/policy_choice.h"
#include "replay/run.h"
#include "tools/claims.h"
#include "tools/command.h"
#include "tools/replay_text.h"

namespace rocktune::tools {
namespace {

struct ReplayOptions {
  std::string file, target;
  std::vector<std::string> policies;
  bool json = false;
  bool check = false;
};

int replay_all(const ReplayOptions& options) {
  auto choices = parse_policy_choices(options.policies);
  if (!choices) return report_error(choices.error().within("replay"), kUsage);
  std::vector<std::optional<PolicyChoice>> policies(choices->begin(), choices->end());
  if (policies.empty()) policies.emplace_back();  // each target as recorded
  std::vector<std::vector<replay::ReplayResult>> by_policy;
  bool identical = true;
  for (const auto& policy : policies) {
    replay::ReplayRequest request{options.file, policy, std::nullopt};
    if (!options.target.empty()) request.target = options.target;
    auto results = replay::run(request, [&](const std::string& line) {
      if (options.json) std::cout << line << '\n';
    });
    if (!results) {
      std::cout.flush();
      const bool usage = results.error().code == ErrorCode::kInvalidArgument && request.target;
      return report_error(results.error(), usage ? kUsage : kFailed);
    }
    for (const replay::ReplayResult& result : *results) {
      if (options.json) std::cout << replay_line(result) << '\n';
      identical = identical && !result.first_difference;
    }
    by_policy.push_back(std::move(*results));
  }
  if (!options.json) {
    for (const std::string& line : replay_lines(options.file, by_policy)) std::cout << line << '\n';
  }
  std::cout.flush();
  return std::cout && (identical || !options.check) ? kOk : kFailed;
}

}  // namespace

void add_replay(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("replay", "what a policy would have decided in a trace");
  auto options = std::make_shared<ReplayOptions>();
  app->add_option("TRACE", options->file, "the trace of a run")->required();
  app->add_option("--policy", options->policies,
                  "policies to compare, with commas; default: what was recorded")
      ->delimiter(',')
      ->type_name("POLICY");
  app->add_option("--target", options->target, "one database, by name or path; default: all")
      ->type_name("NAME");
  app->add_flag("--json", options->json,
                "each alert, decision and outcome as its alert-log line, and a line of kind "
                "\"replay\" for each policy and target");
  app->add_flag("--check", options->check,
                "fail (exit code 1) where the recorded policy differs from what was recorded");
  app->footer(std::string("Example: rocktune replay run.sqlite --policy static,headroom\n\n") +
              kPolicyChoiceHelp + "\n\n" + kReplayClaims);
  app->callback([options, &chosen] { chosen = [options] { return replay_all(*options); }; });
}

}  // namespace rocktune::tools
