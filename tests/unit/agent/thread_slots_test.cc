#include "agent/thread_slots.h"

#include <set>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

struct Slot {
  std::atomic<int> value{0};
};

TEST_CASE("a thread keeps its number and its slot, another thread has another") {
  ThreadSlots<Slot> slots;
  Slot* const mine = slots.mine();
  REQUIRE(mine != nullptr);
  CHECK(slots.mine() == mine);
  const auto number = take_thread_number();
  CHECK(number == thread_number());
  std::thread([&] {
    CHECK(take_thread_number() != number);
    CHECK(slots.mine() != mine);
  }).join();
  CHECK(take_thread_number() == number);
}

TEST_CASE("numbers are given again, and one thread after another finds the same slot") {
  ThreadSlots<Slot> slots;
  for (int i = 0; i < 1000; ++i) {
    std::thread([&] { slots.mine()->value.fetch_add(1); }).join();
  }
  int made = 0;
  int sum = 0;
  slots.for_each([&](const Slot& slot) {
    ++made;
    sum += slot.value;
  });
  CHECK(made == 1);
  CHECK(sum == 1000);
}

TEST_CASE("living threads have distinct numbers; those beyond the last share") {
  constexpr std::size_t kThreads = kOwnedNumbers + 10;
  ThreadSlots<Slot> slots;
  std::vector<std::uint32_t> numbers(kThreads);
  std::atomic<std::size_t> ready{0};
  std::atomic<std::size_t> without_slot{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      numbers[t] = take_thread_number();
      without_slot += slots.mine() == nullptr ? 1 : 0;
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::uint32_t> distinct;
  std::size_t shared = 0;
  for (const auto number : numbers) {
    if (number == kSharedNumber) {
      ++shared;
    } else {
      CHECK(distinct.insert(number).second);
      CHECK(number >= 1);
      CHECK(number <= kOwnedNumbers);
    }
  }
  CHECK(shared >= 10);
  CHECK(without_slot == shared);
  CHECK(distinct.size() + shared == kThreads);
}

}  // namespace
}  // namespace rocktune::agent
