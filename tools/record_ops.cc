// rocktune record-ops: what a running database is asked for, recorded by RocksDB's own trace, and a
// checkpoint to do it again on.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "files/text_file.h"
#include "tools/agents.h"
#include "tools/command.h"
#include "tools/op_recorder.h"
#include "tools/status_line.h"
#include "tools/stop.h"
#include "tools/text.h"
#include "trace/op_trace_file.h"

namespace rocktune::tools {
namespace {

constexpr std::chrono::milliseconds kLook{250};
constexpr int kMostHangUps = 5;  // one after the other
// What an agent takes (docs/wire.md).
constexpr std::uint64_t kLeastTraceBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kMostTraceBytes = std::uint64_t{1} << 50;

constexpr const char* kRecordOpsFooter =
    R"(DATABASE: its path, or the end of it; the program must run with the agent (rocktune run). DIR: new, or
empty, and of the program's user; on the file system of the database unless --no-checkpoint. It ends
by itself: by time, size, a disk that is too slow or would be too full, when the database is closed,
or on Ctrl-C. While it goes on each operation takes a mutex of RocksDB's and a copy of its key (of a
write: of everything written): docs/record-ops.md has what that costs. A checkpoint is hard links: as
long as it is there, files that the database removes keep their room on the disk.

A trace of its own that the program has under way ends: RocksDB has one at a time.
Exit codes: 0 recorded as asked, 1 failed or ended early, 2 usage, 130 stopped (what was recorded is
whole). Example: rocktune record-ops orders -o /data/recording --seconds 60 --max-size 4GiB)";

struct RecordOptions {
  AgentOptions agents;
  std::string directory;
  double seconds = 60;
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
  std::uint64_t keep_one_read_of = 1;
  bool no_checkpoint = false, force = false, stop = false, status = false, json = false;
};

Result<AgentDatabase> the_database(const AgentOptions& options) {
  const auto found = find_databases(options);
  if (!found) return tl::unexpected(found.error());
  if (found->databases.size() == 1) return found->databases.front();
  std::string all;
  for (const auto& one : found->databases) {
    all += (all.empty() ? "" : ", ") + one.path + " (process " + std::to_string(one.pid) + ")";
  }
  return fail(ErrorCode::kInvalidArgument, "several open databases are called " + options.database +
                                               ": " + all + "; give the whole path, or --pid");
}

Result<wire::OpTrace> ask_what(const AgentDatabase& database, const char* action,
                               std::chrono::milliseconds timeout = kOpTraceTimeout) {
  wire::OpTraceRequest request;
  request.action = action;
  return ask_op_trace(database, request, timeout);
}

// No agent is left to say when all of it is written: within a second, or the disk hangs
// (kLongestInMemory of agent/op_trace/file.h).
void wait_for_the_rest(const std::string& directory) {
  constexpr int kQuietLooks = 4;
  const std::string file = directory + "/" + trace::kOpTraceName;
  std::error_code ignored;
  auto bytes = std::filesystem::file_size(file, ignored);
  for (int quiet = 0; quiet < kQuietLooks; ++quiet) {
    std::this_thread::sleep_for(kLook);
    const auto now = std::filesystem::file_size(file, ignored);
    if (std::exchange(bytes, now) != now) quiet = -1;
  }
}

// What the agent says until it has ended; a database that is gone took its trace's end with it.
Result<wire::OpTrace> follow_to_end(const AgentDatabase& database, wire::OpTrace last) {
  const StatusLine line;
  bool told = false;
  int hang_ups = 0;
  while (last.state != "ended") {
    line.show("recording: " + recording_line(last));
    const bool stop = stop_requested() && !told;
    if (!stop || hang_ups > 0) std::this_thread::sleep_for(kLook);
    auto now = ask_what(database, stop ? "stop" : "status");
    told = told || (stop && now.has_value());
    if (now) {
      const auto ours = check_directory(*now, last.directory, database);
      if (!ours) return tl::unexpected(ours.error());
      last = *std::move(now);
      hang_ups = 0;
      continue;
    }
    if (now.error().code == ErrorCode::kUnavailable) continue;  // busy: it will answer
    // A process that ends may do so in the middle of an answer: the next question finds nobody.
    if (now.error().code == ErrorCode::kIo && ++hang_ups < kMostHangUps) continue;
    if (now.error().code != ErrorCode::kNotFound) return now;
    last.state = "ended";
    last.why_ended = "closing";
    wait_for_the_rest(last.directory);
  }
  return last;
}

int print_recording(const trace::OpRecording& recording, const wire::OpTrace& status,
                    bool as_json) {
  if (as_json) {
    std::cout << trace::encode(recording);
  } else {
    for (const auto& text : recording_lines(status)) std::cout << text << '\n';
  }
  return kOk;
}

// What a recording that is complete says of itself: to be left as it is, so that its checksum still
// tells whether its file was damaged since.
std::optional<trace::OpRecording> complete_manifest(const std::string& directory) {
  const std::string file = directory + "/" + trace::kOpManifestName;
  const auto text = read_text_file(file);
  if (!text) return std::nullopt;
  auto recording = trace::decode_op_recording(*text, file);
  const bool complete = recording && recording->state == "ended" && recording->crc32;
  return complete ? std::optional(*std::move(recording)) : std::nullopt;
}

int finish_recording(const AgentDatabase& database, const RecordingDirectory& directory,
                     const RecordedObjects& objects, const wire::OpTrace& status, bool as_json) {
  const auto recording = ended_recording(database, objects, status);
  if (!recording) return report_error(recording.error().within("record-ops"));
  if (auto written = directory.write_manifest(*recording); !written) {
    return report_error(written.error().within("record-ops"));
  }
  if (print_recording(*recording, status, as_json) != kOk) return kFailed;
  if (stop_requested()) return kStopped;
  return ended_as_asked(status) ? kOk : kFailed;
}

// Where no answer came it may have begun all the same, or be about to: nobody would know of it.
// Only what is ours is ended.
int start_failed(const AgentDatabase& database, const std::string& directory, Error error) {
  constexpr std::chrono::seconds kPatience{5};
  if (error.code != ErrorCode::kUnavailable && error.code != ErrorCode::kIo) {
    return report_error(error.within("record-ops"));
  }
  const auto now = ask_what(database, "status", kPatience);
  const bool ours = now && now->directory == directory;
  if (ours && ask_what(database, "stop", kPatience)) {
    error.message += "; it had begun, and was stopped";
  } else if (ours || !now) {
    error.message += "; should it have begun, `rocktune record-ops --stop` ends it";
  }
  error.message += " (" + directory + ")";
  return report_error(error.within("record-ops"));
}

int start_recording(const RecordOptions& options, const AgentDatabase& database) {
  if (options.directory.empty()) {
    return report_error(
        {ErrorCode::kInvalidArgument, "record-ops: where to? give -o DIR (or --stop, or --status)"},
        kUsage);
  }
  take_stop_signals();
  auto objects = recorded_objects(database);
  if (!objects) return report_error(objects.error().within("record-ops"));
  const auto directory = RecordingDirectory::make(options.directory, database);
  if (!directory) return report_error(directory.error().within("record-ops"));
  wire::OpTraceRequest request;
  request.action = "start";
  request.directory = directory->path();
  request.max_bytes = options.max_bytes;
  request.seconds = options.seconds;
  request.keep_one_read_of = options.keep_one_read_of;
  request.checkpoint = !options.no_checkpoint;
  request.force = options.force;
  const auto started = ask_op_trace(database, request);
  if (!started) return start_failed(database, directory->path(), started.error());
  // What was turned while the checkpoint was made may be in its options file.
  if (const auto later = recorded_objects(database)) add_found_since(*objects, *later);
  // Now already: should we be killed, it is known what is there.
  auto begun = check_directory(*started, directory->path(), database);
  if (begun) begun = directory->write_manifest(op_recording(database, *objects, *started));
  const auto ended = begun ? follow_to_end(database, *started) : tl::unexpected(begun.error());
  if (!ended) {
    static_cast<void>(ask_what(database, "stop"));  // nobody would know of it
    return report_error(ended.error().within("record-ops"));
  }
  return finish_recording(database, *directory, *objects, *ended, options.json);
}

// Whoever began it may be gone: the manifest is completed here, too.
int stop_recording(const RecordOptions& options, const AgentDatabase& database) {
  const auto asked = ask_what(database, "stop");
  if (!asked) return report_error(asked.error().within("record-ops"));
  if (asked->state == "none") {
    return report_error({ErrorCode::kNotFound, "record-ops: nothing is recorded of this database"});
  }
  const auto directory = RecordingDirectory::find(asked->directory, database);
  if (!directory) return report_error(directory.error().within("record-ops"));
  if (const auto known = complete_manifest(asked->directory)) {
    print_recording(*known, *asked, options.json);
    return ended_as_asked(*asked) ? kOk : kFailed;
  }
  const auto objects = recorded_objects(database);
  if (!objects) return report_error(objects.error().within("record-ops"));
  const auto ended = follow_to_end(database, *asked);
  if (!ended) return report_error(ended.error().within("record-ops"));
  return finish_recording(database, *directory, *objects, *ended, options.json);
}

int show_recording(const RecordOptions& options, const AgentDatabase& database) {
  const auto status = ask_what(database, "status");
  if (!status) return report_error(status.error().within("record-ops"));
  return print_recording(op_recording(database, {}, *status), *status, options.json);
}

int record_ops(const RecordOptions& options) {
  const auto database = the_database(options.agents);
  if (!database) return report_error(database.error().within("record-ops"));
  if (options.status) return show_recording(options, *database);
  if (options.stop) return stop_recording(options, *database);
  return start_recording(options, *database);
}

}  // namespace

void add_record_ops(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand(
      "record-ops", "record what a running database is asked for, to replay it (replay-ops)");
  auto options = std::make_shared<RecordOptions>();
  app->add_option("DATABASE", options->agents.database, "its path, or the end of it")->required();
  add_agent_places(*app, options->agents);
  app->add_option("-o,--output", options->directory, "where the recording goes")->type_name("DIR");
  app->add_option("--seconds", options->seconds, "the trace ends after this")
      ->check(number_between(0.1, 86400.0))
      ->capture_default_str();
  app->add_option("--max-size", options->max_bytes,
                  "the trace ends before it is larger: bytes, or 64MiB (default: 1GiB)")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::Range(kLeastTraceBytes, kMostTraceBytes))
      ->type_name("SIZE");
  app->add_option("--sample", options->keep_one_read_of,
                  "record one of N reads; writes are all recorded")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->type_name("N");
  app->add_flag("--no-checkpoint", options->no_checkpoint,
                "no copy of the database: there is nothing to replay onto then");
  app->add_flag(
      "--force", options->force,
      "also a database with merge operators or two-phase transactions, whose replay comes "
      "to other contents");
  auto* stop = app->add_flag("--stop", options->stop, "end the recording that is under way");
  app->add_flag("--status", options->status, "show the latest recording")->excludes(stop);
  app->add_flag("--json", options->json, "the manifest on stdout");
  app->footer(kRecordOpsFooter);
  app->callback([options, &chosen] { chosen = [options] { return record_ops(*options); }; });
}

}  // namespace rocktune::tools
