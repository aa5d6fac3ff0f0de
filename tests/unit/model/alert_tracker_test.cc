#include "model/alert_tracker.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// An indicator that foresees its event, second by second.
class Foresight {
 public:
  Foresight() {
    now_.indicator.kind = IndicatorKind::kCompactionBacklog;
    now_.indicator.warn_probability = 0.6;
  }
  AlertState see(double probability, double use, bool event = false) {
    now_.indicator.valid = true;
    now_.indicator.near_probability = probability;
    now_.indicator.event = event;
    now_.use = use;
    step();
    return now_.indicator.state;
  }
  void go_blind() {
    now_.indicator.valid = false;
    for (int second = 0; second < 40; ++second) step();
    REQUIRE(now_.indicator.state == AlertState::kOk);
  }
  // Until the alert is over.
  void calm() {
    for (int second = 0; second < 12; ++second) see(0.01, 0.1);
    REQUIRE(now_.indicator.state == AlertState::kOk);
  }

 private:
  void step() {
    ++second_;
    const Instant at{at_seconds(1.7e9 + second_), at_seconds(second_)};
    tracker_.update(now_, at, [] { return std::vector<Driver>(); });
  }

  Assessment now_;
  AlertTracker tracker_;
  int second_ = 0;
};

}  // namespace

TEST_CASE("a forecast alone is critical from half of the limit on", "[indicators]") {
  Foresight foresight;
  CHECK(foresight.see(0.99, 0.45) == AlertState::kWarning);
  CHECK(foresight.see(0.99, 0.5) == AlertState::kCritical);
  CHECK(foresight.see(0.99, 0.2) == AlertState::kCritical);  // between two compactions
}

TEST_CASE("a forecast is critical at once where the last one came true", "[indicators]") {
  Foresight foresight;
  CHECK(foresight.see(0.99, 0.2) == AlertState::kWarning);
  CHECK(foresight.see(1, 1, true) == AlertState::kCritical);  // the event always is
  foresight.calm();
  CHECK(foresight.see(0.99, 0.2) == AlertState::kCritical);
  foresight.calm();  // and this one did not come
  CHECK(foresight.see(0.99, 0.2) == AlertState::kWarning);
}

TEST_CASE("an alert that its event raised says nothing of forecasts", "[indicators]") {
  Foresight foresight;
  CHECK(foresight.see(1, 1, true) == AlertState::kCritical);
  foresight.calm();
  CHECK(foresight.see(0.99, 0.2) == AlertState::kWarning);
}

TEST_CASE("that a forecast came true is seen, that it did not has to be", "[indicators]") {
  Foresight foresight;
  foresight.see(0.99, 0.2);
  foresight.see(1, 1, true);
  foresight.go_blind();
  CHECK(foresight.see(0.99, 0.2) == AlertState::kCritical);
  foresight.go_blind();  // nobody knows of this one
  CHECK(foresight.see(0.99, 0.2) == AlertState::kCritical);
}

TEST_CASE("half of its limit is half of that of what is most probable", "[indicators]") {
  HorizonProbabilities probable{}, hardly{};
  probable.fill(0.9);
  hardly.fill(0.1);
  const Pressure l0{"l0", 0.2, 10, nullptr, nullptr, probable};
  const Pressure memtables{"memtables", 1, std::nullopt, nullptr, nullptr, hardly};
  const Assessment found = assess(IndicatorKind::kCompactionBacklog, {memtables, l0}, false, 60);
  CHECK(found.indicator.cause == "l0");
  CHECK(found.use == 0.2);
}
