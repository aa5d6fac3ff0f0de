#include "score/run.h"

#include <algorithm>
#include <cmath>

#include "score/run_seconds.h"
#include "score/thresholds.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/score/seconds.h"

using namespace rocktune;
using namespace rocktune::score;
using rocktune::score::test::kBacklogPlace;
using rocktune::test::at_seconds;
using rocktune::test::quiet_sample;

namespace {

Contest contest(const std::vector<std::string>& names, std::vector<std::size_t> horizons = {60}) {
  Contest out;
  for (const std::string& name : names) out.detectors.push_back(*parse_choice(name));
  out.horizons = std::move(horizons);
  return out;
}

// A database whose L0 files and stopped writes are moved by hand, one sample per second.
class Script {
 public:
  explicit Script(RunScorer& scorer) : scorer_(scorer) {}
  Script& seconds(int count, std::uint64_t l0_files, bool stopped = false) {
    for (int i = 0; i < count; ++i) {
      ++second_;
      Sample sample = quiet_sample(static_cast<std::uint64_t>(second_), second_);
      sample.database->column_families[0].levels[0].files = l0_files;
      sample.database->write_stopped = stopped ? 1 : 0;
      if (unread_) sample.database.reset();
      scorer_.add(sample);
    }
    return *this;
  }
  Script& unread(int count) {
    unread_ = true;
    seconds(count, 0);
    unread_ = false;
    return *this;
  }
  Script& gap(int seconds) {
    second_ += seconds;
    return *this;
  }

 private:
  RunScorer& scorer_;
  int second_ = 0;
  bool unread_ = false;
};

const Tally& backlog_tally(const RunResult& result, const Contest& asked,
                           std::size_t threshold = 0) {
  const auto all = entries(asked);
  const auto found = std::find_if(all.begin(), all.end(), [](const Entry& entry) {
    return entry.kind == IndicatorKind::kCompactionBacklog;
  });
  REQUIRE(found != all.end());
  return result.of_entry[static_cast<std::size_t>(found - all.begin())].by_threshold.at(threshold);
}

}  // namespace

TEST_CASE("entries leave out what a detector says nothing of", "[score]") {
  const Contest asked = contest({"static", "static-pending"}, {10, 60});
  const auto all = entries(asked);
  CHECK(all.size() == 2 + 4 + 2);
  CHECK(all.front() == Entry{0, IndicatorKind::kP99, 10});
  CHECK(std::count_if(all.begin(), all.end(), [](const Entry& e) { return e.detector == 1; }) == 2);
}

TEST_CASE("a stall that L0 announced 20 s before", "[score]") {
  const Contest asked = contest({"static=0.7"});
  RunScorer scorer(asked, Objective{});
  Script(scorer).seconds(400, 4).seconds(20, 14).seconds(10, 20, true).seconds(100, 4);
  const RunResult result = scorer.finish("a");
  CHECK(result.name == "a");
  CHECK(result.of_kind[kBacklogPlace].seconds == 530);
  CHECK(result.of_kind[kBacklogPlace].events == 1);
  CHECK(result.of_kind[kBacklogPlace].fresh_events == 1);
  CHECK(seconds_between(result.begin_wall, result.end_wall) == Approx(529));
  const Tally& tally = backlog_tally(result, asked);
  CHECK(tally.leads == Leads{20});
  CHECK(tally.false_alarms == 0);
}

TEST_CASE("every candidate threshold gets its tally", "[score]") {
  const Contest asked = contest({"static"});
  RunScorer scorer(asked, Objective{});
  Script(scorer).seconds(400, 4).seconds(20, 14).seconds(5, 18).seconds(10, 20, true);
  const RunResult result = scorer.finish("a");
  const auto candidates = candidate_thresholds(asked.detectors[0]);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    INFO(candidates[i]);
    const Tally& tally = backlog_tally(result, asked, i);
    const double files = candidates[i] * 20;
    const std::uint32_t lead = files <= 4.01 ? 0 : files <= 14.01 ? 25 : files <= 18.01 ? 5 : 0;
    CHECK(tally.leads == (lead > 0 ? Leads{lead} : Leads{}));
  }
}

TEST_CASE("polls that reached nobody: a few repeat what was, many are not known", "[score]") {
  const Contest asked = contest({"static=0.7"});
  RunScorer few(asked, Objective{});
  Script(few).seconds(200, 4).unread(8).seconds(200, 4).seconds(20, 14).seconds(9, 20, true);
  RunResult result = few.finish("few");
  CHECK(result.of_kind[kBacklogPlace].seconds == 437);
  CHECK(result.of_kind[kBacklogPlace].fresh_events == 1);
  RunScorer many(asked, Objective{});
  Script(many).seconds(200, 4).unread(50).seconds(200, 4).seconds(20, 14).seconds(9, 20, true);
  result = many.finish("many");
  CHECK(result.of_kind[kBacklogPlace].seconds == 429);
  CHECK(result.of_kind[kBacklogPlace].events == 1);
  CHECK(result.of_kind[kBacklogPlace].fresh_events == 0);
}

TEST_CASE("an edge that nobody saw is no alarm, and a gap of years takes no memory", "[score]") {
  const Contest asked = contest({"static=0.7"});
  RunScorer scorer(asked, Objective{});
  Script(scorer).seconds(100, 4).gap(400'000'000).seconds(100, 14).seconds(10, 20, true);
  const RunResult result = scorer.finish("a");
  const Tally& tally = backlog_tally(result, asked);
  CHECK(tally.seconds == 210);
  CHECK(tally.alarms == 0);
  CHECK(tally.events == 1);
}

TEST_CASE("of scores the thresholds that they reach are kept", "[score]") {
  const std::vector<double> thresholds = {0.5, 0.7, 1};
  ReachedThresholds kept(thresholds);
  const Scores given = {kNoScore, 0.49, 0.5, 0.69, 0.7, 2, -3, std::nan("")};
  for (std::size_t i = 1; i < given.size(); ++i) kept.keep(i, given[i]);
  kept.keep(8, std::nullopt);
  kept.keep(9, 0.6);  // the largest of a second
  kept.keep(9, 0.2);
  kept.keep(9, std::nullopt);
  const Scores scores = kept.scores();
  REQUIRE(scores.size() == 10);
  for (std::size_t i = 0; i < given.size(); ++i) {
    CHECK(has_score(scores[i]) == has_score(given[i]));
    for (const double one : thresholds) CHECK((scores[i] >= one) == (given[i] >= one));
  }
  CHECK_FALSE(has_score(scores[8]));
  CHECK(scores[9] == 0.5);
}

TEST_CASE("half-second polls with jitter are seconds all the same", "[score]") {
  const Contest asked = contest({"never"});
  RunScorer scorer(asked, Objective{});
  for (int i = 0; i < 1200; ++i) {
    const double jitter = i % 3 == 0 ? 0.04 : i % 3 == 1 ? -0.04 : 0;
    scorer.add(quiet_sample(static_cast<std::uint64_t>(i + 1), 100 + 0.5 * i + jitter));
  }
  const RunResult result = scorer.finish("a");
  CHECK(result.of_kind[kBacklogPlace].seconds == 600);
}

TEST_CASE("samples whose tick does not rise are left out", "[score]") {
  const Contest asked = contest({"static=0.7"});
  RunScorer scorer(asked, Objective{});
  Script(scorer).seconds(50, 4);
  scorer.add(quiet_sample(60, 1));
  Script(scorer).gap(50).seconds(50, 4);
  CHECK(scorer.finish("a").of_kind[kBacklogPlace].seconds == 100);
}

TEST_CASE("a run without samples is empty, not undefined", "[score]") {
  const Contest asked = contest({"static", "rocktune", "never"}, {10, 30, 60});
  RunScorer scorer(asked, Objective{});
  const RunResult result = scorer.finish("nothing");
  CHECK(result.of_kind[kBacklogPlace].seconds == 0);
  CHECK(result.of_entry.size() == entries(asked).size());
}
