#include "agent/thread_number.h"

#include <array>
#include <atomic>
#include <bit>

namespace rocktune::agent {

thread_local constinit std::uint32_t detail::this_thread_number = 0;

namespace {

constexpr std::uint32_t kBits = 64;
static_assert(kOwnedNumbers % kBits == 0);

// One bit for each number that a living thread has. Acquire and release hand over what the last
// owner of a number wrote.
constinit std::array<std::atomic<std::uint64_t>, kOwnedNumbers / kBits> taken{};

std::uint32_t take_lowest() noexcept {
  for (std::uint32_t word = 0; word < taken.size(); ++word) {
    std::uint64_t bits = taken[word].load(std::memory_order_relaxed);
    while (bits != ~std::uint64_t{0}) {
      const auto free = static_cast<std::uint32_t>(std::countr_one(bits));
      if (taken[word].compare_exchange_weak(bits, bits | (std::uint64_t{1} << free),
                                            std::memory_order_acquire, std::memory_order_relaxed)) {
        return word * kBits + free + 1;
      }
    }
  }
  return kSharedNumber;
}

// Gives the number back when the thread ends; what the thread counts after that is shared.
struct Holder {
  ~Holder() {
    const std::uint32_t number = detail::this_thread_number;
    detail::this_thread_number = kSharedNumber;
    if (number == 0 || number == kSharedNumber) return;
    const std::uint64_t bit = std::uint64_t{1} << ((number - 1) % kBits);
    taken[(number - 1) / kBits].fetch_and(~bit, std::memory_order_release);
  }
  void hold() const noexcept {}
};

}  // namespace

std::uint32_t take_thread_number() noexcept {
  if (detail::this_thread_number == 0) {
    static thread_local const Holder holder;
    holder.hold();
    detail::this_thread_number = take_lowest();
  }
  return detail::this_thread_number;
}

}  // namespace rocktune::agent
