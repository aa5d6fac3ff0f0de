#include "bench/device/loop_traces.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/device/block_throttle.h"
#include "bench/device/loop_control.h"
#include "bench/text_file.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Only names of our own are ever taken down, whatever a note says.
bool is_ours(const LoopTraces& traces) {
  return fs::path(traces.directory).is_absolute() &&
         fs::path(traces.directory).filename().string().starts_with("rocktune-loop.") &&
         (traces.group.empty() ||
          fs::path(traces.group).filename().string().starts_with("rocktune-bench."));
}

std::optional<LoopTraces> parse(const std::string& text) {
  const json note = json::parse(text, nullptr, false);
  if (!note.is_object() || !note.contains("directory") || !note.contains("group") ||
      !note["directory"].is_string() || !note["group"].is_string()) {
    return std::nullopt;
  }
  LoopTraces traces{note["directory"].get<std::string>(), note["group"].get<std::string>()};
  if (!is_ours(traces)) return std::nullopt;
  return traces;
}

// A note that nobody holds is locked by us and read; its process is gone then.
std::optional<LoopLeftover> abandoned(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  std::optional<LoopLeftover> left;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    const auto text = read_text_file(path);
    if (auto traces = parse(text ? *text : "")) {
      const bool removed = take_down(*traces);
      left = LoopLeftover{std::move(*traces), removed};
    }
    // An empty note is of a process that had made nothing yet.
    if (!left || left->removed) ::unlink(path.c_str());
  }
  ::close(file);
  return left;
}

}  // namespace

bool take_down(const LoopTraces& traces) {
  std::error_code error;
  unmount(traces.mount_point());
  if (const auto loop = find_loop(traces.image())) detach_loop(*loop);
  if (!traces.group.empty()) remove_group(traces.group);
  ::unlink(traces.image().c_str());
  ::rmdir(traces.mount_point().c_str());
  ::rmdir(traces.directory.c_str());
  return !fs::exists(traces.directory, error) &&
         (traces.group.empty() || !fs::exists(traces.group, error));
}

Result<LoopNote> LoopNote::write(const std::string& notes, const LoopTraces& traces) {
  if (::mkdir(notes.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(ErrorCode::kIo, notes + ": cannot be made: " + std::strerror(errno));
  }
  const std::string path = notes + "/" + fs::path(traces.directory).filename().string() + ".json";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorCode::kIo, path + ": " + std::strerror(errno));
  LoopNote note(path, file);
  const std::string text =
      json{{"directory", traces.directory}, {"group", traces.group}}.dump() + "\n";
  struct stat info{};
  // Between its making and its locking somebody may have taken it for abandoned and removed it.
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 || ::fstat(file, &info) != 0 || info.st_nlink == 0 ||
      ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail(ErrorCode::kIo, path + ": cannot be written: " + std::strerror(errno));
  }
  return note;
}

LoopNote::LoopNote(LoopNote&& other) noexcept
    : path_(std::exchange(other.path_, "")), file_(std::exchange(other.file_, -1)) {}

LoopNote::~LoopNote() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

void LoopNote::keep() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

std::vector<LoopLeftover> take_down_leftovers(const std::string& notes) {
  std::vector<LoopLeftover> found;
  std::error_code error;
  for (fs::directory_iterator entry(notes, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".json") continue;
    if (auto left = abandoned(entry->path().string())) found.push_back(std::move(*left));
  }
  return found;
}

}  // namespace rocktune::bench
