#include "score/thresholds.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace rocktune::score;

namespace {

Tally tally_of(std::size_t false_alarms, Leads leads, std::size_t events = 4) {
  Tally out;
  out.seconds = 3600;
  out.events = events;
  out.false_alarms = false_alarms;
  out.alarms = false_alarms + leads.size();
  out.leads = std::move(leads);
  return out;
}

}  // namespace

TEST_CASE("candidates rise, and know nothing of the data", "[score]") {
  for (const DetectorSpec& spec : detector_specs()) {
    const auto candidates = candidate_thresholds({&spec, std::nullopt, ""});
    REQUIRE_FALSE(candidates.empty());
    CHECK(std::is_sorted(candidates.begin(), candidates.end()));
    const bool chosen = spec.scale == Scale::kShare || spec.scale == Scale::kProbability;
    CHECK((candidates.size() > 1) == chosen);
  }
  const auto shares = candidate_thresholds({find_detector("static"), std::nullopt, ""});
  CHECK(std::count(shares.begin(), shares.end(), 14.0 / 20.0) == 1);
  CHECK(candidate_thresholds({find_detector("static"), 0.7, ""}) == std::vector<double>{0.7});
}

TEST_CASE("of the thresholds within the budget the one with the best recall is taken", "[score]") {
  const std::vector<Tally> candidates = {tally_of(9, {40, 40, 40, 40}), tally_of(2, {5, 5}),
                                         tally_of(1, {12, 12}), tally_of(0, {3})};
  CHECK(choose_threshold(candidates, 10) == 0);
  CHECK(choose_threshold(candidates, 2) == 2);
  CHECK(choose_threshold(candidates, 0) == 3);
}

TEST_CASE("with equal recall the fewer false alarms decide, then the higher threshold", "[score]") {
  CHECK(choose_threshold({tally_of(2, {5}), tally_of(1, {5}), tally_of(2, {5})}, 3) == 1);
  CHECK(choose_threshold({tally_of(1, {5}), tally_of(1, {5})}, 3) == 1);
}

TEST_CASE("where none keeps the budget, there is none", "[score]") {
  CHECK_FALSE(choose_threshold({tally_of(5, {9}), tally_of(3, {9})}, 2));
  CHECK_FALSE(choose_threshold({}, 2));
  CHECK_FALSE(choose_threshold({Tally()}, 2));  // no known second: no rate
}

TEST_CASE("training runs without an event give the lowest threshold that is safe", "[score]") {
  // The first has few alarms since it is always above its threshold: that is not safe.
  const std::vector<Tally> candidates = {tally_of(0, {}, 0), tally_of(8, {}, 0), tally_of(1, {}, 0),
                                         tally_of(0, {}, 0)};
  CHECK(choose_threshold(candidates, 1) == 2);
  CHECK(choose_threshold(candidates, 0) == 3);
  CHECK_FALSE(choose_threshold({tally_of(8, {}, 0)}, 1));
}
