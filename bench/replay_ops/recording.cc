#include "bench/replay_ops/recording.h"

#include <rocksdb/env.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdio>
#include <filesystem>

#include "bench/text_file.h"
#include "bench/trial/digest.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kCopyAgain = "; copy the whole recording again, or record again";

std::uint64_t reads_of(const trace::OpRecording& manifest) {
  return trace::operations_of(manifest) - manifest.writes;
}

std::string speed_text(double speed) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", speed);
  return text;
}

std::string checksum_text(std::uint32_t checksum) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", checksum);
  return text;
}

Result<void> check_size(const std::string& file, std::uint64_t recorded_bytes) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(file, error);
  if (error) return fail(ErrorCode::kNotFound, file + ": " + error.message() + kCopyAgain);
  if (bytes == recorded_bytes) return {};
  return fail(ErrorCode::kCorrupt, file + " has " + std::to_string(bytes) + " bytes, and " +
                                       std::to_string(recorded_bytes) + " were recorded: it was " +
                                       (bytes < recorded_bytes ? "cut off" : "added to") +
                                       kCopyAgain);
}

// Its keys and values have no checksum of their own: what was damaged would be replayed, or end
// the program within RocksDB.
Result<void> check_trace(const OpRecordingDirectory& recording) {
  const auto& manifest = recording.manifest;
  if (!manifest.crc32) {
    const bool unfinished = manifest.state != "ended";
    return fail(
        ErrorCode::kUnsupported,
        recording.path + "/" + trace::kOpManifestName + " has no checksum of ops.trace: " +
            (unfinished ? "the recording goes on, or rocktune record-ops was killed; while the "
                          "database is open rocktune record-ops DATABASE --stop completes it"
                        : "an earlier version recorded it, and whether it is whole cannot be told; "
                          "record again"));
  }
  if (auto sized = check_size(recording.trace_file(), manifest.bytes); !sized) return sized;
  const auto contents = trace::read_op_trace(recording.trace_file());
  if (!contents) return tl::unexpected(contents.error());
  if (contents->crc32 == *manifest.crc32) return {};
  return fail(ErrorCode::kCorrupt, recording.trace_file() + " has the checksum (CRC32) " +
                                       checksum_text(contents->crc32) + ", and " +
                                       checksum_text(*manifest.crc32) +
                                       " was recorded: it is damaged" + kCopyAgain);
}

// Of what is in them RocksDB has checksums, but a log that was cut off is a shorter log to it.
Result<void> check_checkpoint(const OpRecordingDirectory& recording) {
  std::error_code error;
  if (!fs::is_regular_file(recording.checkpoint() + "/CURRENT", error)) {
    return fail(ErrorCode::kNotFound,
                recording.path +
                    " has no checkpoint to replay onto: record without "
                    "--no-checkpoint, or put a copy of the database as it was then "
                    "there as checkpoint/");
  }
  if (!recording.manifest.checkpoint_files) return {};
  for (const auto& [name, bytes] : *recording.manifest.checkpoint_files) {
    if (auto sized = check_size(recording.checkpoint() + "/" + name, bytes); !sized) return sized;
  }
  return {};
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
  if (auto checked = check_checkpoint(recording); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_trace(recording); !checked) return tl::unexpected(checked.error());
  return recording;
}

Result<json> recording_json(const OpRecordingDirectory& recording) {
  const trace::OpRecording& manifest = recording.manifest;
  // As open_recording() has checked them.
  json out = {{"bytes", manifest.bytes}, {"crc32", manifest.crc32.value_or(0)}};
  // What an options file does not have, or has otherwise than it was found, and that file.
  const auto number = [](const auto& value) { return value ? json(*value) : json(nullptr); };
  out["block_cache_bytes"] = number(manifest.block_cache_bytes);
  out["rate_limit_bytes_per_second"] = number(manifest.rate_limit_bytes_per_second);
  if (manifest.found_knobs && !manifest.found_knobs->empty()) {
    out["found_knobs"] = *manifest.found_knobs;
  }
  const std::string directory = recording.checkpoint();
  std::string file;
  if (rocksdb::GetLatestOptionsFileName(directory, rocksdb::Env::Default(), &file).ok()) {
    auto sum = digest_of_file(directory + "/" + file);
    if (!sum) return tl::unexpected(sum.error());
    out["options"] = std::move(*sum);
  }
  return out;
}

std::string replay_ops_claims(double speed) {
  const std::string pace = speed == 1 ? "at the pace at which they were recorded"
                                      : "had they come at " + speed_text(speed) +
                                            " times the pace at which they were recorded";
  return "operations replayed on a real RocksDB (rung 3 of 4): what the recorded operations would "
         "have met, on this machine, " +
         pace +
         ". Not what the application would have asked for, had it been served differently. Scans "
         "are replayed as the seeks that began them, writes without the caller's sync, and what "
         "waited in a stall when it was recorded is due when it was let through.";
}

scenario::Scenario scenario_of_recording(const OpRecordingDirectory& recording, double speed) {
  scenario::Scenario scenario;
  scenario.name = "recording " + fs::path(recording.path).filename().string();
  scenario.description = replay_ops_claims(speed);
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
