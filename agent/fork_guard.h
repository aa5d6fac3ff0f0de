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

// A socket that the child shall close: the slot that remembers it, or -1 when all are taken (then
// do not open it). Drop the slot around the close; a number that was reused meanwhile is
// recognised.
int add_socket(int fd) noexcept;
void drop_socket(int slot) noexcept;

}  // namespace rocktune::agent
