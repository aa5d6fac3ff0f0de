// The rate limiter with real threads, on a clock that is moved by hand.
#include "agent/limiter/fair_rate_limiter.h"

#include <rocksdb/statistics.h>

#include <algorithm>
#include <initializer_list>
#include <latch>
#include <optional>
#include <thread>

#include "tests/support/catch.h"
#include "wire/messages.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using rocksdb::Env;
using rocksdb::RateLimiter;

constexpr std::int64_t kLimiterMiB = 1 << 20;

class HandClock final : public WaitClock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override { return TimePoint(nanoseconds_.load()); }
  void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                  TimePoint /*time*/) override {
    condition.wait_for(lock, 1ms);  // the limiter looks at the time again
  }
  void advance(std::chrono::nanoseconds by) { nanoseconds_ = nanoseconds_.load() + by; }

 private:
  std::atomic<std::chrono::nanoseconds> nanoseconds_{1000s};
};

std::int64_t pending(const RateLimiter& limiter, Env::IOPriority priority = Env::IO_TOTAL) {
  std::int64_t count = -1;
  REQUIRE(limiter.GetTotalPendingRequests(&count, priority).ok());
  return count;
}

void until_pending(const RateLimiter& limiter, std::int64_t count) {
  while (pending(limiter) != count) std::this_thread::yield();
}

// One request on a thread of its own, as a background job makes it.
class Asks {
 public:
  Asks(RateLimiter& limiter, Job job, Env::IOPriority priority, std::int64_t bytes,
       RateLimiter::OpType operation = RateLimiter::OpType::kWrite)
      : thread_([=, this, &limiter] {
          set_current_job(job);
          limiter.Request(bytes, priority, nullptr, operation);
          done_ = true;
        }) {}
  ~Asks() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] bool done() const { return done_; }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

struct LimiterSetup {
  HandClock clock;
  FairRateLimiter limiter;
  RateLimiter& base = limiter;

  explicit LimiterSetup(std::int64_t rate) : limiter(rate, clock) {}
  // Takes the burst, so that what follows has to wait.
  void drain() {
    const Asks all(limiter, Job::kNone, Env::IO_MID,
                   FairBudget::burst_at(base.GetBytesPerSecond()));
  }
  std::int64_t count(const std::string& name) {
    return static_cast<std::int64_t>(limiter.snapshot().at(name));
  }
};

TEST_CASE("at the unlimited rate nothing waits, and all is counted", "[limiter]") {
  LimiterSetup s(wire::kUnlimitedBytesPerSecond);
  constexpr std::int64_t kHuge = std::int64_t{1} << 50;
  for (const auto priority : {Env::IO_LOW, Env::IO_MID, Env::IO_HIGH, Env::IO_USER}) {
    s.base.Request(kHuge, priority, nullptr, RateLimiter::OpType::kWrite);
    CHECK(s.base.GetTotalBytesThrough(priority) == kHuge);
    CHECK(s.base.GetTotalRequests(priority) == 1);
    // Not cut into bursts either.
    CHECK(s.base.RequestToken(64 * kLimiterMiB, 4096, priority, nullptr,
                              RateLimiter::OpType::kWrite) == 64 * kLimiterMiB);
  }
  CHECK(s.base.GetTotalRequests() == 8);
  CHECK(s.base.GetTotalBytesThrough() == 4 * (kHuge + 64 * kLimiterMiB));
  CHECK(s.count("delayed_requests") == 0);
  CHECK(s.base.GetSingleBurstBytes() == 8 * kLimiterMiB);
}

TEST_CASE("flushes do not wait; compactions give way for what they write", "[limiter]") {
  LimiterSetup s(10 * kLimiterMiB);
  s.drain();
  {
    const Asks flush(s.limiter, Job::kFlush, Env::IO_HIGH, 100 * kLimiterMiB);
    const Asks in_a_stall(s.limiter, Job::kFlush, Env::IO_USER, 100 * kLimiterMiB);
    const Asks users(s.limiter, Job::kNone, Env::IO_USER, 100 * kLimiterMiB);
  }
  CHECK(s.count("flush_write_bytes") == 200 * kLimiterMiB);
  CHECK(s.count("other_write_bytes") == 100 * kLimiterMiB + FairBudget::burst_at(10 * kLimiterMiB));
  CHECK(s.count("delayed_requests") == 0);

  Asks compaction(s.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB / 2);
  until_pending(s.base, 1);
  s.clock.advance(90ms);  // 50 ms, if nothing were owed
  CHECK_FALSE(compaction.done());
  s.clock.advance(10ms);
  compaction.join();
  CHECK(s.count("l0_compaction_write_bytes") == kLimiterMiB / 2);
  CHECK(s.count("waited_microseconds") == 100000);
}

TEST_CASE("limited flushes wait, and go before compactions that came earlier", "[limiter]") {
  LimiterSetup s(10 * kLimiterMiB);
  s.limiter.set_limit_flushes(true);
  CHECK(s.limiter.limit_flushes());
  s.drain();
  Asks compaction(s.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB / 2);
  until_pending(s.base, 1);
  Asks flush(s.limiter, Job::kFlush, Env::IO_HIGH, kLimiterMiB / 2);
  until_pending(s.base, 2);
  CHECK(pending(s.base, Env::IO_LOW) == 1);
  CHECK(pending(s.base, Env::IO_HIGH) == 1);
  s.clock.advance(50ms);
  flush.join();
  CHECK_FALSE(compaction.done());
  s.clock.advance(50ms);
  compaction.join();
}

TEST_CASE("level 0 goes before deeper ones that came earlier", "[limiter]") {
  LimiterSetup s(10 * kLimiterMiB);
  s.drain();
  Asks deep(s.limiter, Job::kDeepCompaction, Env::IO_LOW, kLimiterMiB / 2);
  until_pending(s.base, 1);
  Asks l0(s.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB / 2);
  until_pending(s.base, 2);
  s.clock.advance(50ms);
  l0.join();
  CHECK_FALSE(deep.done());
  s.clock.advance(50ms);
  deep.join();
  CHECK(s.count("deep_compaction_write_bytes") == kLimiterMiB / 2);
  CHECK(s.count("deep_compaction_write_requests") == 1);
}

TEST_CASE("a new rate, or a setting, lets those go who wait", "[limiter]") {
  LimiterSetup s(kLimiterMiB);
  s.limiter.set_limit_flushes(true);
  s.limiter.set_limit_reads(true);
  s.drain();
  Asks compaction(s.limiter, Job::kDeepCompaction, Env::IO_LOW, 8 * kLimiterMiB);
  Asks read(s.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB, RateLimiter::OpType::kRead);
  Asks flush(s.limiter, Job::kFlush, Env::IO_HIGH, kLimiterMiB);
  until_pending(s.base, 3);
  s.limiter.set_limit_flushes(false);
  flush.join();
  CHECK(pending(s.base) == 2);
  s.limiter.set_limit_reads(false);
  read.join();
  CHECK(pending(s.base) == 1);
  s.base.SetBytesPerSecond(wire::kUnlimitedBytesPerSecond);
  compaction.join();
  CHECK(pending(s.base) == 0);
}

TEST_CASE("a raised rate is waited for no longer than it takes", "[limiter]") {
  LimiterSetup s(kLimiterMiB);
  s.drain();
  Asks compaction(s.limiter, Job::kDeepCompaction, Env::IO_LOW, kLimiterMiB);
  until_pending(s.base, 1);
  s.base.SetBytesPerSecond(200 * kLimiterMiB);
  CHECK(s.base.GetBytesPerSecond() == 200 * kLimiterMiB);
  s.clock.advance(5ms);
  compaction.join();
  s.base.SetBytesPerSecond(0);  // ignored
  s.base.SetBytesPerSecond(-5);
  CHECK(s.base.GetBytesPerSecond() == 200 * kLimiterMiB);
}

TEST_CASE("reads are counted, and held against the rate only if asked for", "[limiter]") {
  LimiterSetup s(10 * kLimiterMiB);
  CHECK_FALSE(s.base.IsRateLimited(RateLimiter::OpType::kRead));
  CHECK(s.base.IsRateLimited(RateLimiter::OpType::kWrite));
  s.drain();
  const auto before = s.base.GetTotalBytesThrough();
  {
    const Asks one(s.limiter, Job::kL0Compaction, Env::IO_LOW, 100 * kLimiterMiB,
                   RateLimiter::OpType::kRead);
    const Asks two(s.limiter, Job::kDeepCompaction, Env::IO_LOW, 10 * kLimiterMiB,
                   RateLimiter::OpType::kRead);
  }
  CHECK(s.count("l0_compaction_read_bytes") == 100 * kLimiterMiB);
  CHECK(s.count("deep_compaction_read_bytes") == 10 * kLimiterMiB);
  CHECK(s.count("deep_compaction_read_requests") == 1);
  CHECK(s.base.GetTotalBytesThrough() == before);
  // No priority, no limit: neither counted nor cut.
  CHECK(s.base.RequestToken(100 * kLimiterMiB, 4096, Env::IO_TOTAL, nullptr,
                            RateLimiter::OpType::kRead) == 100 * kLimiterMiB);
  s.limiter.Request(kLimiterMiB, Env::IO_TOTAL, nullptr, RateLimiter::OpType::kRead);
  CHECK(s.count("other_read_requests") == 0);

  s.limiter.set_limit_reads(true);
  CHECK(s.base.IsRateLimited(RateLimiter::OpType::kRead));
  Asks read(s.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB / 2,
            RateLimiter::OpType::kRead);
  until_pending(s.base, 1);
  s.clock.advance(50ms);
  read.join();
  CHECK(s.base.GetTotalBytesThrough() == before + kLimiterMiB / 2);
  CHECK(s.count("l0_compaction_read_bytes") == 100 * kLimiterMiB + kLimiterMiB / 2);
}

TEST_CASE("what has to wait is cut into bursts of whole blocks", "[limiter]") {
  LimiterSetup s(10 * kLimiterMiB);
  using Op = RateLimiter::OpType;
  CHECK(s.base.GetSingleBurstBytes() == kLimiterMiB / 2);
  CHECK(s.base.RequestToken(100000, 4096, Env::IO_LOW, nullptr, Op::kWrite) == 98304);
  CHECK(s.base.RequestToken(100000, 0, Env::IO_LOW, nullptr, Op::kWrite) == 100000);
  CHECK(s.base.RequestToken(1000, 4096, Env::IO_LOW, nullptr, Op::kWrite) == 1000);
  CHECK(s.base.RequestToken(4 * kLimiterMiB, 4096, Env::IO_HIGH, nullptr, Op::kWrite) ==
        4 * kLimiterMiB);
  REQUIRE(s.limiter.SetSingleBurstBytes(1000).ok());
  CHECK(s.base.GetSingleBurstBytes() == 1000);
  CHECK(s.base.RequestToken(100000, 4096, Env::IO_LOW, nullptr, Op::kWrite) == 4096);
  CHECK(s.base.RequestToken(100000, 0, Env::IO_LOW, nullptr, Op::kWrite) == 1000);
  CHECK(s.limiter.SetSingleBurstBytes(-1).IsInvalidArgument());
  REQUIRE(s.limiter.SetSingleBurstBytes(0).ok());
  CHECK(s.base.GetSingleBurstBytes() == kLimiterMiB / 2);
}

TEST_CASE("the weight of level 0 stays in its range", "[limiter]") {
  LimiterSetup s(kLimiterMiB);
  CHECK(s.limiter.l0_weight() == 4);
  s.limiter.set_l0_weight(16);
  CHECK(s.limiter.l0_weight() == 16);
  s.limiter.set_l0_weight(17);
  CHECK(s.limiter.l0_weight() == 16);
  s.limiter.set_l0_weight(0);
  CHECK(s.limiter.l0_weight() == 1);
}

TEST_CASE("who still waits when it is destroyed is let go", "[limiter]") {
  HandClock clock;
  auto limiter = std::make_unique<FairRateLimiter>(kLimiterMiB, clock);
  Asks one(*limiter, Job::kDeepCompaction, Env::IO_LOW,
           100 * kLimiterMiB);  // takes the burst, and more
  one.join();
  Asks two(*limiter, Job::kDeepCompaction, Env::IO_LOW, kLimiterMiB);
  Asks three(*limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB);
  until_pending(*limiter, 2);
  limiter.reset();
  two.join();
  three.join();
}

std::optional<std::uint64_t> ticker(rocksdb::Statistics& statistics, const std::string& wanted) {
  for (const auto& [type, name] : rocksdb::TickersNameMap) {
    if (name == wanted) return statistics.getTickerCount(type);
  }
  return std::nullopt;
}

// RocksDB's own limiter is the standard for which statistics are kept, in this version of RocksDB.
TEST_CASE("statistics are kept as RocksDB's own limiter keeps them", "[limiter]") {
  const auto ours = rocksdb::CreateDBStatistics();
  const auto generic = rocksdb::CreateDBStatistics();
  const std::unique_ptr<RateLimiter> other(rocksdb::NewGenericRateLimiter(100 * kLimiterMiB));
  LimiterSetup s(10 * kLimiterMiB);
  for (int i = 0; i < 2; ++i) {  // the second one waits
    other->Request(kLimiterMiB / 2, Env::IO_LOW, generic.get(), RateLimiter::OpType::kWrite);
    std::thread asks([&] {
      s.limiter.Request(kLimiterMiB / 2, Env::IO_LOW, ours.get(), RateLimiter::OpType::kWrite);
      s.limiter.Request(kLimiterMiB / 2, Env::IO_LOW, ours.get(), RateLimiter::OpType::kRead);
    });
    if (i == 1) until_pending(s.base, 1);
    s.clock.advance(i * 50ms);
    asks.join();
  }
  for (const std::string name : {"bytes.read", "bytes.write", "requests.read", "requests.write"}) {
    INFO(name);
    CHECK(ticker(*ours, "rocksdb.rate.limiter." + name) ==
          ticker(*generic, "rocksdb.rate.limiter." + name));
  }
  CHECK(*ticker(*ours, "rocksdb.number.rate_limiter.drains") >= 1);
  // Where this version has them at all.
  CHECK(ticker(*ours, "rocksdb.rate.limiter.delayed.requests.write").value_or(1) == 1);
  CHECK(ticker(*ours, "rocksdb.rate.limiter.total.wait.micros.write").value_or(50000) == 50000);
}

// Real time, many threads, everything turned at once: it ends, and no byte is lost.
TEST_CASE("threads, rates and settings may meet in any order", "[limiter]") {
  FairRateLimiter limiter(100 * kLimiterMiB);
  constexpr int kThreads = 8;
  constexpr int kRequests = 400;
  constexpr std::int64_t kBytes = 16384;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&limiter, &running, i] {
      set_current_job(static_cast<Job>(i % 4));
      for (int n = 0; n < kRequests; ++n) {
        limiter.Request(kBytes, static_cast<Env::IOPriority>((i + n) % Env::IO_TOTAL), nullptr,
                        n % 4 == 0 ? RateLimiter::OpType::kRead : RateLimiter::OpType::kWrite);
      }
      --running;
    });
  }
  for (int n = 0; running > 0; ++n) {
    limiter.set_limit_flushes(n % 2 == 0);
    limiter.set_limit_reads(n % 3 == 0);
    limiter.set_l0_weight(1 + n % 16);
    limiter.SetBytesPerSecond(n % 5 == 4 ? wire::kUnlimitedBytesPerSecond
                                         : (20 + n % 100) * kLimiterMiB);
    static_cast<void>(limiter.snapshot());
    std::this_thread::yield();
  }
  for (auto& thread : threads) thread.join();
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  for (const auto& [name, count] : limiter.snapshot()) {
    if (name.ends_with("_bytes")) bytes += count;
    if (name.ends_with("e_requests") || name.ends_with("read_requests")) requests += count;
  }
  CHECK(requests == kThreads * kRequests);
  CHECK(bytes == kThreads * kRequests * kBytes);
  CHECK(pending(limiter) == 0);
}

// The first who waits for a time does not get the CPU again before it is let go.
class StarvingClock final : public WaitClock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override { return TimePoint(nanoseconds_.load()); }
  void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                  TimePoint /*time*/) override {
    if (starves_.exchange(false)) {
      lock.unlock();
      waits_.count_down();
      fed_.wait();
      lock.lock();
    } else {
      condition.wait_for(lock, 1ms);
    }
  }
  void advance(std::chrono::nanoseconds by) { nanoseconds_ = nanoseconds_.load() + by; }
  void until_it_waits() { waits_.wait(); }
  void feed() { fed_.count_down(); }

 private:
  std::atomic<std::chrono::nanoseconds> nanoseconds_{1000s};
  std::atomic<bool> starves_{true};
  std::latch waits_{1}, fed_{1};
};

// Not done in time while the first waiter was starved; all are done at the end.
bool waits_for_starved(StarvingClock& clock, std::initializer_list<const Asks*> others,
                       const Asks& starved) {
  const auto done = [&] {
    return std::ranges::all_of(others, [](const auto* one) { return one->done(); });
  };
  // By the machine's clock, since threads have to come to it; only a failure takes that long.
  const auto until = [&](std::chrono::steady_clock::time_point end, const auto& all_done) {
    while (!all_done() && std::chrono::steady_clock::now() < end) {
      clock.advance(1ms);
      std::this_thread::yield();
    }
  };
  const auto end = std::chrono::steady_clock::now() + 10s;
  until(end, done);
  const bool waited = !done();
  clock.feed();
  until(end + 10s, [&] { return starved.done() && done(); });
  return waited;
}

struct Starved {
  StarvingClock clock;
  FairRateLimiter limiter{10 * kLimiterMiB, clock};
  Asks burst{limiter, Job::kNone, Env::IO_MID, FairBudget::burst_at(10 * kLimiterMiB)};
  Asks starved{[this]() -> FairRateLimiter& {
                 while (limiter.GetTotalBytesThrough(Env::IO_TOTAL) == 0) std::this_thread::yield();
                 return limiter;
               }(),
               Job::kDeepCompaction, Env::IO_LOW, kLimiterMiB / 2};
};

TEST_CASE("who comes after a waiting thread that gets no CPU waits no longer for it", "[limiter]") {
  Starved one;
  one.clock.until_it_waits();
  one.clock.advance(60ms);  // its time has come
  Asks first(one.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB / 2);
  Asks other(one.limiter, Job::kL0Compaction, Env::IO_LOW, kLimiterMiB / 2);
  CHECK_FALSE(waits_for_starved(one.clock, {&first, &other}, one.starved));
}

TEST_CASE("nor does who waits beside it already", "[limiter]") {
  Starved one;
  one.clock.until_it_waits();
  Asks beside(one.limiter, Job::kDeepCompaction, Env::IO_LOW, kLimiterMiB / 2);
  until_pending(one.limiter, 2);
  CHECK_FALSE(waits_for_starved(one.clock, {&beside}, one.starved));
}

}  // namespace
}  // namespace rocktune::agent
