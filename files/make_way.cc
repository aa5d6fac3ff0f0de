#include "files/make_way.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "files/peer_process.h"

namespace rocktune {

namespace {

// Anybody may put something there, and take away only what is theirs.
bool is_open_to_all(const std::filesystem::path& directory) {
  struct stat info{};
  const mode_t open = S_ISVTX | S_IWOTH;
  return ::stat(directory.empty() ? "." : directory.c_str(), &info) == 0 &&
         (info.st_mode & open) == open;
}

}  // namespace

void make_way(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || is_trusted(info.st_uid)) return;
  if (!is_open_to_all(std::filesystem::path(path).parent_path())) return;
  if (::unlink(path.c_str()) == 0 || errno != EISDIR) return;
  if (::rmdir(path.c_str()) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) return;
  // A directory of ours, which nobody else can fill or take, gives way to theirs.
  std::string aside = path + ".aside.XXXXXX";
  if (::mkdtemp(aside.data()) == nullptr) return;
  if (std::rename(path.c_str(), aside.c_str()) != 0) ::rmdir(aside.c_str());
}

}  // namespace rocktune
