#include "bench/trial/clone.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// A copy that shares its blocks until one side writes; false where the file system cannot.
bool reflink(const fs::path& from, const fs::path& to) {
  const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) return false;
  const int target = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  const bool done = target >= 0 && ioctl(target, FICLONE, source) == 0;
  if (target >= 0) close(target);
  close(source);
  if (target >= 0 && !done) unlink(to.c_str());
  return done;
}

std::error_code clone_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (reflink(from, to)) return error;
  if (from.extension() == ".sst") {
    fs::create_hard_link(from, to, error);
    if (error != std::errc::cross_device_link) return error;
    error.clear();
  }
  fs::copy_file(from, to, error);
  return error;
}

}  // namespace

Result<void> clone_database(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::create_directory(to, error)) {
    return fail(ErrorCode::kIo, to + ": cannot be created: " +
                                    (error ? error.message() : std::string("it exists")));
  }
  for (fs::directory_iterator entry(from, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path target = fs::path(to) / entry->path().filename();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (auto inner = clone_database(entry->path().string(), target.string()); !inner) {
        return inner;
      }
    } else if (entry->is_regular_file(ignored)) {
      if (const auto failed = clone_file(entry->path(), target); failed) {
        return fail(ErrorCode::kIo, target.string() + ": " + failed.message());
      }
    }
  }
  if (error) return fail(ErrorCode::kIo, from + ": cannot be read: " + error.message());
  return {};
}

}  // namespace rocktune::bench
