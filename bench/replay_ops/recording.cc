#include "bench/replay_ops/recording.h"

#include <filesystem>

#include "bench/text_file.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

std::uint64_t reads_of(const trace::OpRecording& manifest) {
  return manifest.gets + manifest.multigets + manifest.seeks;
}

}  // namespace

Result<OpRecordingDirectory> open_recording(const std::string& directory) {
  OpRecordingDirectory recording;
  std::error_code error;
  recording.path = fs::absolute(directory, error).lexically_normal().string();
  while (recording.path.size() > 1 && recording.path.back() == '/') recording.path.pop_back();
  const std::string file = recording.path + "/" + trace::kOpManifestName;
  const auto text = read_text_file(file);
  if (!text) {
    return fail(text.error().code,
                directory + " is no recording of rocktune record-ops: " + text.error().message);
  }
  auto manifest = trace::decode_op_recording(*text, file);
  if (!manifest) return tl::unexpected(manifest.error());
  recording.manifest = *std::move(manifest);
  if (!fs::is_regular_file(recording.trace_file(), error)) {
    return fail(ErrorCode::kNotFound, recording.trace_file() + " is not there");
  }
  if (!fs::is_regular_file(recording.checkpoint() + "/CURRENT", error)) {
    return fail(ErrorCode::kNotFound,
                recording.path +
                    " has no checkpoint to replay onto: record without "
                    "--no-checkpoint, or put a copy of the database as it was then "
                    "there as checkpoint/");
  }
  return recording;
}

scenario::Scenario scenario_of_recording(const OpRecordingDirectory& recording, double speed) {
  scenario::Scenario scenario;
  scenario.name = "recording " + fs::path(recording.path).filename().string();
  scenario.description = kReplayOpsClaims;
  if (reads_of(recording.manifest) > 0) scenario.objective.first = "read_p99";
  scenario::ScenarioDatabase database;
  database.name = "db";
  database.workload.name = "recorded operations";
  database.workload.description =
      "of " + recording.manifest.database + ", " + recording.manifest.begin;
  database.workload.records = 0;
  scenario::Phase phase;
  phase.name = "replay";
  phase.seconds = recording.manifest.seconds / speed;
  const auto reads = static_cast<double>(reads_of(recording.manifest));
  const auto all = reads + static_cast<double>(recording.manifest.writes);
  if (all > 0) {
    const auto scans = static_cast<double>(recording.manifest.seeks) / all;
    phase.mix.shares[static_cast<std::size_t>(scenario::Operation::kRead)] = reads / all - scans;
    phase.mix.shares[static_cast<std::size_t>(scenario::Operation::kScan)] = scans;
    phase.mix.shares[static_cast<std::size_t>(scenario::Operation::kUpdate)] = 1 - reads / all;
  }
  database.workload.phases = {phase};
  database.configuration.name = recording.manifest.options_file;
  if (recording.manifest.block_cache_bytes) {
    database.configuration.block_cache_bytes = *recording.manifest.block_cache_bytes;
  }
  database.configuration.rate_limit_bytes_per_second =
      recording.manifest.rate_limit_bytes_per_second.value_or(0);
  scenario.databases = {database};
  return scenario;
}

}  // namespace rocktune::bench
