#include "tools/op_recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "files/peer_process.h"
#include "files/replace_file.h"
#include "model/knobs.h"
#include "model/text.h"
#include "tools/text.h"
#include "trace/op_trace_file.h"
#include "wire/codec.h"

namespace rocktune::tools {
namespace {

namespace fs = std::filesystem;

// Hard links of ten thousand SST files, the copy of a log, and a change that is under way.
constexpr const char* kCheckpointDirectory = "checkpoint";

std::string reason_of(int code) {
  return std::system_category().message(code);
}

using FileSizes = std::map<std::string, std::uint64_t>;

FileSizes checkpoint_files(const std::string& directory) {
  FileSizes files;
  std::error_code error;
  for (auto it = fs::directory_iterator(fs::path(directory) / kCheckpointDirectory, error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code gone;
    const auto bytes = it->file_size(gone);
    if (!gone) files[it->path().filename().string()] = bytes;
  }
  return files;
}

// 12 of OPTIONS-000012; nothing of what is called otherwise.
std::optional<std::uint64_t> number_of_options(std::string_view name) {
  constexpr std::string_view kPrefix = "OPTIONS-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// By number, which has six digits at least: OPTIONS-1000000 comes after OPTIONS-999999.
std::string newest_options(const FileSizes& files) {
  std::string newest;
  std::uint64_t newest_number = 0;
  for (const auto& [name, bytes] : files) {
    const auto number = number_of_options(name);
    if (!number || *number < newest_number) continue;
    newest = name;
    newest_number = *number;
  }
  return newest.empty() ? newest : std::string(kCheckpointDirectory) + "/" + newest;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// Whoever may write to the directory around it may put something else in its place at any moment,
// so that what is given away is what was opened, and not what its name has become.
Result<void> give_to(uid_t user, gid_t group, int around, const std::string& name,
                     const std::string& path) {
  const auto failed = [&](const std::string& why) {
    return fail(ErrorCode::kIo, path + " cannot be given to the database's user: " + why);
  };
  const Descriptor made(
      ::openat(around, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (made.number() < 0 || ::fstat(made.number(), &info) != 0) return failed(reason_of(errno));
  const bool as_made = info.st_uid == ::geteuid() && (info.st_mode & 07777) == 0700;
  if (!as_made) return failed("it is no longer the one that was made");
  if (::fchown(made.number(), user, group) != 0) return failed(reason_of(errno));
  return {};
}

Result<void> make_directory(const std::string& path, const AgentDatabase& database) {
  const auto failed = [&] {
    return fail(ErrorCode::kIo, path + " cannot be made: " + reason_of(errno));
  };
  const std::string name = fs::path(path).filename().string();
  const Descriptor around(
      ::open(fs::path(path).parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (around.number() < 0) return failed();
  if (::mkdirat(around.number(), name.c_str(), 0700) != 0) {
    return errno == EEXIST ? Result<void>() : failed();
  }
  struct stat socket{};
  if (::geteuid() != 0 || ::lstat(database.socket.c_str(), &socket) != 0) return {};
  return give_to(socket.st_uid, socket.st_gid, around.number(), name, path);
}

std::string end_text(const wire::OpTrace& status) {
  static const std::map<std::string, std::string> kWhy = {
      {"request", "it was asked to"},
      {"time", "its time was over"},
      {"size", "it reached its size"},
      {"disk_slow", "the disk was too slow for it"},
      {"disk_full", "the disk is full, but for what is left to the database"},
      {"disk_error", "the disk failed"},
      {"large_record", "one write was larger than the 4 MiB that a trace takes"},
      {"closing", "the database was closed"},
      {"host", "the program began or ended a trace of its own"}};
  const auto why = kWhy.find(status.why_ended);
  const std::string text = why != kWhy.end() ? why->second : printable(status.why_ended);
  return status.problem.empty() ? text : text + " (" + printable(status.problem) + ")";
}

}  // namespace

Result<wire::OpTrace> ask_op_trace(const AgentDatabase& database,
                                   const wire::OpTraceRequest& request,
                                   std::chrono::milliseconds timeout) {
  const auto answer = tell_database(database, "op_trace", wire::encode(request), timeout);
  if (!answer) return tl::unexpected(answer.error());
  auto status = wire::decode<wire::OpTrace>(answer->dump());
  if (!status) {
    return fail(ErrorCode::kProtocol, "agent " + database.socket + ": " + status.error());
  }
  return *std::move(status);
}

Result<RecordingDirectory> RecordingDirectory::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail(ErrorCode::kIo, path + ": " + reason_of(errno));
  return RecordingDirectory(path, fd);
}

Result<RecordingDirectory> RecordingDirectory::make(const std::string& path,
                                                    const AgentDatabase& database) {
  std::error_code error;
  auto absolute = fs::absolute(path, error).lexically_normal().string();
  if (error) return fail(ErrorCode::kIo, path + ": " + error.message());
  while (absolute.size() > 1 && absolute.back() == '/') absolute.pop_back();
  if (auto made = make_directory(absolute, database); !made) return tl::unexpected(made.error());
  auto directory = open(absolute);
  if (!directory) return directory;
  const fs::path held = directory->address();
  if (fs::exists(held / trace::kOpManifestName, error)) {
    return fail(ErrorCode::kConflict,
                absolute + " has a recording already: choose another directory");
  }
  const bool empty = fs::is_empty(held, error);
  if (error) return fail(ErrorCode::kIo, absolute + ": " + error.message());
  if (!empty) {
    return fail(ErrorCode::kConflict, absolute + " is not empty: choose another directory");
  }
  return directory;
}

Result<RecordingDirectory> RecordingDirectory::find(const std::string& path,
                                                    const AgentDatabase& database) {
  auto directory = open(path);
  if (!directory || is_trusted(database.owner)) return directory;
  struct stat info{};
  if (::fstat(directory->fd_, &info) == 0 && info.st_uid == database.owner) return directory;
  return fail(ErrorCode::kPermission,
              path + " belongs to uid " + std::to_string(info.st_uid) + ", the database to uid " +
                  std::to_string(database.owner) + ": nothing is written there");
}

RecordingDirectory::RecordingDirectory(RecordingDirectory&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

RecordingDirectory::~RecordingDirectory() {
  if (fd_ >= 0) ::close(fd_);
}

std::string RecordingDirectory::address() const {
  return "/proc/self/fd/" + std::to_string(fd_);
}

Result<void> RecordingDirectory::write_manifest(const trace::OpRecording& recording) const {
  const auto written =
      replace_file(address() + "/" + trace::kOpManifestName, trace::encode(recording));
  if (written) return {};
  Error error = written.error();
  if (error.message.starts_with(address())) error.message.replace(0, address().size(), path_);
  return tl::unexpected(std::move(error));
}

Result<void> check_directory(const wire::OpTrace& status, const std::string& directory,
                             const AgentDatabase& database) {
  if (status.directory == directory) return {};
  return fail(ErrorCode::kProtocol, "agent " + database.socket + " records to " + status.directory +
                                        ", and not to " + directory);
}

RecordedObjects objects_of(const wire::Sample& sample) {
  RecordedObjects objects;
  if (const auto capacity = sample.cache.find("capacity_bytes"); capacity != sample.cache.end()) {
    objects.block_cache_bytes = static_cast<std::int64_t>(capacity->second);
  }
  auto& found = objects.found_knobs.emplace();
  for (const auto& knob : sample.knobs) {
    const bool ours = knob.owner == "rocktune";
    const std::int64_t own = ours ? knob.found : knob.value;
    if (knob.name == knob::kRateLimit) {
      if (own < kUnlimitedBytesPerSecond) objects.rate_limit_bytes_per_second = own;
    } else if (knob.name == knob::kCacheCapacity) {
      if (ours) objects.block_cache_bytes = own;
    } else if (ours) {
      found[knob.column_family][knob.name] = own;
    }
  }
  return objects;
}

void add_found_since(RecordedObjects& objects, const RecordedObjects& later) {
  if (!later.found_knobs) return;
  if (!objects.found_knobs) objects.found_knobs.emplace();
  for (const auto& [family, knobs] : *later.found_knobs) {
    (*objects.found_knobs)[family].insert(knobs.begin(), knobs.end());
  }
}

Result<RecordedObjects> recorded_objects(const AgentDatabase& database) {
  const auto answer = ask_database(database, "sample");
  if (!answer) return tl::unexpected(answer.error());
  const auto sample = wire::decode<wire::Sample>(answer->dump());
  if (!sample) {
    return fail(ErrorCode::kProtocol, "agent " + database.socket + ": " + sample.error());
  }
  return objects_of(*sample);
}

trace::OpRecording op_recording(const AgentDatabase& database, const RecordedObjects& objects,
                                const wire::OpTrace& status) {
  trace::OpRecording recording;
  recording.database = database.path;
  recording.pid = database.pid;
  recording.command = database.command;
  recording.rocksdb_version = database.rocksdb_version;
  recording.begin = text::rfc3339(std::chrono::nanoseconds(status.begin_wall_ns));
  recording.seconds = status.elapsed_seconds;
  recording.state = status.state == "ended" ? "ended" : "recording";
  recording.why_ended = status.why_ended;
  recording.problem = status.problem;
  recording.bytes = status.bytes;
  recording.writes = status.writes;
  recording.gets = status.gets;
  recording.multigets = status.multigets;
  recording.seeks = status.seeks;
  recording.keep_one_read_of = status.keep_one_read_of;
  recording.reads_left_out = status.reads_left_out;
  recording.checkpoint = status.checkpoint;
  if (status.checkpoint) {
    recording.checkpoint_files = checkpoint_files(status.directory);
    recording.options_file = newest_options(*recording.checkpoint_files);
  }
  recording.block_cache_bytes = objects.block_cache_bytes;
  recording.rate_limit_bytes_per_second = objects.rate_limit_bytes_per_second;
  recording.found_knobs = objects.found_knobs;
  recording.writer_ns_per_operation = status.writer_ns_per_operation;
  return recording;
}

Result<trace::OpRecording> ended_recording(const AgentDatabase& database,
                                           const RecordedObjects& objects,
                                           const wire::OpTrace& status) {
  const std::string file = status.directory + "/" + trace::kOpTraceName;
  std::error_code ignored;
  if (const auto what = fs::symlink_status(file, ignored);
      fs::exists(what) && !fs::is_regular_file(what)) {
    return fail(ErrorCode::kIo, file + ": is no regular file");
  }
  const auto contents = trace::read_op_trace(file);
  if (!contents) return tl::unexpected(contents.error());
  auto recording = op_recording(database, objects, status);
  recording.bytes = contents->bytes;
  recording.writes = contents->writes;
  recording.gets = contents->gets;
  recording.multigets = contents->multigets;
  recording.seeks = contents->seeks;
  recording.crc32 = contents->crc32;
  return recording;
}

std::string recording_line(const wire::OpTrace& status) {
  const auto reads = static_cast<double>(status.gets + status.multigets + status.seeks);
  return seconds_text(status.elapsed_seconds) + " of " + seconds_text(status.seconds) + "   " +
         bytes_text(static_cast<double>(status.bytes)) + " of " +
         bytes_text(static_cast<double>(status.max_bytes)) + "   " +
         count_text(static_cast<double>(status.writes)) + " writes, " + count_text(reads) +
         " reads";
}

bool ended_as_asked(const wire::OpTrace& status) {
  return status.why_ended == "time" || status.why_ended == "size" || status.why_ended == "request";
}

std::vector<std::string> recording_lines(const wire::OpTrace& status) {
  if (status.state == "none") return {"nothing is recorded"};
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"directory", printable(status.directory)});
  const std::string end = status.why_ended.empty() ? "" : ": " + end_text(status);
  rows.push_back({"state", printable(status.state) + end});
  rows.push_back({"so far", recording_line(status)});
  if (status.keep_one_read_of > 1) {
    rows.push_back({"left out", count_text(static_cast<double>(status.reads_left_out)) +
                                    " reads (one of " + std::to_string(status.keep_one_read_of) +
                                    " is recorded)"});
  }
  rows.push_back({"checkpoint", status.checkpoint
                                    ? "yes, in " + seconds_text(status.checkpoint_seconds)
                                    : "none"});
  if (status.writer_ns_per_operation) {
    rows.push_back({"cost", number_text(*status.writer_ns_per_operation) +
                                " ns for each operation, without RocksDB's own part"});
  }
  return table(rows, "");
}

}  // namespace rocktune::tools
