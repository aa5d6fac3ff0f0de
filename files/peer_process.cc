#include "files/peer_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "files/agent_sockets.h"
#include "files/text_file.h"
#include "files/words.h"

namespace rocktune {
namespace {

std::string status_file(std::int64_t pid, const std::string& proc_root) {
  return proc_root + "/" + std::to_string(pid) + "/status";
}

// What follows `name` in a process's status (proc_pid_status(5)); empty: there is no such line.
std::string_view status_line(std::string_view status, std::string_view name) {
  for (const std::string_view line : split_lines(status)) {
    if (line.starts_with(name)) return line.substr(name.size());
  }
  return {};
}

// The number of a process in each of its PID namespaces, outermost first.
constexpr std::string_view kPids = "NSpid:";

Result<std::int64_t> innermost_pid(std::int64_t pid, const std::string& proc_root) {
  const std::string file = status_file(pid, proc_root);
  const Result<std::string> text = read_text_file(file);
  if (!text) return tl::unexpected<Error>(text.error());
  const std::vector<std::string_view> numbers = split_words(status_line(*text, kPids));
  const auto last = numbers.empty() ? std::nullopt : parse_unsigned(numbers.back());
  if (last) return static_cast<std::int64_t>(*last);
  return fail(ErrorCode::kNotFound, file + " has no NSpid line");
}

// Whether the directory of `path` is this user's, and nobody else but root can have put anything
// where it is: it and each directory above are root's or the user's, for neither group nor others
// to write to (in /tmp anybody makes one of any name), and no links.
bool has_to_itself(uid_t user, const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (error) return false;
  std::filesystem::path directory;
  struct stat info{};
  for (const std::filesystem::path& component : whole.parent_path()) {
    directory /= component;
    if (::lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
    if (info.st_uid != 0 && info.st_uid != user) return false;
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  }
  return info.st_uid == user;
}

}  // namespace

bool is_trusted(uid_t user) {
  return user == 0 || user == ::geteuid();
}

Result<SocketEntry> SocketEntry::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    const ErrorCode code = errno == EACCES   ? ErrorCode::kPermission
                           : errno == ENOENT ? ErrorCode::kNotFound
                                             : ErrorCode::kIo;
    return fail(code, path + ": " + std::strerror(errno));
  }
  struct stat info{};
  const bool known = ::fstat(fd, &info) == 0;
  SocketEntry entry(fd, info.st_uid);
  if (known && S_ISSOCK(info.st_mode)) return entry;
  return fail(ErrorCode::kIo, path + ": is no socket (symbolic links are not followed)");
}

SocketEntry::SocketEntry(SocketEntry&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), owner_(other.owner_) {}

SocketEntry::~SocketEntry() {
  if (fd_ >= 0) ::close(fd_);
}

std::string SocketEntry::address() const {
  return "/proc/self/fd/" + std::to_string(fd_);
}

bool is_gone(std::int64_t pid) {
  return pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

std::string nobody_listens(const std::string& socket_path) {
  const std::string name = std::filesystem::path(socket_path).filename().string();
  const std::int64_t pid = pid_of_socket(name);
  if (!is_gone(pid)) return "nobody listens there";
  return "process " + std::to_string(pid) +
         " is gone (killed?), nobody listens there: the file may be removed";
}

Result<PeerProcess> peer_process(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return fail(ErrorCode::kIo, std::string("who listens cannot be told: ") + std::strerror(errno));
  }
  return PeerProcess{peer.uid, peer.pid};
}

Result<void> check_user(const PeerProcess& peer, uid_t owner) {
  if (is_trusted(peer.user) || peer.user == owner) return {};
  return fail(ErrorCode::kPermission, "not trusted: the socket belongs to uid " +
                                          std::to_string(owner) + ", but uid " +
                                          std::to_string(peer.user) + " listens there");
}

Result<void> check_daemon(const PeerProcess& peer, const std::string& path) {
  if (is_trusted(peer.user)) return {};
  if (::geteuid() == 0 && has_to_itself(peer.user, path)) return {};
  return fail(ErrorCode::kPermission,
              "not trusted, and told nothing: uid " + std::to_string(peer.user) +
                  " listens there, which is neither root nor you; if that is the user whose "
                  "rocktuned it is, run rocktune as that user");
}

Result<void> check_pid(const PeerProcess& peer, std::int64_t given, std::int64_t in_name,
                       const std::string& proc_root) {
  const std::string claim = "not trusted: the agent says that it is pid " + std::to_string(given);
  if (given != in_name) {
    return fail(ErrorCode::kPermission,
                claim + ", its socket's name says " + std::to_string(in_name));
  }
  if (peer.pid == 0 || peer.pid == given) return {};
  const Result<std::int64_t> inside = innermost_pid(peer.pid, proc_root);
  if (inside && *inside == given) return {};
  return fail(ErrorCode::kPermission, claim + ", but pid " + std::to_string(peer.pid) +
                                          " listens there" +
                                          (inside ? "" : " (" + inside.error().message + ")"));
}

std::int64_t find_in(const std::string& proc_root, std::int64_t given, const std::string& command,
                     uid_t user) {
  const Result<std::string> text = read_text_file(status_file(given, proc_root));
  if (!text) return 0;
  const std::string_view name = status_line(*text, "Name:");
  const std::vector<std::string_view> users = split_words(status_line(*text, "Uid:"));
  const std::size_t namespaces = split_words(status_line(*text, kPids)).size();
  const bool is_it = name == "\t" + command && users.size() > 1 && namespaces == 1 &&
                     parse_unsigned(users[1]) == std::uint64_t{user};  // the effective one
  return is_it ? given : 0;
}

Result<void> check_database(uid_t user, const std::string& path) {
  struct stat info{};
  if (is_trusted(user) || ::stat((path + "/CURRENT").c_str(), &info) != 0 || info.st_uid == user) {
    return {};
  }
  return fail(ErrorCode::kPermission, "not trusted: the database belongs to uid " +
                                          std::to_string(info.st_uid) + ", its agent runs as uid " +
                                          std::to_string(user));
}

}  // namespace rocktune
