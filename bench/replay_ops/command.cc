#include "bench/replay_ops/command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include "bench/cli/stop.h"
#include "bench/compare/directory.h"
#include "bench/compare/finished_trial.h"
#include "bench/compare/order.h"
#include "bench/compare/policies.h"
#include "bench/compare/reports.h"
#include "bench/compare/shared.h"
#include "bench/replay_ops/host.h"
#include "bench/replay_ops/recording.h"
#include "bench/text_file.h"
#include "bench/trial/screen.h"
#include "bench/trial/trial.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

constexpr std::int64_t kThreadsForEachCpu = 8;

// Those that open the database otherwise than it was recorded have nothing to do here.
Result<std::vector<std::string>> parse_replayed(const std::string& list) {
  auto policies = parse_policies(list);
  if (!policies) return policies;
  for (const std::string& policy : *policies) {
    if (policy != kBestStatic && policy != kNativeAutoTuned && !is_static_at(policy)) continue;
    return fail(ErrorCode::kInvalidArgument,
                "--policies " + policy +
                    ": a recording is opened with its own options; give static, or a policy of "
                    "rocktuned's");
  }
  return policies;
}

std::string replay_command_of(const ReplayOpsSettings& settings) {
  std::ostringstream out;
  out << "rocktune-bench replay-ops " << settings.recording << " --policies " << settings.policies
      << " --repeat " << settings.repeat << " --speed " << settings.speed << " --threads "
      << settings.threads;
  if (settings.seed != ReplayOpsSettings{}.seed) out << " --seed " << settings.seed;
  return out.str();
}

// What all runs must have in common.
Result<json> shared_by_replays(const ReplayOpsSettings& settings,
                               const OpRecordingDirectory& recording) {
  auto programs = programs_json(kComparedPrograms);
  if (!programs) return tl::unexpected(programs.error());
  auto recorded = recording_json(recording);
  if (!recorded) return tl::unexpected(recorded.error());
  return json{{"schema", "rocktune-replay-ops-directory/1"},
              {"recording", std::move(*recorded)},
              {"speed", settings.speed},
              {"threads", settings.threads},
              {"seed", settings.seed},
              {"programs", std::move(*programs)},
              {"machine", machine_json()}};
}

class Replays {
 public:
  Replays(const ReplayOpsSettings& settings, const OpRecordingDirectory& recording,
          CompareDirectory& directory, Screen& screen)
      : settings_(settings),
        recording_(recording),
        scenario_(scenario_of_recording(recording, settings.speed)),
        directory_(directory),
        screen_(screen) {}

  Result<void> make(const std::vector<std::string>& policies) {
    for (const auto& planned : planned_runs(policies, settings_.repeat, settings_.seed)) {
      if (directory_.has(planned.policy, planned.repeat)) continue;
      if (stop_requested()) return {};
      const std::string name = planned.policy + " " + std::to_string(planned.repeat);
      screen_.say("run: " + name);
      if (auto made = make_run(planned, name); !made) {
        return tl::unexpected(made.error().within(name));
      }
    }
    return {};
  }

 private:
  Result<void> make_run(const PlannedRun& planned, const std::string& name) {
    const auto setup = policy_setup(planned.policy, scenario_, {});
    if (!setup) return tl::unexpected(setup.error());
    auto place = directory_.trial_directory(planned.policy + "-" + std::to_string(planned.repeat));
    if (!place) return tl::unexpected(place.error());
    TrialPlan plan;
    plan.command = [this](const std::string& database, const std::string& result) {
      return replay_ops_host_arguments(
          {recording_.path, database, settings_.speed, settings_.threads, result, "json"});
    };
    plan.loaded = recording_.checkpoint();
    plan.directory = *place;
    plan.daemon = setup->daemon;
    Watcher watcher;
    watcher.event = [&](const json& event) {
      if (event.value("event", "") == "second") screen_.progress(second_text(name, event));
    };
    auto outcome = run_trial(plan, watcher);
    screen_.end_progress();
    if (!outcome) return tl::unexpected(outcome.error());
    if (!outcome->run.is_object()) return {};  // stopped before anything was measured
    if (setup->daemon && !outcome->partial) {
      if (auto served = check_served(outcome->run); !served) return served;
    }
    return directory_.add(finished_trial(planned, *setup, std::move(*outcome), *place));
  }

  const ReplayOpsSettings& settings_;
  const OpRecordingDirectory& recording_;
  const scenario::Scenario scenario_;
  CompareDirectory& directory_;
  Screen& screen_;
};

Result<void> print_summary(const CompareDirectory& directory) {
  const auto text = read_text_file(directory.path() + "/compare.json");
  if (!text) return tl::unexpected(text.error());
  std::cout << *text << std::flush;
  if (!std::cout) return fail(ErrorCode::kIo, "stdout: the result cannot be written");
  return {};
}

Result<void> replay_and_report(const ReplayOpsSettings& settings,
                               const OpRecordingDirectory& recording,
                               const std::vector<std::string>& policies,
                               CompareDirectory& directory) {
  Screen screen(settings.json);
  screen.say("replaying " + recording.path + " with " + settings.policies + ", in " +
             directory.path());
  screen.say(replay_ops_claims(settings.speed));
  auto made = Replays(settings, recording, directory, screen).make(policies);
  const ReportHead head{"Recorded operations of " + recording.manifest.database + " done again",
                        replay_command_of(settings), policies, settings.seed,
                        json{{"rung", "real_replay"},
                             {"claims", replay_ops_claims(settings.speed)},
                             {"recording", recording.path},
                             {"speed", settings.speed}}};
  auto written = write_reports(head, directory, screen);
  if (!made) return made;  // reports also of what there was before a failure
  if (!written || !settings.json) return written;
  return print_summary(directory);
}

int failed_replay(const Error& error, int code) {
  std::fprintf(stderr, "rocktune-bench: %s\n", error.message.c_str());
  return code;
}

ReplayOpsSettings completed(ReplayOpsSettings settings, const OpRecordingDirectory& recording) {
  const auto cpus = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  if (settings.threads == 0)
    settings.threads = kThreadsForEachCpu * std::max<std::int64_t>(1, cpus);
  if (settings.output.empty()) {
    settings.output = "replay-ops-" + std::filesystem::path(recording.path).filename().string();
  }
  return settings;
}

}  // namespace

int replay_ops_command(const ReplayOpsSettings& asked) {
  const auto policies = parse_replayed(asked.policies);
  if (!policies) return failed_replay(policies.error(), 2);
  const auto recording = open_recording(asked.recording);
  if (!recording) return failed_replay(recording.error(), 1);
  const auto settings = completed(asked, *recording);
  install_stop_signals();
  const auto shared = shared_by_replays(settings, *recording);
  if (!shared) return failed_replay(shared.error(), 1);
  auto directory = CompareDirectory::open(settings.output, *shared);
  if (!directory) return failed_replay(directory.error(), 1);
  const auto done = replay_and_report(settings, *recording, *policies, *directory);
  if (!done) return failed_replay(done.error(), 1);
  if (!stop_requested()) return 0;
  std::fprintf(stderr,
               "stopped; nothing is left running, and the same command goes on from here\n");
  return 130;
}

}  // namespace rocktune::bench
