// A small number for the calling thread, so that what many threads count can be kept apart by a
// plain array, without atomic additions.
//
// 1 to kOwnedNumbers: no other living thread has the same, and what one thread wrote under a number
// is seen by the next one that gets it. kSharedNumber: there are more threads than numbers, or this
// one is ending. The lowest free number is given, so that few are used by many short-lived threads.
//
// Thread-safety: each thread has its own. Lock-free, hence safe in a child after fork().
#pragma once

#include <cstdint>

namespace rocktune::agent {

inline constexpr std::uint32_t kOwnedNumbers = 1024;
inline constexpr std::uint32_t kSharedNumber = kOwnedNumbers + 1;
inline constexpr std::uint32_t kNumbers = kSharedNumber + 1;  // 0 is a thread that has not asked

namespace detail {
// In the static TLS block, which is one instruction away also in a shared library. Of the room that
// the C library keeps there for libraries loaded later it takes these few bytes.
extern thread_local constinit std::uint32_t this_thread_number
    __attribute__((tls_model("initial-exec")));
}  // namespace detail

// 0 until take_thread_number() was called on this thread.
inline std::uint32_t thread_number() noexcept {
  return detail::this_thread_number;
}
// Gives this thread a number if it has none, until it ends.
std::uint32_t take_thread_number() noexcept;

}  // namespace rocktune::agent
