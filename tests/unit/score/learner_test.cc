#include "score/learner.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using rocktune::test::quiet_sample;

namespace {

constexpr std::size_t kLearntBacklog = 1;  // IndicatorKind::kCompactionBacklog

// Ten minutes in which L0 rises to a stall every 100 s.
Learnt learn_stalls(const Learnt& prior, int first_second = 1) {
  score::Learner learner(Objective{}, prior);
  for (int second = first_second; second < first_second + 600; ++second) {
    Sample sample = quiet_sample(static_cast<std::uint64_t>(second), second);
    const int phase = second % 100;
    sample.database->column_families[0].levels[0].files = static_cast<std::uint64_t>(phase / 5);
    sample.database->write_stopped = phase >= 95 ? 1 : 0;
    learner.add(sample);
  }
  return learner.learnt();
}

}  // namespace

TEST_CASE("a run is learnt from, on top of what was known", "[score]") {
  const Learnt once = learn_stalls({});
  CHECK(once.indicators[kLearntBacklog].onsets == 6);
  CHECK(once.indicators[kLearntBacklog].seconds > 500);
  CHECK_FALSE(once.indicators[kLearntBacklog].events == LearntIndicator().events);
  const Learnt twice = learn_stalls(once);
  CHECK(twice.indicators[kLearntBacklog].onsets == 12);
  CHECK(twice.indicators[kLearntBacklog].seconds == 2 * once.indicators[kLearntBacklog].seconds);
  CHECK(learn_stalls({}) == once);
}

TEST_CASE("samples whose time does not rise are not learnt from", "[score]") {
  score::Learner learner(Objective{}, {});
  const Sample sample = quiet_sample(1, 1);
  learner.add(quiet_sample(2, 50));
  const Learnt before = learner.learnt();
  for (int i = 0; i < 100; ++i) learner.add(sample);
  CHECK(learner.learnt() == before);
}
