#include "tools/refused_runs.h"

#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::tools;

namespace {

RefusedRun too_short(double seconds) {
  return {"run/db", seconds, {ErrorCode::kInvalidArgument, "it is not longer"}};
}

RefusedRun refused() {
  return {"run/other", 900, {ErrorCode::kUnsupported, "its compaction is not leveled"}};
}

}  // namespace

TEST_CASE("beside runs that were simulated one that is too short is left out", "[simulate]") {
  const Refusals one = refusals({too_short(30)}, true, true);
  CHECK_FALSE(one.failed);
  REQUIRE(one.errors.size() == 1);
  CHECK(one.errors[0].message == "left out: run run/db: it is not longer (it lasts 30 s)");
  const Refusals two = refusals({too_short(30), refused()}, true, true);
  CHECK(two.failed);
  REQUIRE(two.errors.size() == 2);
  CHECK(two.errors[1].message == "run run/other: its compaction is not leveled");
  CHECK_FALSE(refusals({}, true, true).failed);
}

TEST_CASE("where nothing was simulated it says what would help, if it would", "[simulate]") {
  const Refusals followed = refusals({too_short(30)}, false, true);
  CHECK(followed.failed);
  CHECK(followed.errors[0].message ==
        "run run/db: it is not longer (it lasts 30 s): shorten that (--calibrate-until)");
  for (const Refusals& none :
       {refusals({too_short(5)}, false, true), refusals({too_short(30)}, false, false)}) {
    CHECK(none.failed);
    CHECK(none.errors[0].message.find("--calibrate-until") == std::string::npos);
  }
}
