// Larger single writes for writers that lose time on a full device: when, and for how long.
#include "tests/unit/policy/write_size_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// Writers lose this share of the time behind a full level 0.
void lose(HeadroomBench& bench, double share) {
  bench.f.knobs.edit()[1] = jobs_knob(4);  // enough
  bench.f.stalled_ratio = share;
  bench.backlog(20);
}

// Larger pieces, made for writers that lost 60% of the time since a few seconds.
HeadroomBench relieved(Priority first, bool shared = false) {
  HeadroomBench bench = with_small_pieces();
  bench.objective.first = first;
  if (shared) bench.f.shared.emplace().device_members = 2;
  bench.f.read_p99_us = 4000;
  lose(bench, 0.6);
  const auto back = bench.run(45, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.backlog");
  CHECK(back->to == kFoundPieces);
  bench.apply(*back);
  bench.f.read_p99_us = 8000;
  return bench;
}

}  // namespace

TEST_CASE("write size: larger pieces that relieve no writers cost reads for nothing",
          "[headroom]") {
  HeadroomBench bench =
      relieved(GENERATE(Priority::kReadP99, Priority::kThroughput), GENERATE(false, true));
  SECTION("writers lose as much") {
    lose(bench, 0.5);
    CHECK_FALSE(bench.run(58, knob::kWriteSize));
    const auto small = bench.run(3, knob::kWriteSize);
    REQUIRE(small);
    CHECK(small->rule == "write_size.unrelieved");
    CHECK(small->to == kSmallerPieces);
    CHECK(small->reason ==
          "writers lost 60% of the time, and 50% with larger pieces: it is not these that they "
          "wait for");
    CHECK(small->expected.feature.empty());
    SECTION("nor are they made larger soon for what goes on") {
      bench.apply(*small);
      bench.f.read_p99_us = 4000;
      lose(bench, 0.6);
      CHECK_FALSE(bench.run(590, knob::kWriteSize));
      const auto again = bench.run(20, knob::kWriteSize);
      REQUIRE(again);
      CHECK(again->rule == "write_size.backlog");
    }
    SECTION("and what nobody grants for a minute is offered no more") {
      bench.run(60, knob::kWriteSize);
      CHECK_FALSE(bench.run(60, knob::kWriteSize));
    }
  }
  SECTION("writers lose less") {
    lose(bench, 0.3);
    CHECK_FALSE(bench.run(120, knob::kWriteSize));
  }
  SECTION("they lose as much until level 0 is worked off") {
    lose(bench, 1);
    CHECK_FALSE(bench.run(29, knob::kWriteSize));
    lose(bench, 0);
    CHECK_FALSE(bench.run(30, knob::kWriteSize));
    lose(bench, 1);  // another time
    CHECK_FALSE(bench.run(30, knob::kWriteSize));
  }
  SECTION("nobody could take them back meanwhile") {
    lose(bench, 0.5);
    bench.run(30, knob::kWriteSize);
    bench.knob(knob::kWriteSize).changeable = false;
    bench.run(30, knob::kWriteSize);
    bench.knob(knob::kWriteSize).changeable = true;
    CHECK_FALSE(bench.run(120, knob::kWriteSize));
  }
  SECTION("nobody knows what they lose") {
    bench.f.stalled_ratio.reset();
    CHECK_FALSE(bench.run(120, knob::kWriteSize));
  }
}

TEST_CASE("write size: where writers come first larger pieces stay for them", "[headroom]") {
  HeadroomBench bench = relieved(GENERATE(Priority::kWriteP99, Priority::kStallSeconds));
  lose(bench, 0.5);
  CHECK_FALSE(bench.run(120, knob::kWriteSize));
}

TEST_CASE("write size: larger pieces before anybody stalls are compared with nothing",
          "[headroom]") {
  HeadroomBench bench = with_small_pieces();
  bench.f.shared.emplace().device_members = 2;
  bench.f.read_p99_us = 4000;
  bench.backlog(18);
  const auto back = bench.run(8, knob::kWriteSize);
  REQUIRE(back);
  CHECK(back->rule == "write_size.backlog");
  bench.apply(*back);
  bench.f.read_p99_us = 8000;
  lose(bench, 0.1);
  CHECK_FALSE(bench.run(120, knob::kWriteSize));
}
