#include "bench/no_harm/no_harm.h"

#include <cstdio>
#include <filesystem>
#include <utility>

#include "bench/cli/stop.h"
#include "bench/compare/directory.h"
#include "bench/compare/policies.h"
#include "bench/compare/runs.h"
#include "bench/compare/shared.h"
#include "bench/no_harm/random_scenario.h"
#include "bench/no_harm/report.h"
#include "bench/trial/screen.h"
#include "scenario/scenario.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string scenario_name(std::int64_t number) {
  char text[48];
  std::snprintf(text, sizeof text, "scenario-%03lld", static_cast<long long>(number));
  return text;
}

// Which other directory the scenarios may not be mixed with. Scenarios of other numbers, and more
// pairs of one, extend what is there.
Result<json> shared_by_scenarios(const NoHarmSettings& settings) {
  auto programs = programs_json(kComparedPrograms);
  if (!programs) return tl::unexpected(programs.error());
  return json{{"schema", "rocktune-no-harm-directory/1"},
              {"seed", settings.seed},
              {"seconds", settings.seconds},
              {"policy", settings.policy},
              {"programs", std::move(*programs)},
              {"machine", machine_json()}};
}

void remove_loaded(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with("loaded-")) {
      fs::remove_all(entry->path(), ignored);
    }
  }
}

Result<std::vector<Turn>> turns_in(const CompareDirectory& directory, const std::string& policy) {
  auto finished = directory.runs();
  if (!finished) return tl::unexpected(finished.error());
  std::vector<report::Run> runs;
  for (FinishedRun& run : *finished) runs.push_back(std::move(run.run));
  return turns_of(runs, kStatic, policy);
}

class NoHarm {
 public:
  NoHarm(const NoHarmSettings& settings, const CompareDirectory& directory)
      : settings_(settings), directory_(directory) {}

  // Returns when all are judged or a stop was requested.
  Result<void> make() {
    for (std::int64_t number = 1; number <= settings_.scenarios; ++number) {
      const std::string name = scenario_name(number);
      screen_.say(name + " of " + std::to_string(settings_.scenarios));
      auto judged = make_scenario(number, name);
      if (!judged) return tl::unexpected(judged.error().within(name));
      if (!judged->turns.empty()) {
        screen_.say("  " + scenario_line(judged->verdict) + ": " + harm_text(judged->verdict.harm));
        judged_.push_back(std::move(*judged));
      }
      if (stop_requested()) break;
    }
    return {};
  }

  // Of what there is.
  Result<bool> write_reports() {
    const NoHarmReport report = make_report(settings_, report::this_machine(), judged_);
    const std::string document = no_harm_json(report).dump(2) + "\n";
    if (auto done = directory_.write("no-harm.json", document); !done) {
      return tl::unexpected(done.error());
    }
    if (auto done = directory_.write("no-harm.md", no_harm_markdown(report)); !done) {
      return tl::unexpected(done.error());
    }
    screen_.say("");
    screen_.say(no_harm_text(report));
    screen_.say("reports  " + directory_.path() + "/no-harm.md, no-harm.json");
    return has_harm(report);
  }

 private:
  Result<JudgedScenario> make_scenario(std::int64_t number, const std::string& name) {
    const std::string file = name + ".yaml";
    const std::string text = random_scenario(settings_.seed, number, settings_.seconds);
    if (auto written = directory_.write(file, text); !written) {
      return tl::unexpected(written.error());
    }
    CompareSettings compare;
    compare.scenario = directory_.path() + "/" + file;
    compare.output = directory_.path() + "/" + name;
    compare.seed = order_seed(settings_.seed, number);
    const auto scenario = scenario::load_scenario(compare.scenario, false);
    if (!scenario) return tl::unexpected(scenario.error());
    const auto shared = shared_by_runs(compare, *scenario);
    if (!shared) return tl::unexpected(shared.error());
    auto runs = CompareDirectory::open(compare.output, *shared);
    if (!runs) return tl::unexpected(runs.error());
    CompareRuns made(compare, *scenario, shared->at("programs"), *runs, screen_);
    auto turns = take_turns(compare, made, *runs);
    if (!turns) return tl::unexpected(turns.error());
    JudgedScenario judged{number, name, std::move(*turns), {}};
    judged.verdict = judge(judged.turns);
    if (judged.verdict.harm != Harm::kUnfinished) remove_loaded(compare.output);
    return judged;
  }

  // One pair, and as many more as it takes where the policy fell behind in it.
  Result<std::vector<Turn>> take_turns(CompareSettings& compare, CompareRuns& runs,
                                       const CompareDirectory& directory) {
    const std::vector<std::string> policies = {kStatic, settings_.policy};
    compare.repeat = 1;
    if (auto made = runs.make(policies); !made) return tl::unexpected(made.error());
    auto turns = turns_in(directory, settings_.policy);
    if (!turns || stop_requested() || judge(*turns).harm != Harm::kUnfinished) return turns;
    screen_.say("  " + settings_.policy + " fell behind (" + scenario_line(judge(*turns)) +
                "): " + std::to_string(settings_.confirm) + " more pairs");
    compare.repeat = 1 + settings_.confirm;
    if (auto made = runs.make(policies); !made) return tl::unexpected(made.error());
    return turns_in(directory, settings_.policy);
  }

  [[nodiscard]] ScenarioVerdict judge(const std::vector<Turn>& turns) const {
    return judge_scenario(turns, settings_.seconds, static_cast<std::size_t>(settings_.confirm));
  }

  const NoHarmSettings& settings_;
  const CompareDirectory& directory_;
  Screen screen_;
  std::vector<JudgedScenario> judged_;
};

int failed_with(const Error& error, int code) {
  std::fprintf(stderr, "rocktune-bench: %s\n", error.message.c_str());
  return code;
}

}  // namespace

std::uint64_t order_seed(std::uint64_t seed, std::int64_t number) {
  return seed * (kMostRandomScenarios + 1) + static_cast<std::uint64_t>(number);
}

Result<std::string> policy_to_judge(const std::string& policy) {
  const auto policies = parse_policies(policy, "--policy");
  if (!policies) return tl::unexpected(policies.error());
  if (policies->size() == 1 && policies->front() != kStatic) return policies->front();
  return fail(ErrorCode::kInvalidArgument,
              "--policy: give one, and not static, which it is compared with");
}

int no_harm_command(const NoHarmSettings& given) {
  const auto policy = policy_to_judge(given.policy);
  if (!policy) return failed_with(policy.error(), 2);
  NoHarmSettings settings = given;
  settings.policy = *policy;
  install_stop_signals();
  const auto shared = shared_by_scenarios(settings);
  if (!shared) return failed_with(shared.error(), 1);
  const std::string output =
      settings.output.empty() ? "no-harm-" + settings.policy : settings.output;
  const auto directory = CompareDirectory::open(output, *shared);
  if (!directory) return failed_with(directory.error(), 1);
  NoHarm test(settings, *directory);
  const auto made = test.make();
  const auto harmed = test.write_reports();  // also of what there was before a failure
  if (!made) return failed_with(made.error(), 1);
  if (!harmed) return failed_with(harmed.error(), 1);
  if (stop_requested()) {
    std::fprintf(stderr,
                 "stopped; nothing is left running, and the same command goes on from here\n");
    return 130;
  }
  return *harmed ? 1 : 0;
}

}  // namespace rocktune::bench
