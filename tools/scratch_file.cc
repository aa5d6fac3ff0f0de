#include "tools/scratch_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace rocktune::tools {
namespace {

constexpr double kFullest = 0.9;
constexpr double kLeastFree = 0.05;

Error failed_at(const std::string& path, const char* what) {
  return {ErrorCode::kIo, path + ": " + what + ": " + std::generic_category().message(errno)};
}

std::string mebibytes(double bytes) {
  return std::to_string(static_cast<std::int64_t>(bytes / (1 << 20))) + " MiB";
}

Result<std::string> directory_of(const std::string& place) {
  struct stat status{};
  if (::stat(place.c_str(), &status) != 0) {
    return tl::unexpected(failed_at(place, "cannot be looked at"));
  }
  if (S_ISDIR(status.st_mode)) return place;
  if (S_ISREG(status.st_mode)) {
    const std::string parent = std::filesystem::path(place).parent_path().string();
    return parent.empty() ? std::string(".") : parent;
  }
  return fail(ErrorCode::kInvalidArgument,
              place +
                  ": is no directory and no file. A device itself is never written to: give a "
                  "directory on a file system that lies on it");
}

}  // namespace

Result<void> check_room(const Room& room, std::int64_t size_bytes) {
  const auto total = static_cast<double>(room.total_bytes);
  const auto free = static_cast<double>(room.free_bytes);
  const auto size = static_cast<double>(size_bytes);
  const double needed = std::max(2 * size, kLeastFree * total);
  if (free < needed) {
    return fail(ErrorCode::kInvalidArgument, "only " + mebibytes(free) + " are free, " +
                                                 mebibytes(needed) +
                                                 " have to be: give a smaller --size");
  }
  if (total - free + size > kFullest * total) {
    return fail(ErrorCode::kInvalidArgument,
                "the disk would be more than 90% full with " + mebibytes(size) +
                    " more: free some space, or give a smaller --size");
  }
  return {};
}

Result<ScratchFile> ScratchFile::create(const std::string& place, std::int64_t size_bytes) {
  auto directory = directory_of(place);
  if (!directory) return tl::unexpected(directory.error());
  struct statvfs space{};
  if (::statvfs(directory->c_str(), &space) != 0) {
    return tl::unexpected(failed_at(*directory, "its free space cannot be read"));
  }
  const auto unit = static_cast<std::int64_t>(space.f_frsize);
  const Room room{static_cast<std::int64_t>(space.f_blocks) * unit,
                  static_cast<std::int64_t>(space.f_bavail) * unit};
  if (auto enough = check_room(room, size_bytes); !enough) {
    return tl::unexpected(enough.error().within(*directory));
  }
  const std::string path =
      *directory + "/.rocktune-probe-device." + std::to_string(::getpid()) + ".tmp";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return tl::unexpected(failed_at(path, "cannot be made"));
  ScratchFile file(descriptor, *directory);
  if (::unlink(path.c_str()) != 0) return tl::unexpected(failed_at(path, "cannot be removed"));
  // Else fio would want to remove it and make it anew.
  if (::ftruncate(descriptor, size_bytes) != 0) {
    return tl::unexpected(failed_at(path, "cannot be made as long as asked"));
  }
  return file;
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : descriptor_(other.descriptor_), directory_(std::move(other.directory_)) {
  other.descriptor_ = -1;
}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ScratchFile::takes_direct_io() const {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
  if (descriptor < 0) return false;
  ::close(descriptor);
  return true;
}

std::string ScratchFile::device() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return "";
  std::error_code error;
  const auto link =
      std::filesystem::read_symlink("/sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                                        std::to_string(minor(status.st_dev)),
                                    error);
  return error ? std::string() : link.filename().string();
}

}  // namespace rocktune::tools
