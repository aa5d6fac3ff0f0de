#include "agent/event_ring.h"

#include <thread>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

wire::Event event(const std::string& kind) {
  wire::Event made;
  made.kind = kind;
  return made;
}

TEST_CASE("events come in order and with their times") {
  EventRing ring;
  CHECK(ring.next() == 1);
  CHECK(ring.read(0, 10).events.empty());
  ring.add(event("a"));
  ring.add(event("b"));
  const auto answer = ring.read(0, 10);
  REQUIRE(answer.events.size() == 2);
  CHECK(answer.events[0].sequence == 1);
  CHECK(answer.events[0].kind == "a");
  CHECK(answer.events[0].tick_ns > 0);
  CHECK(answer.events[0].tick_ns <= answer.events[1].tick_ns);
  CHECK(answer.events[0].wall_ns > answer.events[0].tick_ns);
  CHECK(answer.missed == 0);
  CHECK(answer.next_event == 3);
  CHECK(ring.read(1, 10).events.at(0).kind == "b");
  CHECK(ring.read(2, 10).events.empty());
}

TEST_CASE("an event comes out as it went in") {
  EventRing ring;
  wire::Event given;
  given.kind = "compaction_end";
  given.column_family = std::string("a\0b", 3);
  given.numbers = {{"", INT64_MIN}, {"job", INT64_MAX}, {"zero", 0}};
  given.words = {{"reason", ""}, {"status", std::string(5000, 'x')}};
  ring.add(given);
  ring.add(event(""));
  const auto answer = ring.read(0, 10);
  REQUIRE(answer.events.size() == 2);
  given.sequence = 1;
  given.tick_ns = answer.events[0].tick_ns;
  given.wall_ns = answer.events[0].wall_ns;
  CHECK(answer.events[0] == given);
  CHECK(answer.events[1].kind.empty());
  CHECK(answer.events[1].numbers.empty());
  CHECK(answer.events[1].words.empty());
}

TEST_CASE("a reader goes on where it stopped, and is given no more than it asks for") {
  EventRing ring;
  for (int i = 0; i < 300; ++i) ring.add(event("x"));
  CHECK(ring.read(0, 1).events.size() == 1);
  CHECK(ring.read(0, 1).missed == 0);
  const auto first = ring.read(0, 100000);
  REQUIRE(first.events.size() == EventRing::kMostInOneAnswer);
  const auto second = ring.read(first.events.back().sequence, 100000);
  CHECK(second.events.size() == 300 - EventRing::kMostInOneAnswer);
  CHECK(second.events.front().sequence == first.events.back().sequence + 1);
}

TEST_CASE("a slow reader learns how many it missed") {
  EventRing ring;
  for (std::size_t i = 0; i < EventRing::kCapacity + 10; ++i) ring.add(event("x"));
  CHECK(ring.read(0, 1).missed == 10);
  CHECK(ring.read(0, 1).events.at(0).sequence == 11);
  CHECK(ring.read(4, 1).missed == 6);
  CHECK(ring.read(10, 1).missed == 0);
  CHECK(ring.read(300, 1).missed == 0);
  CHECK(ring.read(UINT64_MAX, 1).missed == 0);
  CHECK(ring.read(UINT64_MAX, 1).events.empty());
}

TEST_CASE("what could not be told counts as missed") {
  EventRing ring;
  ring.add(event("a"));
  ring.miss();
  ring.add(event("b"));
  const auto answer = ring.read(0, 10);
  REQUIRE(answer.events.size() == 2);
  CHECK(answer.events[1].sequence == 3);
  CHECK(answer.missed == 1);
}

TEST_CASE("an event is completed once, by its sequence") {
  EventRing ring;
  ring.add(event("stall"));
  ring.add(event("change"));
  ring.add(event("stall"));
  CHECK(ring.lacking("stall", "cause").size() == 2);
  ring.complete(3, {{"cause", "l0_files"}});
  ring.complete(99, {{"cause", "l0_files"}});
  REQUIRE(ring.lacking("stall", "cause").size() == 1);
  CHECK(ring.lacking("stall", "cause")[0].sequence == 1);
  ring.complete(3, {{"cause", "memtables"}});
  CHECK(ring.read(2, 1).events.at(0).words.at("cause") == "l0_files");
}

TEST_CASE("many threads add while one reads, and none is lost or doubled") {
  EventRing ring;
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&ring] {
      for (int n = 0; n < kEach; ++n) ring.add(event("x"));
    });
  }
  std::uint64_t seen = 0;
  std::uint64_t after = 0;
  while (after < kThreads * kEach) {
    const auto answer = ring.read(after, 64);
    seen += answer.missed + answer.events.size();
    if (!answer.events.empty()) after = answer.events.back().sequence;
  }
  for (auto& thread : threads) thread.join();
  CHECK(seen == kThreads * kEach);
}

}  // namespace
}  // namespace rocktune::agent
