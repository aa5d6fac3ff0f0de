// TiKV's limiter, reckoned by hand.
#include <algorithm>
#include <cmath>

#include "tests/unit/policy/peers/peer_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

double padding_at(double rate) {
  return rate / 10 + 577464606419583.0 / (rate + 26225305);
}

class WriteAmpBench : public PeerBench {
 public:
  explicit WriteAmpBench(PolicyParams params = {{"rate_limit_max_bytes_per_second", 1e9}})
      : PeerBench("write-amp-limiter", params) {
    f.flush_bytes_per_second.reset();
    f.compaction_write_bytes_per_second.reset();
    tick();  // starts
  }
  void background(double flush, double compaction) {
    f.flush_bytes_per_second = flush;
    f.compaction_write_bytes_per_second = compaction;
  }
  double rate_after(double seconds) {
    run(seconds);
    return static_cast<double>(value(knob::kRateLimit));
  }
};

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-6 * b + 2;
}

}  // namespace

TEST_CASE("write-amp: it starts at half of the largest rate", "[peers]") {
  WriteAmpBench bench;
  CHECK(bench.value(knob::kRateLimit) == 500'000'000);
}

TEST_CASE("write-amp: the amplification times recent flushes, padded", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  // Five times 20 MB/s; compactions alone are limited, so flushes come on top.
  CHECK(near(bench.rate_after(30.5), 100e6 + padding_at(100e6) + 20e6));  // ends with a tick
  // The flushes of the last 30 s count at once, the amplification is one of 300 s.
  bench.background(40e6, 100e6);
  bench.run(1);
  // Compactions get what they got before, and the flushes of this second come on top.
  CHECK(bench.value(knob::kRateLimit) >=
        static_cast<std::int64_t>(100e6 + padding_at(100e6) + 40e6));
  const double expected = 3.3 * 40e6;  // 100 / 30, in tenths
  CHECK(near(bench.rate_after(29), expected + padding_at(expected) + 40e6));
}

TEST_CASE("write-amp: small flushes are reckoned as 8 MiB/s, small rates are padded more",
          "[peers]") {
  WriteAmpBench bench;
  bench.background(1e6, 1e6);
  const double least = 8 << 20;
  CHECK(near(bench.rate_after(5), least + padding_at(least) + 1e6));
  CHECK(padding_at(5e6) > 18e6);  // as the original's comment has it
}

TEST_CASE("write-amp: 1% a tick while the rate is used up, to 6%, and back", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  const double base = 100e6 + padding_at(100e6) + 20e6;
  CHECK(near(bench.rate_after(60), base));
  // A limit below what compactions write: as if others had lowered it.
  bench.act = false;
  bench.f.knobs.edit()[0].value = 110'000'000;
  std::vector<double> wanted;
  for (int i = 0; i < 45; ++i) {
    for (const Proposal& proposal : bench.run(1))
      wanted.push_back(static_cast<double>(proposal.to));
  }
  REQUIRE(wanted.size() == 45);
  CHECK(near(wanted.front(), base));
  double last = 0, largest_step = 0;
  for (double rate : wanted) {
    if (last > 0) largest_step = std::max(largest_step, rate - last);
    last = rate;
  }
  CHECK(near(largest_step, 1e6));
  CHECK(near(wanted.back(), base + 6e6));
  bench.f.knobs.edit()[0].value = 500'000'000;
  bench.run(30);
  const auto after = bench.run(1);
  REQUIRE(after.size() == 1);
  CHECK(near(static_cast<double>(after[0].to), base));
}

TEST_CASE("write-amp: 150% when writes stall or nearly do, then 1% less a tick", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  const double base = 100e6 + padding_at(100e6) + 20e6;
  auto surge = [&] {
    const double rate = bench.rate_after(1);
    return std::round((rate - base) / 1e6);
  };
  bench.run(60.5);  // ends with a tick
  bench.level0(16);
  CHECK(surge() == 150);
  bench.level0(15);
  CHECK(surge() == 149);
  CHECK(surge() == 148);
  bench.f.pending_ratio = 0.5;
  CHECK(surge() == 150);
  bench.f.pending_ratio = 0.49;
  CHECK(surge() == 149);
  bench.f.write_stopped = 1;
  CHECK(surge() == 150);
}

TEST_CASE("write-amp: pressure between two ticks counts, and lasts while nothing is compacted",
          "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  const double base = 100e6 + padding_at(100e6) + 20e6;
  bench.run(60.5);  // the next poll is none of its ticks
  bench.level0(16);
  CHECK(bench.run(0.5).empty());
  bench.level0(2);
  CHECK(near(bench.rate_after(0.5), base + 150e6));
  bench.background(0, 0);
  CHECK(bench.run(60).empty());
  bench.background(20e6, 100e6);
  bench.run(30);
  const double after = bench.rate_after(1);
  CHECK(std::round((after - base) / 1e6) > 110);
  CHECK(std::round((after - base) / 1e6) < 130);
}

TEST_CASE("write-amp: idle seconds are samples, one for each", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  bench.run(60.5);  // 60 samples; ends with a tick
  bench.background(0, 0);
  CHECK(bench.run(30).empty());
  bench.background(20e6, 100e6);
  bench.tick();
  // 30 more, each the mean of the 30.5 s, of which half a second was busy.
  const double share = 0.5 / 30.5;
  const double written = (60 * 100e6 + 30 * share * 100e6) / 90;
  CHECK(near(static_cast<double>(bench.value(knob::kRateLimit)),
             written + padding_at(written) + share * 20e6));
}

TEST_CASE("write-amp: what was not read for long is one sample, of what was read", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  bench.run(60.5);
  bench.f.fresh = false;
  CHECK(bench.run(30).empty());
  bench.f.fresh = true;
  bench.background(20e6, 40e6);
  bench.tick();
  const double written = (60 * 100e6 + 40e6) / 61;
  CHECK(near(static_cast<double>(bench.value(knob::kRateLimit)),
             written + padding_at(written) + 20e6));
}

TEST_CASE("write-amp: within 10 MiB/s and the largest rate less recent flushes", "[peers]") {
  WriteAmpBench bench;
  bench.background(300e6, 900e6);
  CHECK(near(bench.rate_after(30), 1e9));
  WriteAmpBench scaled({{"rate_limit_max_bytes_per_second", 1e9}, {"scale", 64}});
  scaled.background(0, 1);
  const double least = (8 << 20) / 64.0;
  CHECK(near(scaled.rate_after(5), least + padding_at(least * 64) / 64));
  WriteAmpBench narrow({{"rate_limit_max_bytes_per_second", 5e6}});
  narrow.background(1e6, 1e6);
  CHECK(near(narrow.rate_after(5), (10 << 20) + 1e6));
}

TEST_CASE("write-amp: at the limit that was found it stays, and starts no second time", "[peers]") {
  PeerBench bench("write-amp-limiter");
  bench.f.knobs = {limiter_knob(80'000'000, 80'000'000)};
  bench.tick();
  REQUIRE(bench.value(knob::kRateLimit) == 40'000'000);
  bench.f.flush_bytes_per_second = 20e6;
  bench.f.compaction_write_bytes_per_second = 100e6;
  bench.run(40);  // until all of the recent flushes are such
  CHECK(bench.value(knob::kRateLimit) == 80'000'000);
  CHECK(bench.run(60).empty());
  // Given back by the agent, as a lease expired, and no compaction asks: it starts anew.
  bench.f.flush_bytes_per_second = 1e6;
  bench.f.compaction_write_bytes_per_second = 1e6;
  bench.run(60);
  REQUIRE(bench.value(knob::kRateLimit) < 80'000'000);
  bench.f.knobs = {limiter_knob(80'000'000, 80'000'000)};
  bench.f.compaction_write_bytes_per_second = 0;
  bench.tick();
  CHECK(bench.value(knob::kRateLimit) == 40'000'000);
}

TEST_CASE("write-amp: without a soft limit it is always critical, as there", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  bench.f.pending_soft_bytes = 0;
  CHECK(near(bench.rate_after(30), 120e6 + padding_at(100e6) + 1.5 * 100e6));
}

TEST_CASE("write-amp: what was not read moves nothing; another database begins anew", "[peers]") {
  WriteAmpBench bench;
  bench.background(20e6, 100e6);
  bench.run(30);
  bench.f.flush_bytes_per_second.reset();
  CHECK(bench.run(30).empty());
  bench.background(60e6, 100e6);
  bench.f.fresh = false;
  CHECK(bench.run(30).empty());
  bench.f.fresh = true;
  bench.f.reset = true;
  // Nothing of the 20 MB/s is left in the means.
  CHECK(near(bench.rate_after(60), 100e6 + padding_at(100e6) + 60e6));
}

TEST_CASE("write-amp: flushes wait for nobody, and all compactions are served alike", "[peers]") {
  PeerBench bench("write-amp-limiter");
  bench.knob(knob::kLimitFlushes, 1);  // as another policy has left it
  bench.knob(knob::kL0Weight, 4);
  bench.tick();
  CHECK(bench.value(knob::kLimitFlushes) == 0);
  CHECK(bench.value(knob::kL0Weight) == 1);
  for (const Proposal& proposal : bench.run(30)) CHECK(proposal.knob == knob::kRateLimit);
}

TEST_CASE("write-amp: what nobody makes is asked for each second", "[peers]") {
  PeerBench bench("write-amp-limiter");
  bench.knob(knob::kL0Weight, 4);
  bench.act = false;
  CHECK(bench.run(10).size() == 20);  // start and weight
}
