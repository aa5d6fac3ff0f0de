#include "model/knobs.h"

#include "tests/support/catch.h"

using namespace rocktune;

TEST_CASE("every knob of the catalogue can be found and moved", "[knobs]") {
  for (const KnobSpec& spec : knob_catalogue()) {
    CHECK(find_knob(spec.name) == &spec);
    CHECK(spec.min < spec.max);
    CHECK(spec.max_step_ratio > 1);
    CHECK(spec.min_step > 0);
    CHECK(spec.dwell > Nanoseconds(0));
    CHECK(spec.evaluation >= spec.dwell);
  }
  CHECK(find_knob("compaction_style") == nullptr);
  CHECK(find_knob(knob::kRateLimit)->max == kUnlimitedBytesPerSecond);
}
