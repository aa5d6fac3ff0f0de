// Who is behind an agent's socket, or rocktuned's. The directory of the sockets may be open to
// every user (mode 1777), so that nothing there is believed because of its name: the kernel says
// which user and which process listens, and that must fit the socket's owner, its name and what the
// agent says.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune {

// Root, or this process's own user.
bool is_trusted(uid_t user);

// From SO_PEERCRED, as this process numbers users and processes.
struct PeerProcess {
  uid_t user = 0;
  std::int64_t pid = 0;  // 0: in a PID namespace that cannot be seen from here
};

// One socket's file, held open: what was looked at is what is connected to, whatever happens to
// the name. Symbolic links are not followed.
class SocketEntry {
 public:
  // kNotFound: nothing is there; kPermission; kIo otherwise, with the path.
  static Result<SocketEntry> open(const std::string& path);
  ~SocketEntry();
  SocketEntry(SocketEntry&& other) noexcept;
  SocketEntry& operator=(SocketEntry&&) = delete;

  [[nodiscard]] std::string address() const;  // a path to connect to while this lives
  [[nodiscard]] uid_t owner() const { return owner_; }

 private:
  SocketEntry(int fd, uid_t owner) : fd_(fd), owner_(owner) {}
  int fd_;
  uid_t owner_;
};

Result<PeerProcess> peer_process(int socket);

// There is no process of this number, as this process numbers them.
bool is_gone(std::int64_t pid);
// Why no connection to an agent's socket is taken: "nobody listens there", and whether the process
// that its name has is gone.
std::string nobody_listens(const std::string& socket_path);

// The listener must be root, this process's own user, or the owner of the socket's file.
Result<void> check_user(const PeerProcess& peer, uid_t owner);

// Of rocktuned's socket at `path`, which anybody may have made where it does not run: the listener
// must be root or this process's own user. Root also speaks with the user whose the
// socket's directory is, where neither it nor any directory above is anybody else's (but root's),
// or for group or others to write to, or reached by a link.
Result<void> check_daemon(const PeerProcess& peer, const std::string& path);

// The pid that the agent gives must be the one in its socket's name, and the listener's: as seen
// from here, or, of a container, in its innermost PID namespace. A listener that cannot be seen
// from here passes.
Result<void> check_pid(const PeerProcess& peer, std::int64_t given, std::int64_t in_name,
                       const std::string& proc_root = "/proc");

// The pid that an agent gives of its process, where a /proc other than this process's own has that
// process by it: of that command and user, and in no PID namespace of its own. 0: it has not, and
// what it has by that pid is another process.
std::int64_t find_in(const std::string& proc_root, std::int64_t given, const std::string& command,
                     uid_t user);

// Whether a process of `user` may speak for the database at `path`: root and this process's user
// for any, others for those whose CURRENT file (written at each opening) is theirs, or that cannot
// be seen from here.
Result<void> check_database(uid_t user, const std::string& path);

}  // namespace rocktune
