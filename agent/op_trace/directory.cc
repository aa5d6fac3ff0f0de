#include "agent/op_trace/directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "agent/op_trace/file.h"

namespace rocktune::agent {
namespace {

std::string message_of(int code) {
  return std::system_category().message(code);
}

std::string why_not_trusted(const struct stat& info) {
  if (info.st_uid != ::geteuid()) return " does not belong to the user of the database's process";
  const bool sticky = (info.st_mode & S_ISVTX) != 0;
  if (!sticky && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return " can be written by others than its owner: chmod go-w";
  }
  return {};
}

}  // namespace

OpTraceDirectory::OpTraceDirectory(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

OpTraceDirectory::OpTraceDirectory(OpTraceDirectory&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OpTraceDirectory::~OpTraceDirectory() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

tl::expected<OpTraceDirectory, std::string> OpTraceDirectory::open(const std::string& path) {
  if (!path.starts_with('/')) {  // the host may change its working directory
    return tl::unexpected("directory: must be absolute, not '" + path + "'");
  }
  const std::string named = "directory " + path;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    struct stat info{};
    const int code = errno;
    if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
      return tl::unexpected(named + " is a symbolic link, which somebody could turn elsewhere");
    }
    return tl::unexpected(named + ": " + message_of(code));
  }
  OpTraceDirectory directory(path, descriptor);
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) return tl::unexpected(named + ": " + message_of(errno));
  if (auto why = why_not_trusted(info); !why.empty()) return tl::unexpected(named + why);
  return directory;
}

std::string OpTraceDirectory::why_no_links_from(const std::vector<std::string>& paths) const {
  struct stat here{};
  if (::fstat(descriptor_, &here) != 0) return path_ + ": " + message_of(errno);
  for (const auto& path : paths) {
    struct stat there{};
    if (::stat(path.c_str(), &there) != 0) {
      return "the database's " + path + " is no directory of this machine: " + message_of(errno);
    }
    if (there.st_dev != here.st_dev) {
      return "a checkpoint is made of hard links, and the database's " + path +
             " is on another file system than " + path_ +
             ": choose a directory there, or leave the checkpoint out";
    }
  }
  return {};
}

std::string OpTraceDirectory::why_no_room(std::uint64_t bytes) const {
  struct statvfs space{};
  if (::fstatvfs(descriptor_, &space) != 0) return path_ + ": " + message_of(errno);
  const auto free = std::uint64_t{space.f_bavail} * space.f_frsize;
  const auto reserve = reserve_of(std::uint64_t{space.f_blocks} * space.f_frsize);
  if (free >= reserve && free - reserve >= bytes) return {};
  return path_ + " has " + std::to_string(free) + " bytes free, and a trace of " +
         std::to_string(bytes) + " may leave no less than " + std::to_string(reserve);
}

tl::expected<int, std::string> OpTraceDirectory::create_file() const {
  const int file = ::openat(descriptor_, kOpTraceFileName,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  return tl::unexpected(path_ + "/" + kOpTraceFileName + ": " + message_of(errno) +
                        (errno == EEXIST ? "; every recording needs a directory of its own" : ""));
}

void OpTraceDirectory::remove_file() const {
  ::unlinkat(descriptor_, kOpTraceFileName, 0);
}

}  // namespace rocktune::agent
