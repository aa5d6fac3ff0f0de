// SILK's rules on hand-made loads: shares, pause, level 0 first.
#include <cmath>

#include "tests/unit/policy/peers/peer_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

class SilkBench : public PeerBench {
 public:
  explicit SilkBench(const PolicyParams& params = {{"device_bytes_per_second", 200e6}})
      : PeerBench("silk", params) {}
  // Half reads, half updates, of 1,000 bytes each.
  void clients(double bytes_per_second) {
    f.reads_per_second = f.writes_per_second = bytes_per_second / 2000;
    f.user_write_bytes_per_second = bytes_per_second / 2;
  }
  std::int64_t rate_at(double bytes_per_second) {
    clients(bytes_per_second);
    tick();
    return value(knob::kRateLimit);
  }
};

}  // namespace

TEST_CASE("silk: compactions get what clients leave, reads count like writes", "[peers]") {
  SilkBench bench;
  CHECK(bench.rate_at(60e6) == 140'000'000);
  CHECK(bench.rate_at(100e6) == 100'000'000);
  bench.f.seeks_per_second = 20000;
  CHECK(bench.rate_at(100e6) == 80'000'000);
}

TEST_CASE("silk: a move of less than 10 MB/s is left", "[peers]") {
  SilkBench bench;
  CHECK(bench.rate_at(60e6) == 140'000'000);
  CHECK(bench.rate_at(69e6) == 140'000'000);
  CHECK(bench.rate_at(51e6) == 140'000'000);
  CHECK(bench.rate_at(70e6) == 130'000'000);
}

TEST_CASE("silk: above 75% of the device compactions pause", "[peers]") {
  SilkBench bench;
  CHECK(bench.rate_at(150e6) == 50'000'000);
  bench.clients(151e6);
  const auto paused = bench.tick();
  REQUIRE(paused.size() == 1);
  CHECK(paused[0].rule == "silk.pause");
  CHECK(bench.value(knob::kRateLimit) == 10'000'000);
  CHECK(bench.run(10).empty());
  CHECK(bench.rate_at(150e6) == 50'000'000);
}

TEST_CASE("silk: level 0 is compacted in spite of the pause, from 4 files on", "[peers]") {
  SilkBench bench;
  bench.level0(4);
  CHECK(bench.rate_at(160e6) == 40'000'000);
  CHECK(bench.rate_at(250e6) == 10'000'000);
  CHECK(bench.rate_at(160e6) == 40'000'000);
  bench.level0(3);
  CHECK(bench.rate_at(160e6) == 10'000'000);
}

TEST_CASE("silk: flushes wait for nobody, level 0 goes first", "[peers]") {
  SilkBench bench;
  bench.knob(knob::kLimitFlushes, 1);
  bench.knob(knob::kL0Weight, 4);
  bench.tick();
  CHECK(bench.value(knob::kLimitFlushes) == 0);
  CHECK(bench.value(knob::kL0Weight) == 16);
  for (const Proposal& proposal : bench.run(10)) CHECK(proposal.knob == knob::kRateLimit);
}

TEST_CASE("silk: the device is what was probed, or it moves nothing until it is learnt",
          "[peers]") {
  SilkBench probed{PolicyParams{}};
  probed.objective.device_capacities.write = DirectionCapacity{500e6, 1e5};
  CHECK(probed.rate_at(100e6) == 400'000'000);
  SilkBench unknown{PolicyParams{}};
  unknown.clients(100e6);
  CHECK(unknown.run(10).empty());
}

TEST_CASE("silk: a device that was seen at its limit is known", "[peers]") {
  SilkBench bench{PolicyParams{}};
  bench.clients(20e6);
  Features& f = bench.f;
  auto device = [&](double bytes, double queue, double await_ms) {
    f.device_write_bytes_per_second = bytes;
    f.device_read_bytes_per_second = 0;
    f.device_write_iops = bytes / 65536;
    f.device_read_iops = 0;
    f.device_queue = queue;
    f.device_write_await_ms = await_ms;
  };
  // Light load first: then five seconds and more at which a longer queue brings nothing.
  for (int i = 0; i < 200; ++i) {
    device(10e6 + i % 5 * 1e5, 0.1, 0.5);
    bench.tick();
  }
  CHECK(bench.value(knob::kRateLimit) == kUnlimitedBytesPerSecond);
  for (int i = 0; i < 400; ++i) {
    const double queue = 20 + i % 20;
    device(100e6, queue, queue / (100e6 / 65536) * 1e3);
    bench.tick();
  }
  const auto rate = static_cast<double>(bench.value(knob::kRateLimit));
  CHECK(rate > 60e6);  // 100 MB/s less 20 MB/s, give or take
  CHECK(rate < 100e6);
}

TEST_CASE("silk: without a size of values, or a reading, nothing moves", "[peers]") {
  SilkBench bench;
  bench.f.writes_per_second = 0;
  bench.f.user_write_bytes_per_second = 0;
  CHECK(bench.run(5).empty());
  bench.clients(60e6);
  bench.f.reads_per_second.reset();
  CHECK(bench.run(5).empty());
  bench.clients(60e6);
  bench.f.fresh = false;
  CHECK(bench.run(5).empty());
  bench.f.fresh = true;
  CHECK(bench.tick().size() == 1);
  // The size of a value is remembered while nothing is written, and forgotten with the database.
  bench.f.writes_per_second = 0;
  bench.f.user_write_bytes_per_second = 0;
  bench.f.reads_per_second = 100'000;
  CHECK(bench.tick().size() == 1);
  CHECK(bench.value(knob::kRateLimit) == 100'000'000);
  bench.f.reset = true;
  bench.f.reads_per_second = 0.5;
  CHECK(bench.tick().empty());
}
