// A recording of a database's operations, as `rocktune record-ops` runs it: the directory, what is
// asked of the agent, and the manifest.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"
#include "tools/agents.h"
#include "trace/op_recording.h"
#include "wire/messages.h"

namespace rocktune::tools {

// POST /v1/dbs/{id}/op_trace. A checkpoint may take its time, and other changes come first.
inline constexpr std::chrono::minutes kOpTraceTimeout{5};
Result<wire::OpTrace> ask_op_trace(const AgentDatabase& database,
                                   const wire::OpTraceRequest& request,
                                   std::chrono::milliseconds timeout = kOpTraceTimeout);

// A recording's directory, held open: its manifest goes into what was looked at, whatever happens
// to the name meanwhile. Not thread-safe.
class RecordingDirectory {
 public:
  // Makes it with mode 0700 where it is missing, for the user of the database's process. kConflict:
  // it is not empty; kIo otherwise.
  static Result<RecordingDirectory> make(const std::string& path, const AgentDatabase& database);
  // Of a recording that somebody else began, where the database's agent says that it is. Root is
  // not led into another's: kPermission where it is not the database's user's; kIo otherwise.
  static Result<RecordingDirectory> find(const std::string& path, const AgentDatabase& database);
  ~RecordingDirectory();
  RecordingDirectory(RecordingDirectory&& other) noexcept;
  RecordingDirectory& operator=(RecordingDirectory&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }  // absolute
  // Replaces the manifest in it.
  [[nodiscard]] Result<void> write_manifest(const trace::OpRecording& recording) const;

 private:
  RecordingDirectory(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  static Result<RecordingDirectory> open(const std::string& path);
  [[nodiscard]] std::string address() const;
  std::string path_;
  int fd_;
};

// kProtocol: the agent speaks of another directory than this.
Result<void> check_directory(const wire::OpTrace& status, const std::string& directory,
                             const AgentDatabase& database);

// What a replay needs to know of the database beside its options file, in which what rocktune has
// turned stands as it was turned: a replay begins with what was found.
struct RecordedObjects {
  std::optional<std::int64_t> block_cache_bytes;
  std::optional<std::int64_t> rate_limit_bytes_per_second;
  std::optional<trace::FoundKnobs> found_knobs = {};
};
RecordedObjects objects_of(const wire::Sample& sample);
Result<RecordedObjects> recorded_objects(const AgentDatabase& database);
// And what rocktune has turned until `later`. Pure.
void add_found_since(RecordedObjects& objects, const RecordedObjects& later);

trace::OpRecording op_recording(const AgentDatabase& database, const RecordedObjects& objects,
                                const wire::OpTrace& status);
// Once nothing more is written: with the checksum of its ops.trace, and counts of what is in it. A
// database that is gone could not tell of its last moment.
Result<trace::OpRecording> ended_recording(const AgentDatabase& database,
                                           const RecordedObjects& objects,
                                           const wire::OpTrace& status);

// "12.0 s of 60.0 s   34.5 MiB of 1 GiB   1.20k writes, 3.40k reads". Pure.
std::string recording_line(const wire::OpTrace& status);
// What it has recorded and why it ended, for people. Pure.
std::vector<std::string> recording_lines(const wire::OpTrace& status);
// As asked for: by its time, its size, or somebody's request.
bool ended_as_asked(const wire::OpTrace& status);

}  // namespace rocktune::tools
