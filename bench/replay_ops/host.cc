#include "bench/replay_ops/host.h"

#include <cstdio>

#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/replay_ops/player.h"
#include "bench/replay_ops/recording.h"
#include "bench/time/rfc3339.h"
#include "bench/trial/subject.h"
#include "files/replace_file.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

// The result of a run, with what is true of a recording in place of what a scenario would say.
json result_of(const ReplayOpsHost& settings, const OpRecordingDirectory& recording,
               const RunResult& run, const Replayed& replayed) {
  json document = result_json(run);
  document["rung"] = "real_replay";
  document["claims"] = replay_ops_claims(settings.speed);
  document["replay"] = {{"recording", recording.path},
                        {"speed", settings.speed},
                        {"threads", settings.threads},
                        {"writing_threads", replayed.one_writer ? 1 : settings.threads},
                        {"operations", replayed.operations},
                        {"operations_not_replayed", replayed.unknown},
                        {"recorded_seconds", replayed.recorded_seconds},
                        {"seconds", replayed.phase.total.seconds},
                        {"reader_waited_seconds", replayed.reader_waited_seconds},
                        {"recorded_reads_left_out", recording.manifest.reads_left_out}};
  json& database = document["databases"][0];
  database["workload"] = {
      {"name", "recorded operations"}, {"threads", settings.threads}, {"families", json::array()}};
  database["configuration"] = {{"name", recording.manifest.options_file}};
  return document;
}

Result<bool> replay(const ReplayOpsHost& settings, const OpRecordingDirectory& recording,
                    ProgressMode mode) {
  RunResult run;
  run.started = rfc3339_now();
  run.scenario = scenario_of_recording(recording, settings.speed);
  run.scenario.databases.front().workload.threads = settings.threads;
  auto database =
      Database::open_saved({settings.database, recording.manifest.block_cache_bytes,
                            recording.manifest.rate_limit_bytes_per_second,
                            recording.manifest.found_knobs.value_or(trace::FoundKnobs())});
  if (!database) return tl::unexpected(database.error());
  run.databases.push_back({settings.database, (*database)->agent_status(), {}});
  Progress progress(mode);
  const auto& shown = run.scenario.databases.front();
  progress.note("replaying " + recording.path + ", agent " + run.databases.front().agent);
  const ReplayPlan plan{recording.trace_file(), shown.workload.phases.front(), settings.speed,
                        settings.threads};
  auto replayed = replay_operations(**database, plan, stop_requested(),
                                    [&](const scenario::Phase& phase, const Interval& second) {
                                      progress.second(shown, phase, second);
                                    });
  progress.finish();
  if (!replayed) return tl::unexpected(replayed.error());
  run.partial = replayed->stopped;
  if (run.partial) run.partial_reason = "stopped by a signal";
  run.databases.front().phases.push_back(replayed->phase);
  const json document = result_of(settings, recording, run, *replayed);
  if (auto written = replace_file(settings.json, document.dump(2) + "\n", Sync::kNo); !written) {
    return tl::unexpected(written.error());
  }
  return run.partial;
}

}  // namespace

int replay_ops_host_command(const ReplayOpsHost& settings) {
  install_stop_signals();
  const auto failed = [](const Error& error, int code) {
    std::fprintf(stderr, "rocktune-bench: %s\n", error.message.c_str());
    return code;
  };
  const auto mode = parse_progress(settings.progress);
  if (!mode) return failed(mode.error(), 2);
  const auto recording = open_recording(settings.recording);
  if (!recording) return failed(recording.error(), 1);
  const auto stopped = replay(settings, *recording, *mode);
  if (!stopped) return failed(stopped.error(), 1);
  return *stopped ? 130 : 0;
}

std::vector<std::string> replay_ops_host_arguments(const ReplayOpsHost& settings) {
  char speed[32];
  std::snprintf(speed, sizeof speed, "%.17g", settings.speed);
  return {program_path("rocktune-bench"),
          "replay-ops-host",
          "--recording",
          settings.recording,
          "--db",
          settings.database,
          "--speed",
          speed,
          "--threads",
          std::to_string(settings.threads),
          "--json",
          settings.json,
          "--progress",
          settings.progress};
}

}  // namespace rocktune::bench
