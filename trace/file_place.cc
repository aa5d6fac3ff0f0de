#include "trace/file_place.h"

#include <sys/stat.h>

#include <cerrno>

namespace rocktune::trace {

FilePlace::FilePlace(std::string path) : path_(std::move(path)) {
  struct stat info{};
  if (::stat(path_.c_str(), &info) == 0) file_ = {info.st_dev, info.st_ino};
}

FilePlace::Now FilePlace::look() const {
  struct stat info{};
  if (::stat(path_.c_str(), &info) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? Now::kNone : Now::kThere;
  }
  const bool same = !file_ || *file_ == std::pair(info.st_dev, info.st_ino);
  return same ? Now::kThere : Now::kOther;
}

}  // namespace rocktune::trace
