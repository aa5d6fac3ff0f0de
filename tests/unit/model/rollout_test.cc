// The roll-out on flows whose answers are known by hand.
#include "model/rollout.h"

#include <span>

#include "model/level_targets.h"
#include "tests/support/catch.h"

using namespace rocktune;

namespace {

constexpr double kMega = 1e6;
constexpr Horizons kHorizons = {20, 10, 30, 60};

void set_targets(FlowState& flow, const LevelShape& shape) {
  flow.base_level = level_targets(shape, std::span(flow.level_bytes).first(flow.levels),
                                  std::span(flow.level_targets).first(flow.levels));
}

// A file of 10 MB a second, nothing that runs, nothing below L0.
FlowState filling() {
  FlowState flow;
  flow.l0_files = 3;
  flow.l0_trigger = 100;  // no compaction
  flow.l0_slowdown = 20;
  flow.flush_interval_seconds = flow.next_flush_seconds = 1;
  flow.flush_bytes = 10 * kMega;
  flow.l0_bytes_per_second = 100 * kMega;
  flow.deep_job_seconds = 2;
  flow.file_bytes = 10 * kMega;
  set_targets(flow, {});
  return flow;
}

}  // namespace

TEST_CASE("L0 that only fills reaches its trigger when arithmetic says so", "[rollout]") {
  const Rollout out = roll_out(filling(), kHorizons);
  REQUIRE(out.eta_seconds);
  CHECK(*out.eta_seconds == Approx(17));
  CHECK(out.files_now == Approx(3));
  CHECK(out.peaks[1] == Approx(13));
  CHECK(out.peaks[0] == Approx(23));
  CHECK_FALSE(out.first_end_seconds);
}

TEST_CASE("A part of the next file is written", "[rollout]") {
  FlowState flow = filling();
  flow.flush_interval_seconds = 2;
  flow.next_flush_seconds = 0.5;
  const Rollout out = roll_out(flow, kHorizons);
  CHECK(out.files_now == Approx(3.75));
  REQUIRE(out.eta_seconds);
  CHECK(*out.eta_seconds == Approx((20 - 3.75) * 2).epsilon(1e-9));
}

TEST_CASE("A running job that ends in time prevents the stall", "[rollout]") {
  FlowState flow = filling();
  flow.l0_files = 12;
  flow.l0_trigger = 4;
  flow.l0_job = FlowState::L0Job{5.0, 10};
  flow.flush_interval_seconds = flow.next_flush_seconds = 2;
  const Rollout out = roll_out(flow, kHorizons);
  REQUIRE(out.first_end_seconds);
  CHECK(*out.first_end_seconds == Approx(5));
  CHECK(out.first_end_files == Approx(14.5));
  CHECK(out.peaks[1] == Approx(14.5));
  CHECK_FALSE(out.eta_seconds);
}

TEST_CASE("A running job that ends too late does not", "[rollout]") {
  FlowState flow = filling();
  flow.l0_files = 12;
  flow.l0_trigger = 4;
  flow.l0_job = FlowState::L0Job{9.5, 10};
  const Rollout out = roll_out(flow, kHorizons);
  REQUIRE(out.eta_seconds);
  CHECK(*out.eta_seconds == Approx(8));
  CHECK(out.peaks[1] == Approx(21.5));
}

TEST_CASE("L0 waits behind the deeper level that is further above its target", "[rollout]") {
  FlowState flow = filling();
  flow.l0_files = 8;
  flow.l0_trigger = 4;  // a score of 2
  set_targets(flow, {100'000'000, 10, 4, false});
  flow.level_bytes.at(1) = 350 * kMega;  // 3.5; falls by 0.1 with each job of 2 s
  SECTION("with one slot") {
    const Rollout out = roll_out(flow, kHorizons);
    REQUIRE(out.eta_seconds);  // L0 at 3.5 - n / 10 = (8 + 2 n) / 4: after 3 jobs; 480 MB then
    REQUIRE(out.first_end_seconds);
    CHECK(*out.first_end_seconds == Approx(6 + (140 + 320) / 100.0));
    CHECK(out.first_end_files == Approx(8 + 6 + 4.6));
  }
  SECTION("a level that compactions out of L0 do not touch is compacted beside them") {
    flow.level_bytes.at(1) = 0;
    flow.level_bytes.at(2) = 4000 * kMega;  // 4
    flow.slots = 2;
    const Rollout out = roll_out(flow, kHorizons);
    REQUIRE(out.first_end_seconds);
    CHECK(*out.first_end_seconds == Approx(0.8));
  }
}

TEST_CASE("The next compaction out of L0, and how busy compactions are", "[rollout]") {
  FlowState flow = filling();
  SECTION("none comes") {
    const Rollout out = roll_out(flow, kHorizons);
    CHECK_FALSE(out.l0_begin_seconds);
    CHECK(out.busy_ratio == 0);
  }
  SECTION("at the flush that fills L0 to its trigger, and at every fourth from there") {
    flow.l0_files = 0;
    flow.l0_trigger = 4;
    flow.l0_bytes_per_second = 20 * kMega;  // 4 files: 2 s
    flow.level_targets.fill(1e18);          // nothing leaves L1
    flow.l0_slowdown = 1000;
    const Rollout out = roll_out(flow, kHorizons);
    REQUIRE(out.l0_begin_seconds);
    CHECK(*out.l0_begin_seconds == Approx(4));
    // The first runs from 4 to 6; L1's 40 MB make the second 4 s from 8 on, the third 6 s from 12;
    // the fourth begins with the 6 files of then at 18, 60 + 120 MB in 9 s; the fifth to the end.
    CHECK(out.busy_ratio == Approx((2 + 4 + 6 + 9 + 3) / 30.0));
  }
  SECTION("one runs: 0") {
    flow.l0_job = FlowState::L0Job{3, 3};
    const Rollout out = roll_out(flow, kHorizons);
    CHECK(out.l0_begin_seconds == 0.0);
    CHECK(out.busy_ratio == Approx(0.1));
  }
  SECTION("a deeper one runs first, with one slot") {
    flow.l0_trigger = 3;
    flow.deep_job = FlowState::DeepJob{6, 2};
    flow.level_bytes.at(2) = 1;
    const Rollout out = roll_out(flow, kHorizons);
    REQUIRE(out.l0_begin_seconds);
    CHECK(*out.l0_begin_seconds == Approx(6));
  }
  SECTION("beside a deeper one, with two: it is due at once") {
    flow.l0_trigger = 3;
    flow.slots = 2;
    flow.deep_job = FlowState::DeepJob{6, 2};
    CHECK(roll_out(flow, kHorizons).l0_begin_seconds == 0.0);
  }
  SECTION("L0 far past its limit keeps them busy") {
    flow.l0_trigger = 4;
    flow.l0_job = FlowState::L0Job{2, 3};
    flow.flush_interval_seconds = flow.next_flush_seconds = 0.1;
    const Rollout out = roll_out(flow, kHorizons);
    CHECK(out.busy_ratio == Approx(1));
  }
}
