#include "agent/fork_guard.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace rocktune::agent {
namespace {

constexpr int kFreeSlot = -1;
constexpr int kBeingFilled = -2;
constexpr std::size_t kSlots = 16;  // the listening socket and at most 8 connections

struct Slot {
  std::atomic<int> fd{kFreeSlot};
  std::atomic<ino_t> inode{0};
};

struct Guarded {
  std::atomic<bool> in_child{false};
  std::array<Slot, kSlots> slots;
};

Guarded& guarded() {
  static auto* const all = new Guarded;
  return *all;
}

// Between fork() and exec() only async-signal-safe calls are allowed in the child.
void after_fork_in_child() {
  guarded().in_child.store(true);
  for (auto& slot : guarded().slots) {
    const int fd = slot.fd.exchange(kFreeSlot);
    struct stat info{};
    if (fd >= 0 && ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) &&
        info.st_ino == slot.inode.load()) {
      ::close(fd);
    }
  }
}

}  // namespace

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    guarded();
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
  });
}

bool in_child() noexcept {
  return guarded().in_child.load(std::memory_order_relaxed);
}

ForkSlot::ForkSlot(int fd) noexcept {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return;
  for (std::size_t i = 0; i < kSlots; ++i) {
    auto& slot = guarded().slots[i];
    int expected = kFreeSlot;
    if (slot.fd.compare_exchange_strong(expected, kBeingFilled)) {
      slot.inode.store(info.st_ino);
      slot.fd.store(fd);
      slot_ = static_cast<int>(i);
      return;
    }
  }
}

ForkSlot::~ForkSlot() {
  if (slot_ != kNone) guarded().slots[static_cast<std::size_t>(slot_)].fd.store(kFreeSlot);
}

}  // namespace rocktune::agent
