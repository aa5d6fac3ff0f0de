// Keeps a forked child free of the agent: after fork() the child has none of its threads, and must
// neither wait for locks that they held nor hold its sockets open.
//
// Thread-safety: all functions; in_child() is safe anywhere.
#pragma once

namespace rocktune::agent {

// Registers the handler, once for the process. Call before the first lock of the agent is taken.
void watch_forks();

// True in a child of a process whose agent was in use: do nothing there.
bool in_child() noexcept;

// A socket that the child shall close. Let go of it before the descriptor is closed; a number that
// was reused meanwhile is recognised.
class ForkSlot {
 public:
  explicit ForkSlot(int fd) noexcept;
  ~ForkSlot();
  ForkSlot(ForkSlot&& other) noexcept : slot_(other.slot_) { other.slot_ = kNone; }
  ForkSlot(const ForkSlot&) = delete;
  ForkSlot& operator=(const ForkSlot&) = delete;
  // False when all are taken: then do not keep the socket.
  explicit operator bool() const { return slot_ != kNone; }

 private:
  static constexpr int kNone = -1;
  int slot_ = kNone;
};

}  // namespace rocktune::agent
