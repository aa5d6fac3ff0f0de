#include "model/heads/drift.h"

#include <random>

#include "model/heads/episodes.h"
#include "tests/support/catch.h"

namespace rocktune {
namespace {

int drifts(double said, double real, int blocks, unsigned seed) {
  std::mt19937_64 random(seed);
  Drift drift(15);
  int found = 0;
  for (int i = 0; i < blocks; ++i) {
    // The forecasts of one block come true or not together.
    const bool came = std::bernoulli_distribution(real)(random);
    for (int j = 0; j < 15; ++j) found += drift.add(said, came) ? 1 : 0;
  }
  return found;
}

TEST_CASE("calibrated forecasts hardly ever look like drift", "[heads]") {
  CHECK(drifts(0.5, 0.5, 20000, 1) <= 2);
  CHECK(drifts(0.2, 0.2, 20000, 2) <= 2);
}

TEST_CASE("forecasts that have become wrong are found", "[heads]") {
  CHECK(drifts(0.05, 0.9, 10, 3) >= 1);
  CHECK(drifts(0.9, 0.05, 10, 4) >= 1);
}

struct EventCourse {
  Episodes episodes;
  Nanoseconds now{0};
  int onsets = 0;
  void seconds(int count, bool holds, bool known = true) {
    for (int i = 0; i < count; ++i) {
      now += std::chrono::seconds(1);
      episodes.update(now, known, holds);
      onsets += episodes.onset_now() ? 1 : 0;
    }
  }
};

TEST_CASE("an onset comes after 30 s of known quiet", "[heads]") {
  EventCourse course;
  course.seconds(5, true);
  CHECK(course.onsets == 0);  // what was before is not known
  course.seconds(29, false);
  course.seconds(3, true);
  CHECK(course.onsets == 0);
  course.seconds(31, false);
  course.seconds(3, true);
  CHECK(course.onsets == 1);
  course.seconds(31, false);
  course.seconds(5, false, false);  // a short hole repeats what was before it
  course.seconds(26, false);
  course.seconds(1, true);
  CHECK(course.onsets == 2);
  course.seconds(31, false);
  course.seconds(15, false, false);  // a long one begins the quiet anew
  course.seconds(20, false);
  course.seconds(1, true);
  CHECK(course.onsets == 2);
}

TEST_CASE("episodes know how long ago, and how often", "[heads]") {
  EventCourse course;
  course.seconds(40, false);
  for (int i = 0; i < 5; ++i) {
    course.seconds(10, true);
    course.seconds(50, false);
  }
  CHECK(course.onsets == 5);
  CHECK(*course.episodes.seconds_since_event() == Approx(50));
  CHECK(*course.episodes.seconds_since_onset() == Approx(59));
  CHECK(*course.episodes.mean_interval() == Approx(60));
}

}  // namespace
}  // namespace rocktune
