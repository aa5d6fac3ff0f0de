#include "bench/run/moments.h"

#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/catch.h"

using rocktune::Nanoseconds;
using rocktune::bench::Moments;
using rocktune::scenario::Mix;
using rocktune::scenario::Operation;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Nanoseconds kStart = seconds(100), kEnd = seconds(200);

// A thread that is busy all the time.
struct Thread {
  Moments moments{Mix::of(0.5, 0.5), kStart, kEnd};
  Nanoseconds now = kStart;
  std::map<Operation, std::vector<Nanoseconds>> seen;

  void takes(Operation operation, Nanoseconds took) {
    now += took;
    moments.done(operation, took, now,
                 [this](Operation kind, Nanoseconds latency) { seen[kind].push_back(latency); });
  }
};

using Latencies = std::vector<Nanoseconds>;

}  // namespace

TEST_CASE("moments: whoever comes waits for what the thread is at, and then for its own",
          "[bench][moments]") {
  Thread thread;
  thread.takes(Operation::kRead, milliseconds(1));  // the moment at 0
  CHECK(thread.seen[Operation::kRead] == Latencies{milliseconds(1)});
  CHECK(thread.seen[Operation::kUpdate] == Latencies{milliseconds(1)});
  thread.seen.clear();
  thread.takes(Operation::kUpdate, milliseconds(3));  // those at 1, 2 and 3 ms
  CHECK(thread.seen[Operation::kRead] ==
        Latencies{milliseconds(4), milliseconds(3), milliseconds(2)});
  CHECK(thread.seen[Operation::kUpdate] ==
        Latencies{milliseconds(3), milliseconds(2), milliseconds(1)});
  thread.seen.clear();
  thread.takes(Operation::kRead, milliseconds(1));
  CHECK(thread.seen[Operation::kRead] == Latencies{milliseconds(2)});
  CHECK(thread.seen[Operation::kUpdate] == Latencies{milliseconds(4)});
  CHECK(thread.seen.size() == 2);  // and nobody comes for what the phase does not have
}

TEST_CASE("moments: a stop weighs by its length, not by how few operations it let through",
          "[bench][moments]") {
  Thread thread;
  for (int i = 0; i < 10000; ++i) thread.takes(Operation::kRead, microseconds(100));
  thread.takes(Operation::kUpdate, seconds(1));
  Latencies& reads = thread.seen[Operation::kRead];
  REQUIRE(reads.size() == 2000);
  std::sort(reads.begin(), reads.end());
  CHECK(reads[900] <= microseconds(200));
  CHECK(reads[1500] >= milliseconds(490));  // of those 10,000 reads all took 100 us
}

TEST_CASE("moments: a phase that begins with a stop shows it to reads, too", "[bench][moments]") {
  Thread thread;
  thread.takes(Operation::kUpdate, seconds(5));
  const Latencies& reads = thread.seen[Operation::kRead];
  REQUIRE(reads.size() == 5000);
  CHECK(reads.front() == seconds(5));
}

TEST_CASE("moments: none after the end of the phase", "[bench][moments]") {
  Thread thread;
  thread.takes(Operation::kUpdate, seconds(150));
  const Latencies& reads = thread.seen[Operation::kRead];
  REQUIRE(reads.size() == 100000);
  CHECK(reads.back() == seconds(50) + milliseconds(1));
}
