#include "agent/socket_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

namespace rocktune::agent {
namespace {

constexpr int kBacklog = 64;               // a client that does not wait is refused beyond this
constexpr int kMaxEntriesLookedAt = 4096;  // a directory full of something else costs no more

std::string reason(int code) {
  return std::system_category().message(code);
}

int stream_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// A socket file of this user's at which nobody listens.
bool is_abandoned(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return false;
  if (info.st_uid != ::geteuid()) return false;
  const auto address = address_of(path);
  if (!address) return false;
  const int fd = stream_socket();
  if (fd < 0) return false;
  const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
  const int code = errno;
  ::close(fd);
  return result != 0 && code == ECONNREFUSED;
}

// A text in which a process said why it is not seen (agent/preload/why.h): of this user's.
bool is_reason(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
}

constexpr std::string_view kSocketName = ".sock";
constexpr std::string_view kReasonName = ".why";

// The number in "agent.<pid><after>", or 0.
pid_t pid_in(std::string_view name, std::string_view after) {
  constexpr std::string_view kBefore = "agent.";
  if (!name.starts_with(kBefore) || !name.ends_with(after)) return 0;
  name.remove_prefix(kBefore.size());
  if (name.size() <= after.size()) return 0;
  name.remove_suffix(after.size());
  pid_t pid = 0;
  const std::string digits(name);
  const char* const end = digits.c_str() + digits.size();
  const auto [stop, failed] = std::from_chars(digits.c_str(), end, pid);
  return failed == std::errc() && stop == end && pid > 0 ? pid : 0;
}

// Both must hold: the process is gone and nobody answers. (A process of another PID namespace may
// be alive under a number that is free here; one that has bound but not yet listened refuses.)
void remove_abandoned(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (!entries) return;
  for (int seen = 0; seen < kMaxEntriesLookedAt; ++seen) {
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) return;
    const pid_t listener = pid_in(entry->d_name, kSocketName);
    const pid_t pid = listener != 0 ? listener : pid_in(entry->d_name, kReasonName);
    if (pid == 0 || ::kill(pid, 0) == 0 || errno != ESRCH) continue;
    const std::string path = directory + "/" + entry->d_name;
    if (listener != 0 ? is_abandoned(path) : is_reason(path)) ::unlink(path.c_str());
  }
}

// Empty, or why sockets cannot be put there.
std::string prepare_directory(const std::string& directory) {
  const std::string named = "ROCKTUNE_AGENT_DIR " + directory;
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return named + " cannot be created: " + reason(errno);
  }
  struct stat info{};
  const bool is_link = ::lstat(directory.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  if (is_link && info.st_uid != 0 && info.st_uid != ::geteuid()) {
    return named + " is a symbolic link of another user, who could turn it elsewhere";
  }
  if (::stat(directory.c_str(), &info) != 0) return named + ": " + reason(errno);
  if (!S_ISDIR(info.st_mode)) return named + " is not a directory";
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) {
    return named + " belongs to another user, who could replace the socket";
  }
  if ((info.st_mode & S_ISVTX) == 0) {  // with it only a file's owner can remove or rename it
    if ((info.st_mode & S_IWOTH) != 0) {
      return named + " can be written by everybody, who could replace the socket: chmod o-w or +t";
    }
    if ((info.st_mode & S_IWGRP) != 0) {
      return named + " can be written by its group, who could replace the socket: chmod g-w or +t";
    }
  }
  return {};
}

}  // namespace

tl::expected<SocketFile, std::string> SocketFile::listen(const std::string& directory, pid_t pid) {
  if (!directory.starts_with('/')) {  // the host may change its working directory
    return tl::unexpected("ROCKTUNE_AGENT_DIR " + directory + " must begin with /");
  }
  if (auto problem = prepare_directory(directory); !problem.empty()) {
    return tl::unexpected(std::move(problem));
  }
  remove_abandoned(directory);
  const std::string path = directory + "/agent." + std::to_string(pid) + ".sock";
  if (is_abandoned(path)) ::unlink(path.c_str());  // of an earlier process with this number
  SocketFile file(path);
  if (const auto listening = file.bind_and_listen(); !listening) {
    return tl::unexpected(listening.error());
  }
  return file;
}

tl::expected<void, std::string> SocketFile::bind_and_listen() {
  const auto address = address_of(path_);
  if (!address) return tl::unexpected(path_ + " is longer than a Unix socket's path may be");
  const int fd = stream_socket();
  if (fd < 0) return tl::unexpected("no socket: " + reason(errno));
  const auto fail = [&](const char* what) {
    const int code = errno;
    ::close(fd);  // before there may be no memory for words
    return tl::unexpected(std::string(what) + " " + path_ + ": " + reason(code));
  };
  // On Linux the file gets the mode of the unbound socket: it never is accessible to others.
  if (::fchmod(fd, 0600) != 0) return fail("cannot set the mode of");
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return fail("cannot bind");
  }
  if (::listen(fd, kBacklog) != 0) {
    const int code = errno;
    ::unlink(path_.c_str());
    errno = code;
    return fail("cannot listen at");
  }
  fd_ = fd;
  struct stat info{};
  if (::lstat(path_.c_str(), &info) == 0) {
    device_ = info.st_dev;
    inode_ = info.st_ino;
    changed_ = info.st_ctim;
  }
  return {};
}

bool SocketFile::is_gone() const {
  struct stat info{};
  return ::lstat(path_.c_str(), &info) != 0 && errno == ENOENT;
}

tl::expected<void, std::string> SocketFile::listen_again() {
  const std::string directory = path_.substr(0, path_.rfind('/'));
  if (::access(directory.c_str(), F_OK) != 0) return tl::unexpected(directory + " is not there");
  if (auto problem = prepare_directory(directory); !problem.empty()) {
    return tl::unexpected(std::move(problem));
  }
  return bind_and_listen();
}

void SocketFile::remove() const {
  struct stat info{};
  if (::lstat(path_.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  const bool same = info.st_dev == device_ && info.st_ino == inode_ &&
                    info.st_ctim.tv_sec == changed_.tv_sec &&
                    info.st_ctim.tv_nsec == changed_.tv_nsec;
  if (same) ::unlink(path_.c_str());
}

bool peer_is_trusted(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == ::geteuid();
}

}  // namespace rocktune::agent
