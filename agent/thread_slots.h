// One Slot for each thread that uses an object, made when a thread first asks: the owner reads and
// writes its slot without atomic read-modify-writes, others may read what is atomic in it.
//
// A slot outlives its thread and goes on with the next thread of the same number: what it counted
// is not lost, and an object has at most kOwnedNumbers of them.
//
// Thread-safety: all functions; destroyed by one thread after all others have let go.
#pragma once

#include <array>
#include <atomic>
#include <new>

#include "agent/thread_number.h"

namespace rocktune::agent {

template <class Slot>
class ThreadSlots {
 public:
  ThreadSlots() = default;
  ~ThreadSlots() {
    for (auto& slot : slots_) delete slot.load(std::memory_order_relaxed);
  }
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;

  // The calling thread's own: three instructions. nullptr: not made yet, or there is none; mine()
  // tells which.
  [[nodiscard]] Slot* made() const noexcept {
    return slots_[thread_number()].load(std::memory_order_relaxed);
  }
  // The calling thread's own. nullptr: it has none (too many threads, or no memory).
  [[nodiscard]] Slot* mine() const noexcept {
    Slot* const slot = made();
    if (slot != nullptr) [[likely]] {
      return slot;
    }
    return make();
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::uint32_t end = end_.load(std::memory_order_acquire);
    for (std::uint32_t number = 0; number < end; ++number) {
      if (const Slot* const made = slots_[number].load(std::memory_order_acquire)) visit(*made);
    }
  }

 private:
  [[gnu::noinline]] Slot* make() const noexcept {
    const auto number = take_thread_number();
    if (number == kSharedNumber) return nullptr;
    Slot* slot = slots_[number].load(std::memory_order_relaxed);  // of this number's last thread
    if (slot == nullptr) {
      slot = new (std::nothrow) Slot;
      slots_[number].store(slot, std::memory_order_release);
      std::uint32_t end = end_.load(std::memory_order_relaxed);
      while (end <= number &&
             !end_.compare_exchange_weak(end, number + 1, std::memory_order_release,
                                         std::memory_order_relaxed)) {
      }
    }
    return slot;
  }

  // The slots of 0 and of kSharedNumber are never made.
  mutable std::array<std::atomic<Slot*>, kNumbers> slots_{};
  mutable std::atomic<std::uint32_t> end_{0};  // behind the highest number of those that were made
};

}  // namespace rocktune::agent
