#include <cmath>

#include "score/baselines.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/score/seconds.h"

using namespace rocktune;
using namespace rocktune::score;
using rocktune::score::test::kBacklog;
using rocktune::test::at_seconds;

namespace {

// Shows L0 shares to a detector, `interval` seconds apart.
class Feeder {
 public:
  explicit Feeder(Detector& detector, double interval = 1)
      : detector_(detector), interval_(interval) {}
  void show(const Value& share) {
    now_ += interval_;
    Features features;
    features.at.tick = at_seconds(now_);
    features.l0_ratio = share;
    features.missed_polls = missed_;
    features.reset = reset_;
    detector_.update(features, Sample{});
    missed_ = 0;
    reset_ = false;
  }
  void ramp(double from, double per_second, double seconds) {
    const int count = static_cast<int>(std::lround(seconds / interval_));
    for (int i = 0; i < count; ++i) show(from + per_second * interval_ * i);
  }
  void miss(std::uint64_t polls) {
    now_ += interval_ * static_cast<double>(polls);
    missed_ = polls;
  }
  void reset() { reset_ = true; }

 private:
  Detector& detector_;
  double interval_;
  double now_ = 100;
  std::uint64_t missed_ = 0;
  bool reset_ = false;
};

template <class Made>
void check_common() {
  INFO("straight lines are forecast exactly, at any poll interval");
  for (const double interval : {0.5, 1.0, 5.0}) {
    Made detector{Objective{}};
    Feeder feeder(detector, interval);
    feeder.ramp(0.2, 0.005, 600);
    const double last = 0.2 + 0.005 * (600 - interval);
    CHECK(*detector.score(kBacklog, 60) == Approx(last + 0.3).margin(0.002));
    CHECK(*detector.score(kBacklog, 10) == Approx(last + 0.05).margin(0.002));
  }
  Made detector{Objective{}};
  Feeder feeder(detector);
  CHECK_FALSE(detector.score(kBacklog, 60));
  feeder.ramp(0.5, 0, 30);
  CHECK_FALSE(detector.score(kBacklog, 60));  // 29 s seen
  feeder.show(0.5);
  CHECK(*detector.score(kBacklog, 60) == Approx(0.5));
  CHECK_FALSE(detector.score(IndicatorKind::kP99, 60));  // never read
  // Readings that fail are left out; after 10 s there is nothing to say any more.
  for (int i = 0; i < 10; ++i) feeder.show(std::nullopt);
  CHECK(detector.score(kBacklog, 60));
  feeder.show(std::nullopt);
  CHECK_FALSE(detector.score(kBacklog, 60));
  // A reopened database, or a long gap, begins anew.
  feeder.ramp(0.5, 0, 60);
  CHECK(detector.score(kBacklog, 60));
  feeder.reset();
  feeder.show(0.5);
  CHECK_FALSE(detector.score(kBacklog, 60));
  feeder.ramp(0.5, 0, 60);
  feeder.miss(11);
  feeder.show(0.9);
  CHECK_FALSE(detector.score(kBacklog, 60));
}

}  // namespace

TEST_CASE("predict_linear is the least-squares line through 60 s", "[score]") {
  check_common<LinearDetector>();
  LinearDetector detector{Objective{}};
  Feeder feeder(detector);
  feeder.ramp(5, -0.05, 100);  // has left the window
  feeder.ramp(0.2, 0.01, 61);
  CHECK(*detector.score(kBacklog, 60) == Approx(0.8 + 0.6));
}

TEST_CASE("Holt's smoothing follows level and trend", "[score]") {
  check_common<HoltDetector>();
  HoltDetector detector{Objective{}};
  Feeder feeder(detector);
  feeder.ramp(0.2, 0, 100);
  feeder.show(1.2);  // level 0.2 + 0.5 * 1, trend 0.1 * 0.5
  CHECK(*detector.score(kBacklog, 10) == Approx(0.7 + 10 * 0.05));
}
