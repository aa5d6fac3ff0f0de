// What the token bucket and its fair queues promise, over random loads in simulated time.
#include "agent/limiter/fair_budget.h"

#include <cstdlib>
#include <limits>
#include <random>

#include "tests/support/catch.h"
#include "tests/unit/agent/limiter/closed_loop.h"
#include "wire/messages.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using testing::ClosedLoop;
using TimePoint = FairBudget::TimePoint;

constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr TimePoint kStart{1000s};

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

// The most that was granted in any time beyond what the rate gives for that time.
double worst_excess(const ClosedLoop& loop, std::int64_t rate) {
  double sum = 0;
  double least_before = std::numeric_limits<double>::max();
  double worst = 0;
  for (const auto& grant : loop.grants()) {
    const double given = static_cast<double>(rate) * seconds(grant.at - kStart);
    least_before = std::min(least_before, sum - given);
    sum += static_cast<double>(grant.bytes);
    worst = std::max(worst, sum - given - least_before);
  }
  return worst;
}

FairBudget::Request request_of(std::int64_t bytes, Traffic traffic) {
  FairBudget::Request request;
  request.bytes = bytes;
  request.traffic = traffic;
  return request;
}

// Takes the burst that a new budget has, so that what follows has to wait.
void drain(FairBudget& budget, std::int64_t rate) {
  auto all = request_of(FairBudget::burst_at(rate), Traffic::kOther);
  budget.enqueue(all);
  REQUIRE(budget.grant(kStart) == &all);
}

TEST_CASE("in no time does more go than the rate and one burst", "[limiter]") {
  std::mt19937 random(42);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t rate = std::uniform_int_distribution<std::int64_t>(kMiB, 400 * kMiB)(random);
    const std::int64_t largest =
        std::uniform_int_distribution<std::int64_t>(4 * kKiB, 12 * kMiB)(random);
    FairBudget budget(rate, kStart);
    ClosedLoop loop(budget, kStart);
    const int jobs = std::uniform_int_distribution<int>(1, 8)(random);
    for (int i = 0; i < jobs; ++i) {
      const auto traffic =
          static_cast<Traffic>(std::uniform_int_distribution<int>(0, kTrafficClasses - 1)(random));
      loop.add(
          traffic, [&] { return std::uniform_int_distribution<std::int64_t>(1, largest)(random); },
          std::chrono::microseconds(std::uniform_int_distribution<int>(0, 20000)(random)));
    }
    loop.run(5s);
    const std::int64_t burst = FairBudget::burst_at(rate);
    INFO("rate " << rate << ", largest request " << largest << ", jobs " << jobs);
    REQUIRE(loop.grants().size() > 1);
    // Every grant has a tolerance of one byte, which the next one pays.
    CHECK(worst_excess(loop, rate) <= static_cast<double>(std::max(burst, largest)) + 2);
  }
}

TEST_CASE("nothing of the rate is lost while somebody waits", "[limiter]") {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    const std::int64_t rate = std::uniform_int_distribution<std::int64_t>(kMiB, 400 * kMiB)(random);
    const std::int64_t burst = FairBudget::burst_at(rate);
    FairBudget budget(rate, kStart);
    ClosedLoop loop(budget, kStart);
    const int jobs = std::uniform_int_distribution<int>(1, 6)(random);
    for (int i = 0; i < jobs; ++i) {
      const auto traffic =
          static_cast<Traffic>(std::uniform_int_distribution<int>(0, kTrafficClasses - 1)(random));
      loop.add(traffic,
               [&] { return std::uniform_int_distribution<std::int64_t>(1, burst)(random); });
    }
    loop.run(10s);
    INFO("rate " << rate << ", jobs " << jobs);
    CHECK(loop.granted_bytes() >= 10 * rate - burst);
  }
}

TEST_CASE("classes that wait share by their weights", "[limiter]") {
  const int weight = GENERATE(1, 2, 4, 7, 16);
  const std::int64_t rate = kMiB * GENERATE(1, 40, 300);
  // How many jobs a class has, and how much each asks for, makes no difference.
  const int l0_jobs = GENERATE(1, 4);
  const std::int64_t deep_bytes = kKiB * GENERATE(32, 1000);
  FairBudget budget(rate, kStart);
  budget.set_l0_weight(weight);
  ClosedLoop loop(budget, kStart);
  std::int64_t of_l0 = 0;
  std::vector<ClosedLoop::Job*> l0;
  for (int i = 0; i < l0_jobs; ++i) {
    l0.push_back(&loop.add(Traffic::kL0Compaction, 48 * kKiB, 100us));
  }
  const auto& deep = loop.add(Traffic::kDeepCompaction, deep_bytes, 100us);
  loop.run(std::chrono::nanoseconds(400s) * kMiB / rate);
  for (const auto* const job : l0) of_l0 += job->granted_bytes;
  const double share = static_cast<double>(of_l0) / static_cast<double>(of_l0 + deep.granted_bytes);
  INFO("weight " << weight << ", rate " << rate << ", L0 jobs " << l0_jobs << ", deep bytes "
                 << deep_bytes);
  CHECK(share == Approx(weight / (weight + 1.0)).margin(0.03));
}

TEST_CASE("a class has what the others leave", "[limiter]") {
  const std::int64_t rate = 40 * kMiB;
  FairBudget budget(rate, kStart);
  ClosedLoop loop(budget, kStart);
  // Level 0 asks for a quarter of the rate only, which is less than its share.
  const auto& l0 = loop.add(Traffic::kL0Compaction, kMiB, 100ms);
  const auto& deep = loop.add(Traffic::kDeepCompaction, kMiB);
  loop.run(20s);
  CHECK(l0.granted_bytes > 150 * kMiB);  // it waits for one request of the other at most
  CHECK(l0.longest_wait <= 51ms);
  CHECK(l0.granted_bytes + deep.granted_bytes >= 20 * rate - 2 * kMiB);
}

TEST_CASE("nobody starves, however much is asked for by those who go first", "[limiter]") {
  const std::int64_t rate = 20 * kMiB;
  const std::int64_t bytes = FairBudget::burst_at(rate);
  FairBudget budget(rate, kStart);
  budget.set_l0_weight(FairBudget::kMaxL0Weight);
  ClosedLoop loop(budget, kStart);
  for (int i = 0; i < 4; ++i) loop.add(Traffic::kFlush, bytes);
  for (int i = 0; i < 4; ++i) loop.add(Traffic::kUser, bytes);
  for (int i = 0; i < 4; ++i) loop.add(Traffic::kL0Compaction, bytes);
  const auto& deep = loop.add(Traffic::kDeepCompaction, bytes);
  const auto& other = loop.add(Traffic::kOther, bytes);
  loop.run(600s);
  // 64 + 64 + 16 + 1 + 1 weights, and one request of each class besides.
  const auto bound =
      std::chrono::duration<double>(151.0 * static_cast<double>(bytes) / static_cast<double>(rate));
  CHECK(deep.longest_wait <= bound);
  CHECK(other.longest_wait <= bound);
  const double fair = 600.0 * static_cast<double>(rate) / 146;
  CHECK(static_cast<double>(deep.granted_bytes) == Approx(fair).epsilon(0.05));
}

TEST_CASE("who comes first in line is decided when the bytes are there", "[limiter]") {
  const std::int64_t rate = 10 * kMiB;
  FairBudget budget(rate, kStart);
  drain(budget, rate);
  auto deep = request_of(256 * kKiB, Traffic::kDeepCompaction);
  auto l0 = request_of(256 * kKiB, Traffic::kL0Compaction);
  auto flush = request_of(256 * kKiB, Traffic::kFlush);
  budget.enqueue(deep);
  CHECK(budget.grant(kStart + 10ms) == nullptr);
  budget.enqueue(l0);
  budget.enqueue(flush);
  CHECK(budget.next() == &flush);
  CHECK(budget.grant(kStart + 10s) == &flush);  // two fit into the burst
  CHECK(budget.grant(kStart + 10s) == &l0);
  CHECK(budget.grant(kStart + 10s) == nullptr);
  CHECK(budget.grant(kStart + 20s) == &deep);
  CHECK(budget.next() == nullptr);
  CHECK_FALSE(budget.next_grant(kStart + 20s));
}

TEST_CASE("the time of the next grant is neither too early nor too late", "[limiter]") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const std::int64_t rate = std::uniform_int_distribution<std::int64_t>(kMiB, 400 * kMiB)(random);
    FairBudget budget(rate, kStart);
    drain(budget, rate);
    budget.charge(std::uniform_int_distribution<std::int64_t>(0, 2 * rate)(random), kStart);
    auto request = request_of(std::uniform_int_distribution<std::int64_t>(4096, 16 * kMiB)(random),
                              Traffic::kDeepCompaction);
    budget.enqueue(request);
    const auto due = budget.next_grant(kStart);
    REQUIRE(due);
    FairBudget earlier = budget;
    CHECK(earlier.grant(kStart + (*due - kStart) * 99 / 100) == nullptr);
    CHECK(budget.grant(*due) == &request);
  }
}

TEST_CASE("a new rate holds at once", "[limiter]") {
  FairBudget budget(kMiB, kStart);
  drain(budget, kMiB);
  auto request = request_of(kMiB, Traffic::kDeepCompaction);
  budget.enqueue(request);
  const auto slow = budget.next_grant(kStart);
  REQUIRE(slow);
  budget.set_rate(100 * kMiB, kStart);
  const auto fast = budget.next_grant(kStart);
  REQUIRE(fast);
  CHECK(std::abs((*fast - kStart - 10ms) / 1ns) <= 20);
  budget.set_rate(wire::kUnlimitedBytesPerSecond, kStart);
  CHECK(budget.grant(kStart) == &request);

  // Lowered: no burst of the old rate is left over.
  budget.set_rate(kMiB, kStart);
  auto first = request_of(FairBudget::burst_at(kMiB), Traffic::kDeepCompaction);
  auto second = request_of(1000, Traffic::kDeepCompaction);
  budget.enqueue(first);
  budget.enqueue(second);
  CHECK(budget.grant(kStart) == &first);
  CHECK(budget.grant(kStart) == nullptr);
}

TEST_CASE("a request larger than a burst goes, and is paid for afterwards", "[limiter]") {
  FairBudget budget(kMiB, kStart);
  auto large = request_of(10 * kMiB, Traffic::kDeepCompaction);
  auto small = request_of(4 * kKiB, Traffic::kDeepCompaction);
  budget.enqueue(large);
  budget.enqueue(small);
  CHECK(budget.grant(kStart) == &large);
  CHECK(budget.grant(kStart + 9s) == nullptr);
  CHECK(budget.grant(kStart + 10s) == &small);
}

TEST_CASE(
    "what is written without asking takes at most half, and is forgotten after a second's "
    "worth",
    "[limiter]") {
  const std::int64_t rate = 10 * kMiB;
  FairBudget budget(rate, kStart);
  drain(budget, rate);
  ClosedLoop loop(budget, kStart);
  loop.add(Traffic::kL0Compaction, 64 * kKiB);

  budget.charge(100 * rate, kStart);
  loop.run(2s);  // one second's worth is owed: half of two seconds
  CHECK(static_cast<double>(loop.granted_bytes()) ==
        Approx(static_cast<double>(rate)).epsilon(0.02));
  const auto before = loop.granted_bytes();
  loop.run(2s);  // nothing is owed
  CHECK(static_cast<double>(loop.granted_bytes() - before) ==
        Approx(2.0 * static_cast<double>(rate)).epsilon(0.02));

  // Written all the time: the sum is the rate, as long as that is less than half of it.
  std::int64_t charged = 0;
  const auto granted = loop.granted_bytes();
  for (int i = 0; i < 100; ++i) {
    budget.charge(rate / 250, loop.now());
    charged += rate / 250;
    loop.run(10ms);
  }
  CHECK(static_cast<double>(loop.granted_bytes() - granted + charged) ==
        Approx(static_cast<double>(rate)).epsilon(0.02));
}

TEST_CASE("what is owed is paid from what nobody takes", "[limiter]") {
  const std::int64_t rate = 10 * kMiB;
  FairBudget budget(rate, kStart);
  budget.charge(rate, kStart);
  ClosedLoop loop(budget, kStart + 1s);  // a second of idleness
  loop.add(Traffic::kL0Compaction, 64 * kKiB);
  loop.run(1s);
  CHECK(loop.granted_bytes() >= rate);
}

TEST_CASE("a request that was withdrawn leaves the others as they are", "[limiter]") {
  const std::int64_t rate = 10 * kMiB;
  FairBudget budget(rate, kStart);
  drain(budget, rate);
  std::array<FairBudget::Request, 4> requests{};
  for (auto& request : requests) {
    request = request_of(kKiB, Traffic::kDeepCompaction);
    budget.enqueue(request);
  }
  const auto is = [&](std::size_t i) {
    return [&requests, i](const FairBudget::Request& request) { return &request == &requests[i]; };
  };
  CHECK(budget.withdraw(is(1)) == &requests[1]);
  CHECK(budget.withdraw(is(1)) == nullptr);
  CHECK(budget.withdraw(is(3)) == &requests[3]);
  budget.enqueue(requests[1]);
  CHECK(budget.withdraw(is(0)) == &requests[0]);
  CHECK(budget.grant(kStart + 1s) == &requests[2]);
  CHECK(budget.grant(kStart + 1s) == &requests[1]);
  CHECK(budget.grant(kStart + 1s) == nullptr);
}

TEST_CASE("who is who: the job, else the priority", "[limiter]") {
  using rocksdb::Env;
  CHECK(traffic_of(Job::kFlush, Env::IO_USER) == Traffic::kFlush);
  CHECK(traffic_of(Job::kL0Compaction, Env::IO_USER) == Traffic::kL0Compaction);
  CHECK(traffic_of(Job::kDeepCompaction, Env::IO_USER) == Traffic::kDeepCompaction);
  CHECK(traffic_of(Job::kNone, Env::IO_USER) == Traffic::kUser);
  CHECK(traffic_of(Job::kNone, Env::IO_HIGH) == Traffic::kFlush);
  CHECK(traffic_of(Job::kNone, Env::IO_MID) == Traffic::kOther);
  CHECK(traffic_of(Job::kNone, Env::IO_LOW) == Traffic::kDeepCompaction);
}

}  // namespace
}  // namespace rocktune::agent
