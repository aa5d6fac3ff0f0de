// Trials of the tree's shape that nobody can judge, or that are not borne for so long.
#include "policy/shape_loop.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/shape_bench.h"

using namespace rocktune;
using namespace rocktune::test;

TEST_CASE("shape: what nobody can judge goes back", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 2);
  REQUIRE(trial);
  bench.apply(*trial);
  bench.backlog(18);  // warns, and costs nobody time
  constexpr double kLongest = ShapeLoop::kSettleSeconds + ShapeLoop::kLongestMeasureSeconds;
  CHECK_FALSE(shape_proposal(bench, kLongest - 10));
  const auto undo = shape_proposal(bench, 20);
  REQUIRE(undo);
  CHECK(undo->rule == "shape.undo");
  CHECK(undo->to == trial->from);
}

TEST_CASE("shape: what makes writers lose time goes back within a minute", "[headroom][shape]") {
  HeadroomBench bench;
  bench.family(64 * kHeadroomMiB, 0);
  // Half a minute of it at a time, ten and more minutes apart: a load that does so by itself?
  const bool usual = GENERATE(false, true);
  for (int burst = 0; usual && burst < 3; ++burst) {
    bench.f.stalled_ratio = 0.5;
    CHECK_FALSE(shape_proposal(bench, 30));
    bench.f.stalled_ratio = 0;
    if (burst < 2) CHECK_FALSE(shape_proposal(bench, ShapeLoop::kMeasureSeconds - 10));
  }
  const auto trial = shape_proposal(bench, ShapeLoop::kMeasureSeconds + 10);
  REQUIRE(trial);
  bench.apply(*trial);
  CHECK_FALSE(shape_proposal(bench, 60));
  bench.f.stalled_ratio = 0.5;
  CHECK_FALSE(shape_proposal(bench, ShapeLoop::kMostLostSeconds - 2));
  const auto undo = shape_proposal(bench, 6);
  CHECK(undo.has_value() == !usual);
  if (usual) {
    CHECK(shape_proposal(bench, 60)->rule == "shape.undo");  // more than ever before
    return;
  }
  CHECK(undo->rule == "shape.undo");
  CHECK(undo->to == trial->from);
  CHECK(undo->reason.find("writers were seen to lose time for 30 s") != std::string::npos);
}
