// A limit that was raised for a backlog goes back when the backlog is long gone.
#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

constexpr std::int64_t kFound = 50'000'000;

// Found at 50 MB/s, raised to `limit`; 10 MB/s are written, 30 MB/s in the background.
HeadroomBench raised_to(std::int64_t limit) {
  HeadroomBench bench;
  bench.f.knobs.edit()[0].found = kFound;
  bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
  bench.set_limit(limit, 30e6);
  return bench;
}

}  // namespace

TEST_CASE("limiter: what was raised above what was found returns in comfort", "[headroom]") {
  HeadroomBench bench = raised_to(800'000'000);
  CHECK_FALSE(bench.run(299, knob::kRateLimit));
  const auto back = bench.run(3, knob::kRateLimit);
  REQUIRE(back);
  CHECK(back->rule == "limiter.returned");
  CHECK(back->to == Approx(60e6).epsilon(0.05));  // twice what is needed
  bench.apply(*back);
  bench.set_limit(back->to, 30e6);
  CHECK_FALSE(bench.run(1200, knob::kRateLimit));  // nor in small steps
}

TEST_CASE("limiter: it returns to what was found where that is enough", "[headroom]") {
  HeadroomBench bench = raised_to(kUnlimitedBytesPerSecond);
  bench.f.user_write_bytes_per_second = 1e6;
  bench.f.flush_bytes_per_second = 1e6;
  bench.f.compaction_write_bytes_per_second = 2e6;
  bench.set_limit(kUnlimitedBytesPerSecond, 3e6);
  const auto back = bench.run(310, knob::kRateLimit);
  REQUIRE(back);
  CHECK(back->to == kFound);
}

TEST_CASE("limiter: it does not return from what was found, a backlog, or an operator's word",
          "[headroom]") {
  HeadroomBench bench = raised_to(800'000'000);
  SECTION("as found") {
    bench.set_limit(kFound, 30e6);
  }
  SECTION("found unlimited") {
    bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
  }
  SECTION("a backlog") {
    bench.backlog(12);
  }
  SECTION("manual") {
    bench.f.knobs.edit()[0].owner = KnobOwner::kManual;
  }
  CHECK_FALSE(bench.run(900, knob::kRateLimit));
}

TEST_CASE("limiter: a backlog soon after the return makes the next wait longer", "[headroom]") {
  HeadroomBench bench = raised_to(800'000'000);
  const auto back = bench.run(310, knob::kRateLimit);
  REQUIRE(back);
  bench.apply(*back);
  bench.set_limit(back->to, 1.0 * static_cast<double>(back->to));
  bench.backlog(18);
  const auto raised = bench.run(3, knob::kRateLimit);
  REQUIRE(raised);
  CHECK(raised->rule == "limiter.backlog");
  bench.apply(*raised);
  bench.set_limit(800'000'000, 30e6);
  bench.backlog(2);
  CHECK_FALSE(bench.run(299, knob::kRateLimit));
  CHECK(bench.run(30, knob::kRateLimit));  // 300 s of comfort are longer than the rest so far
}

TEST_CASE("limiter: a return to what was found is learnt from like any other", "[headroom]") {
  HeadroomBench bench = raised_to(4 * kFound);
  bench.f.user_write_bytes_per_second = 1e6;
  bench.f.flush_bytes_per_second = 1e6;
  bench.f.compaction_write_bytes_per_second = 2e6;
  // A minute of rest, doubled by each raise that follows: 120, 240 and 480 s.
  for (int mistakes = 0; mistakes < 3; ++mistakes) {
    bench.set_limit(4 * kFound, 3e6);
    bench.backlog(2);
    const auto back = bench.run(310, knob::kRateLimit);
    REQUIRE(back);
    REQUIRE(back->to == kFound);
    bench.apply(*back);
    bench.set_limit(kFound, 1.0 * kFound);
    bench.backlog(18);
    const auto raised = bench.run(3, knob::kRateLimit);
    REQUIRE(raised);
    bench.apply(*raised);
  }
  bench.set_limit(4 * kFound, 3e6);
  bench.backlog(2);
  CHECK_FALSE(bench.run(450, knob::kRateLimit));
  CHECK(bench.run(60, knob::kRateLimit));
}

TEST_CASE("limiter: a sample that was not read ends no comfort", "[headroom]") {
  HeadroomBench bench = raised_to(800'000'000);
  const Features read = bench.f;
  std::optional<Proposal> back;
  for (int i = 0; i < 620 && !back; ++i) {  // every second poll is somebody else's turn
    const bool fresh = i % 2 == 0;
    const Nanoseconds at = bench.f.at.tick;
    const std::uint64_t sequence = bench.f.sequence;
    bench.f = fresh ? read : Features{};
    bench.f.at.tick = at;
    bench.f.sequence = sequence;
    bench.f.interval_seconds = fresh ? 1 : 0.5;
    for (const Proposal& one : bench.tick()) back = one;
  }
  REQUIRE(back);
  CHECK(back->rule == "limiter.returned");
}

TEST_CASE("limiter: it returns where nobody counts what is written", "[headroom]") {
  HeadroomBench bench = raised_to(kUnlimitedBytesPerSecond);
  bench.f.user_write_bytes_per_second.reset();
  bench.f.flush_bytes_per_second.reset();
  bench.f.compaction_write_bytes_per_second.reset();
  CHECK_FALSE(bench.run(290, knob::kRateLimit));
  const auto back = bench.run(20, knob::kRateLimit);
  REQUIRE(back);
  CHECK(back->rule == "limiter.returned");
  CHECK(back->to == kFound);
  CHECK(back->reason.find("needed") == std::string::npos);
}
