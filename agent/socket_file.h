// The agent's listening socket in the file system: $ROCKTUNE_AGENT_DIR/agent.<pid>.sock.
//
// Readable by its owner alone from the first moment. What already lies at the path is neither
// followed nor overwritten, unless it is a socket of ours at which nobody listens any more.
// Thread-safety: none needed; one thread at a time.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <string>
#include <tl/expected.hpp>

namespace rocktune::agent {

class SocketFile {
 public:
  // Creates `directory` (0700) if only that is missing, removes the sockets that dead processes of
  // this user left there, and listens. The error is one sentence.
  static tl::expected<SocketFile, std::string> listen(const std::string& directory, pid_t pid);

  [[nodiscard]] const std::string& path() const { return path_; }
  // The descriptor is the caller's to close; the file is not removed with it.
  [[nodiscard]] int descriptor() const { return fd_; }
  // Nothing has its name any more: somebody emptied, or made anew, the directory.
  [[nodiscard]] bool is_gone() const;
  // Listens at the same path anew, with a new descriptor; that of before is still the caller's. The
  // directory has to be there. The error is one sentence, and nothing has changed then.
  tl::expected<void, std::string> listen_again();
  // Removes the file, if it still is the one that was made here.
  void remove() const;

 private:
  explicit SocketFile(std::string path) : path_(std::move(path)) {}
  tl::expected<void, std::string> bind_and_listen();

  std::string path_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  timespec changed_{};  // an inode's number alone may be used again
};

// True if the process at the other end runs as this user or as root.
bool peer_is_trusted(int fd);

}  // namespace rocktune::agent
