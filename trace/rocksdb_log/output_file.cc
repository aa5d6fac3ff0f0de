#include "trace/rocksdb_log/output_file.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "trace/schema.h"

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kApplicationIdAt = 68;  // in the header: sqlite.org/fileformat2.html

Error exists_already(const std::string& path) {
  return {ErrorCode::kConflict, path + " exists already; name another file, or add --force"};
}

bool has_content(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return !error && bytes > 0;
}

// By its header alone: a trace that is damaged further on may be replaced too.
bool is_trace_file(const std::string& path) {
  std::array<char, kApplicationIdAt + 4> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  if (!file || !std::string_view(head.data(), head.size()).starts_with("SQLite format 3")) {
    return false;
  }
  std::uint32_t id = 0;
  for (std::size_t i = kApplicationIdAt; i < head.size(); ++i) {
    id = id << 8 | static_cast<unsigned char>(head[i]);
  }
  return id == static_cast<std::uint32_t>(kApplicationId);
}

// "." NAME ".importing-" PID: of what process, or 0.
pid_t importer_of(const std::string& file, const std::string& prefix) {
  pid_t pid = 0;
  if (!file.starts_with(prefix)) return 0;
  const char* const begin = file.data() + prefix.size();
  const auto parsed = std::from_chars(begin, file.data() + file.size(), pid);
  return parsed.ec == std::errc() && parsed.ptr != begin ? pid : 0;
}

// What imports to the same place left there that were killed. Of another one that runs: nothing.
void remove_abandoned(const std::filesystem::path& directory, const std::string& prefix) {
  std::error_code error;
  std::vector<std::filesystem::path> abandoned;
  std::filesystem::directory_iterator entry(directory.empty() ? "." : directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const pid_t pid = importer_of(entry->path().filename().string(), prefix);
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) abandoned.push_back(entry->path());
  }
  for (const std::filesystem::path& path : abandoned) ::unlink(path.c_str());
}

// Whether a trace may be put at `path`.
Result<void> check_place(const std::string& path, bool replace,
                         const std::vector<std::string>& sources) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (fs::is_directory(status)) {
    return fail(ErrorCode::kInvalidArgument, path + " is a directory; name the trace's file");
  }
  if (has_content(path + "-wal")) {
    return fail(ErrorCode::kConflict, path + "-wal exists: something writes to " + path +
                                          ", or was killed while it did; name another file");
  }
  if (!fs::exists(status)) return {};
  const auto read = std::find_if(sources.begin(), sources.end(), [&](const std::string& source) {
    return fs::equivalent(path, source, error) && !error;
  });
  if (read != sources.end()) {
    return fail(ErrorCode::kInvalidArgument,
                path + " is " + *read + ", which is read; name another file for the trace");
  }
  if (!fs::is_regular_file(status)) {
    return fail(ErrorCode::kInvalidArgument,
                path + " is no regular file; name another one for the trace");
  }
  if (!replace) return tl::unexpected(exists_already(path));
  if (has_content(path) && !is_trace_file(path)) {
    return fail(ErrorCode::kConflict, path +
                                          " is no rocktune trace, so --force does not replace it; "
                                          "name another file, or remove this one");
  }
  return {};
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string temporary, bool replace,
                       std::vector<std::string> sources)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      replace_(replace),
      sources_(std::move(sources)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replace_(other.replace_),
      sources_(std::move(other.sources_)) {}

OutputFile::~OutputFile() {
  remove();
}

void OutputFile::remove() const {
  if (temporary_.empty()) return;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    ::unlink((temporary_ + suffix).c_str());
  }
}

Result<OutputFile> OutputFile::prepare(const std::string& path, bool replace,
                                       std::vector<std::string> sources) {
  if (auto done = check_place(path, replace, sources); !done) return tl::unexpected(done.error());
  const std::filesystem::path place(path);
  const std::string prefix = "." + place.filename().string() + ".importing-";
  remove_abandoned(place.parent_path(), prefix);
  const std::string name = prefix + std::to_string(::getpid());
  OutputFile file(path, (place.parent_path() / name).string(), replace, std::move(sources));
  file.remove();  // of a process with the same number that was killed
  return file;
}

Result<void> OutputFile::place() {
  if (has_content(temporary_ + "-wal")) {
    return fail(ErrorCode::kIo, "cannot write " + path_ +
                                    ": SQLite could not bring it to its end; look for room on its "
                                    "file system");
  }
  // What is there may have changed since prepare().
  if (auto done = check_place(path_, replace_, sources_); !done) return done;
  bool placed = !replace_ && ::link(temporary_.c_str(), path_.c_str()) == 0;
  if (!placed && !replace_ && errno == EEXIST) return tl::unexpected(exists_already(path_));
  // Replaced, or this file system has no hard links.
  placed = placed || std::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!placed) {
    return fail(ErrorCode::kIo,
                "cannot write " + path_ + ": " + std::generic_category().message(errno));
  }
  remove();
  temporary_.clear();
  return {};
}

}  // namespace rocktune::trace::rocksdb_log
