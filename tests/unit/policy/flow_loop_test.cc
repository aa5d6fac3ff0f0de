#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

HeadroomBench with_delayed_rate(std::int64_t rate = 16 << 20) {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kDelayedWriteRate, rate, 16 << 20, 1 << 20, std::int64_t{1} << 40));
  return bench;
}

}  // namespace

TEST_CASE("flow: stops become a delay at what is accepted", "[headroom][flow]") {
  HeadroomBench bench = with_delayed_rate();
  bench.f.user_write_bytes_per_second = 4e6;
  CHECK_FALSE(bench.run(60, knob::kDelayedWriteRate));
  const auto stop = [&bench](double seconds) {
    bench.f.write_stopped = 1;
    CHECK_FALSE(bench.run(seconds, knob::kDelayedWriteRate));
    bench.f.write_stopped = 0;
    return bench.run(1, knob::kDelayedWriteRate);
  };
  CHECK_FALSE(stop(10));  // one is no pattern
  CHECK_FALSE(bench.run(20, knob::kDelayedWriteRate));
  const auto even = stop(10);
  REQUIRE(even);
  CHECK(even->rule == "flow.even");
  CHECK(even->to == Approx(4e6).epsilon(0.01));
  bench.apply(*even);
  CHECK_FALSE(bench.run(60, knob::kDelayedWriteRate));
}

TEST_CASE("flow: what was found comes back in comfort", "[headroom][flow]") {
  HeadroomBench bench = with_delayed_rate(4 << 20);
  SECTION("while writes go on") {}
  SECTION("while nothing is written: the next slowdown comes with the next writes") {
    bench.f.user_write_bytes_per_second = 0;
  }
  CHECK_FALSE(bench.run(299, knob::kDelayedWriteRate));
  const auto back = bench.run(3, knob::kDelayedWriteRate);
  REQUIRE(back);
  CHECK(back->rule == "flow.returned");
  CHECK(back->to == 16 << 20);
}

TEST_CASE("flow: not where what was accepted is what waits for compaction", "[headroom][flow]") {
  HeadroomBench bench = with_delayed_rate();
  bench.f.user_write_bytes_per_second = 200e6;
  bench.run(60, knob::kDelayedWriteRate);
  bench.f.pending_bytes = 65e9;
  bench.f.pending_soft_bytes = 64e9;
  bench.f.pending_ratio = 65.0 / 64;
  bench.f.delayed_bytes_per_second = 16e6;
  CHECK_FALSE(bench.run(30, knob::kDelayedWriteRate));
  bench.f.pending_bytes = 30e9;
  CHECK(bench.run(3, knob::kDelayedWriteRate));
}

TEST_CASE("flow: for what waits for compaction no more than what was found", "[headroom][flow]") {
  HeadroomBench bench = with_delayed_rate(4 << 20);
  bench.f.user_write_bytes_per_second = 200e6;
  bench.f.pending_bytes = 65e9;
  bench.f.pending_soft_bytes = 64e9;
  bench.f.pending_ratio = 65.0 / 64;
  bench.f.delayed_bytes_per_second = 4e6;
  const auto lifted = bench.run(30, knob::kDelayedWriteRate);
  REQUIRE(lifted);
  CHECK(lifted->rule == "flow.collapse");
  CHECK(lifted->to == 16 << 20);
}

TEST_CASE("flow: a delay far below what was accepted is lifted", "[headroom][flow]") {
  HeadroomBench bench = with_delayed_rate();
  bench.f.user_write_bytes_per_second = 200e6;
  bench.run(60, knob::kDelayedWriteRate);
  bench.f.delayed_bytes_per_second = 16e6;
  const auto lifted = bench.run(3, knob::kDelayedWriteRate);
  REQUIRE(lifted);
  CHECK(lifted->rule == "flow.collapse");
  CHECK(lifted->to > 150'000'000);
}

TEST_CASE("flow: what says nothing of the right rate moves none", "[headroom][flow]") {
  HeadroomBench bench = with_delayed_rate();
  bench.f.user_write_bytes_per_second = 4e6;
  bench.run(60, knob::kDelayedWriteRate);
  // So many samples of a stop, so many of writes that flow.
  const auto in_turns = [&bench](int rounds, int stopped, int flowing) {
    std::optional<Proposal> last;
    for (int i = 0; i < rounds * (stopped + flowing); ++i) {
      const bool stops = i % (stopped + flowing) < stopped;
      bench.f.write_stopped = stops ? 1 : 0;
      bench.f.user_write_bytes_per_second = stops ? 0 : 4e6;
      for (const Proposal& one : bench.tick()) {
        if (one.knob == knob::kDelayedWriteRate) last = one;
      }
    }
    return last;
  };
  SECTION("a stop that lasts") {
    bench.f.write_stopped = 1;
    bench.f.user_write_bytes_per_second = 0;
    CHECK_FALSE(bench.run(100, knob::kDelayedWriteRate));
    bench.f.write_stopped = 0;  // which ends
    CHECK_FALSE(bench.run(30, knob::kDelayedWriteRate));
    CHECK(in_turns(2, 10, 10));
  }
  SECTION("stops of two memtables, which no delay comes before") {
    bench.f.memtable_ratio = 1;
    bench.f.immutable_memtables = 2;
    CHECK_FALSE(in_turns(4, 10, 10));
    bench.f.max_write_buffers = 4;
    bench.f.immutable_memtables = 4;
    CHECK(in_turns(2, 10, 10));
  }
  SECTION("stops of the write buffer manager, which no delay comes before") {
    bench.f.write_buffer_stall = 1;  // its samples of writes that flow have write_stopped = 0
    CHECK_FALSE(in_turns(4, 10, 10));
    bench.f.write_buffer_stall = 0;
    CHECK(in_turns(2, 10, 10));
  }
  SECTION("stops before the last step") {
    const auto even = in_turns(2, 10, 10);
    REQUIRE(even);
    bench.apply(*even);
    bench.knob(knob::kDelayedWriteRate).value = 8 << 20;  // as far as the guard lets it
    CHECK_FALSE(in_turns(1, 19, 19));                     // 19 s at the new rate
    CHECK(in_turns(1, 10, 10));
  }
}
