// The threads that change databases.
#include "agent/workers.h"

#include <array>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "agent/clock.h"
#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Never destroyed in a process with an agent; here it ends with the test, before what its tasks
// use.
struct Running {
  Workers workers;
  explicit Running(milliseconds patience) : workers(patience) { workers.start(); }
  ~Running() { workers.stop(steady_clock::now() + std::chrono::minutes(1)); }
};

// A request that has nobody to tell.
Workers::Request request(Workers::Task work) {
  return [work = std::move(work)] {
    work();
    return Workers::Task();
  };
}

// A task that runs until it is let go, as one that RocksDB keeps waiting.
struct Stuck {
  std::latch begun{1};
  std::latch may_end{1};
  Workers::Task task() {
    return [this] {
      begun.count_down();
      may_end.wait();
    };
  }
};

TEST_CASE("tasks of one database run in order, one at a time, whatever they throw") {
  std::vector<int> order;
  std::promise<void> done;
  {
    Stuck first;
    Running running{milliseconds(0)};
    REQUIRE(running.workers.post("a", request(first.task())));
    REQUIRE(running.workers.post("a", request([&] {
                                   order.push_back(1);
                                   throw std::runtime_error("lost");
                                 })));
    first.may_end.count_down();
    for (int i = 2; i < 100; ++i) {
      while (!running.workers.post("a", request([&order, i] { order.push_back(i); }))) {
        std::this_thread::yield();
      }
    }
    while (!running.workers.post("a", request([&] { done.set_value(); })))
      std::this_thread::yield();
    done.get_future().wait();
  }
  REQUIRE(order.size() == 99);
  for (int i = 1; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i) - 1] == i);
}

TEST_CASE("a database that is stuck does not hold up another") {
  Stuck stuck;
  Running running{milliseconds(0)};
  REQUIRE(running.workers.post("a", request(stuck.task())));
  stuck.begun.wait();
  std::promise<void> done;
  running.workers.post_due("b", [&] { done.set_value(); });
  done.get_future().wait();
  CHECK(running.workers.threads() == 2);
  stuck.may_end.count_down();
}

TEST_CASE("threads are few: no second one while the first is not stuck, never more than eight") {
  Stuck one;
  Running patient{std::chrono::hours(1)};
  REQUIRE(patient.workers.post("a", request(one.task())));
  one.begun.wait();
  REQUIRE(patient.workers.post("b", request([] {})));
  CHECK(patient.workers.threads() == 1);
  one.may_end.count_down();

  std::vector<std::unique_ptr<Stuck>> all;
  Running hasty{milliseconds(0)};
  for (std::size_t i = 0; i < Workers::kMostThreads; ++i) {
    all.push_back(std::make_unique<Stuck>());
    hasty.workers.post_due(std::to_string(i), all.back()->task());
    all.back()->begun.wait();
  }
  std::promise<void> done;
  hasty.workers.post_due("last", [&] { done.set_value(); });
  CHECK(hasty.workers.threads() == Workers::kMostThreads);
  for (const auto& stuck : all) stuck->may_end.count_down();
  done.get_future().wait();
}

TEST_CASE("who has waited for long gets a thread, though the task before it has just begun") {
  constexpr milliseconds kPatience{5};
  std::array<Stuck, 3> stuck;
  Running running{kPatience};
  for (std::size_t i = 0; i < stuck.size(); ++i) {
    REQUIRE(running.workers.post(std::to_string(i), request(stuck.at(i).task())));
  }
  const auto until = steady_clock::now() + kPatience;
  while (steady_clock::now() < until) continue;
  stuck[0].may_end.count_down();
  stuck[1].begun.wait();
  running.workers.post_due("0", [] {});
  stuck[2].begun.wait();
  CHECK(running.workers.threads() >= 2);  // no more, but for a machine that was slow meanwhile
  for (auto& one : stuck) one.may_end.count_down(one.may_end.try_wait() ? 0 : 1);
}

TEST_CASE("requests are bounded, for each database and in all") {
  Stuck stuck;
  Running running{std::chrono::hours(1)};
  REQUIRE(running.workers.post("a", request(stuck.task())));
  stuck.begun.wait();
  CHECK(running.workers.post("a", request([] {})));
  CHECK_FALSE(running.workers.post("a", request([] {})));
  int taken = 0;
  for (const char* database : {"b", "b", "c", "c", "d", "d"}) {
    if (running.workers.post(database, request([] {}))) ++taken;
  }
  CHECK(taken == Workers::kMostRequests - 2);
  stuck.may_end.count_down();
}

TEST_CASE("a client that is told may ask again at once") {
  Running running{std::chrono::hours(1)};
  for (int i = 0; i < 1000; ++i) {
    std::array<std::promise<bool>, Workers::kMostRequestsOfDatabase> told;
    for (auto& client : told) {
      REQUIRE(running.workers.post("a", [&] { return [&] { client.set_value(true); }; }));
    }
    for (auto& client : told) CHECK(client.get_future().get());
  }
}

TEST_CASE("what is due now and then comes behind the requests that are there, once") {
  std::vector<std::string> order;
  std::promise<void> done;
  Stuck stuck;
  Running running{std::chrono::hours(1)};
  REQUIRE(running.workers.post("a", request(stuck.task())));
  stuck.begun.wait();
  running.workers.post_due("a", [&] { order.emplace_back("due"); });
  running.workers.post_due("a", [&] { order.emplace_back("due"); });
  REQUIRE(running.workers.post("a", request([&] {
                                 order.emplace_back("asked");
                                 done.set_value();
                               })));
  stuck.may_end.count_down();
  done.get_future().wait();
  CHECK(order == std::vector<std::string>{"due", "asked"});
}

TEST_CASE("what is due now and then is left out while it runs or waits already") {
  int runs = 0;
  {
    Stuck stuck;
    Running running{std::chrono::hours(1)};
    running.workers.post_due("a", stuck.task());
    running.workers.post_due("a", [&] { ++runs; });  // it runs
    stuck.begun.wait();
    for (int i = 0; i < 3; ++i) running.workers.post_due("a", [&] { ++runs; });
    running.workers.post_due("b", [&] { ++runs; });
    running.workers.post_due("b", [&] { ++runs; });  // one waits already
    std::promise<void> done;
    REQUIRE(running.workers.post("b", request([&] { done.set_value(); })));
    stuck.may_end.count_down();
    done.get_future().wait();
  }
  CHECK(runs == 1);
}

TEST_CASE("a database costs as much to look at however many wait before it") {
  const auto name = [](int i) { return "database " + std::to_string(i); };
  constexpr int kAll = 40000;
  constexpr int kShare = kAll / 10;
  Stuck stuck;
  Running running{std::chrono::hours(1)};
  running.workers.post_due("stuck", stuck.task());
  stuck.begun.wait();
  const auto post = [&](int from, int to) {
    const auto begin = thread_cpu_time()();
    for (int i = from; i < to; ++i) running.workers.post_due(name(i), [] {});
    return thread_cpu_time()() - begin;
  };
  const auto first = post(0, kShare);
  post(kShare, kAll - kShare);
  const auto last = post(kAll - kShare, kAll);
  const auto again = post(kAll - kShare, kAll);  // they wait already
  stuck.may_end.count_down();
  CHECK(last < 5 * first + milliseconds(20));
  CHECK(again < 5 * first + milliseconds(20));
}

TEST_CASE("a stop does not wait for what is stuck, and begins nothing more") {
  Stuck stuck;
  bool ran = false;
  Workers workers(milliseconds(0));
  workers.start();
  REQUIRE(workers.post("a", request(stuck.task())));
  stuck.begun.wait();
  REQUIRE(workers.post("a", request([&] { ran = true; })));
  CHECK_FALSE(workers.stop(steady_clock::now()));
  stuck.may_end.count_down();
  CHECK(workers.stop(steady_clock::now() + std::chrono::minutes(1)));
  CHECK_FALSE(ran);
}

}  // namespace
}  // namespace rocktune::agent
