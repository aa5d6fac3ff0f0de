#include "bench/compare/search.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/result_reader.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;

namespace {

std::vector<StaticSetting> nine_settings() {
  std::vector<StaticSetting> settings;
  for (int i = 0; i < 9; ++i) settings.push_back({"setting " + std::to_string(i), {}});
  return settings;
}

}  // namespace

TEST_CASE("runs are ranked by what kept the objective, then by all, then by latency",
          "[bench][compare]") {
  using Places = std::vector<std::size_t>;
  const auto places = [](const std::vector<Score>& scores) {
    return ranked(scores, Ranking::kMostWithinLimits);
  };
  CHECK(places({{100, 500, 0.1}, {200, 200, 0.9}}) == Places{1, 0});
  CHECK(places({{0, 100, 3}, {0, 200, 5}}) == Places{1, 0});
  // Noise is no merit: of those that did the same the one with the faster tail.
  CHECK(places({{1000, 1000, 0.9}, {1005, 1005, 0.95}, {996, 996, 0.2}, {900, 1000, 0.1}}) ==
        Places{2, 0, 1, 3});
  CHECK(places({{5, 5, 0.5}, {5, 5, 0.5}}) == Places{0, 1});
  CHECK(places({}).empty());
}

TEST_CASE("a limited kind that is kept waiting keeps no limit", "[bench][compare]") {
  using nlohmann::json;
  // A second of one database; the reads of the first are within their limit of 5 ms.
  const auto second = [](double all, bool reads) {
    json one = {{"start_seconds", 0}, {"seconds", 1}, {"operations_done", all}};
    one["operations"]["update"]["p99_us"] = 100;
    if (reads) one["operations"]["read"]["p99_us"] = 100;
    return one;
  };
  const auto run_of = [&](double share, double others) {
    const json phase = {{"name", "run"},
                        {"proportions", {{"read", share}, {"update", 1 - share}}},
                        {"per_second", {second(1000, true), second(others, false)}}};
    json run;
    run["objective"]["limits"] = json::array({{{"metric", "read_p99"},
                                               {"operation", "read"},
                                               {"percentile", "p99_us"},
                                               {"limit_us", 5000}}});
    run["databases"] = json::array(
        {{{"name", "main"}, {"phases", json::array({phase})}, {"total", {{"seconds", 2}}}}});
    return run;
  };
  struct Case {
    double share, others;
    bool above;
  };
  for (const Case& one : {Case{0.5, 100, true}, Case{0.5, 99, false}, Case{0.05, 100, true},
                          Case{0.01, 400, false}, Case{0.01, 500, true}, Case{0, 1000, false}}) {
    INFO(one.share << " of reads beside " << one.others);
    const json run = run_of(one.share, one.others);
    CHECK(score_of(run).goodput == (1000 + (one.above ? 0 : one.others)) / 2);
    CHECK(score_of(run).throughput == (1000 + one.others) / 2);
    CHECK(report::seconds_above(run, report::latency_limits(run)) == (one.above ? 1.0 : 0.0));
  }
}

TEST_CASE("where throughput comes first, runs are ranked by all that they did",
          "[bench][compare]") {
  using Places = std::vector<std::size_t>;
  const auto places = [](const std::vector<Score>& scores) {
    return ranked(scores, Ranking::kMostWork);
  };
  CHECK(places({{200, 200, 0.1}, {0, 500, 9}}) == Places{1, 0});
  CHECK(places({{0, 500, 9}, {100, 499, 9}, {99.5, 498, 3}}) == Places{2, 1, 0});
  CHECK(places({{0, 500, 9}, {0, 500, 9}}) == Places{0, 1});
  rocktune::scenario::Objective objective;
  CHECK(ranking_for(objective) == Ranking::kMostWork);
  objective.first = "read_p99";
  CHECK(ranking_for(objective) == Ranking::kMostWithinLimits);
}

TEST_CASE("a setting of the last round runs as the comparison's own runs do", "[bench][compare]") {
  CHECK(search_rounds(9).back().share_of_seconds == 1);
  CHECK_FALSE(shorter_seconds(40, 1));
  CHECK(shorter_seconds(40, 0.25) == 10.0);
  CHECK(shorter_seconds(10, 0.25) == 4.0);  // shows something of compactions
  CHECK_FALSE(shorter_seconds(3, 0.25));
}

TEST_CASE("the search gives the better settings more time and finds the best", "[bench][compare]") {
  const std::vector<StaticSetting> settings = nine_settings();
  std::vector<std::pair<std::string, std::size_t>> made;
  const Measure measure = [&](const StaticSetting& setting, std::size_t round,
                              double) -> rocktune::Result<std::optional<Score>> {
    made.emplace_back(setting.name, round);
    const double value = setting.name.back() - '0';
    // The first round is deceived: it likes 8 best, the longer ones 7.
    return Score{round > 0 && value == 8 ? 0 : value, value, 0};
  };
  std::vector<SearchedRun> known;
  const auto best = search(settings, Ranking::kMostWithinLimits, known, measure);
  REQUIRE(best);
  CHECK((*best)->name == "setting 7");
  // The first one, which changes nothing, is in every round; the last round's run three times each.
  CHECK(made.size() == 9 + (3 + 1) + 3 * (2 + 1));
  CHECK(known.size() == made.size());

  SECTION("what is known is not measured again") {
    made.clear();
    known.resize(10);
    CHECK((*search(settings, Ranking::kMostWithinLimits, known, measure))->name == "setting 7");
    CHECK(made.size() == 12);
    // In the middle of the last round's turns.
    made.clear();
    known.resize(9 + 4 + 5);
    CHECK((*search(settings, Ranking::kMostWithinLimits, known, measure))->name == "setting 7");
    CHECK(made.size() == 4);
    CHECK(known.back().repeat == 3);
  }
  SECTION("a stop ends it and keeps what was measured") {
    known.resize(5);
    const auto stopped = search(settings, Ranking::kMostWithinLimits, known,
                                [&](const StaticSetting& setting, std::size_t round,
                                    double share) -> rocktune::Result<std::optional<Score>> {
                                  if (known.size() == 7) return std::optional<Score>();
                                  return measure(setting, round, share);
                                });
    REQUIRE(stopped);
    CHECK_FALSE(*stopped);
    CHECK(known.size() == 7);
  }
}

TEST_CASE("the last round's settings take turns, and their medians decide", "[bench][compare]") {
  std::map<std::string, std::vector<Score>> last = {
      // Once in three times it is the best by far.
      {"setting 8", {{9000, 9000, 0.1}, {10, 10, 50}, {10, 10, 122}}},
      // Once in three times it meets a disturbance.
      {"setting 7", {{0, 0, 9}, {800, 800, 0.5}, {800, 800, 0.5}}},
      {"setting 0", {{700, 700, 0.5}, {700, 700, 0.5}, {700, 700, 0.5}}}};
  std::vector<std::string> order;
  std::map<std::string, std::size_t> done;
  const Measure measure = [&](const StaticSetting& setting, std::size_t round,
                              double share) -> rocktune::Result<std::optional<Score>> {
    if (round < 2) {
      const double value = setting.name.back() - '0';
      return Score{value, value, 0};
    }
    CHECK(share == 1);
    order.push_back(setting.name);
    return last.at(setting.name).at(done[setting.name]++);
  };
  std::vector<SearchedRun> known;
  const auto best = search(nine_settings(), Ranking::kMostWithinLimits, known, measure);
  REQUIRE(best);
  CHECK((*best)->name == "setting 7");
  const std::vector<std::string> turn = {"setting 8", "setting 7", "setting 0"};
  REQUIRE(order.size() == 9);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == turn[i % 3]);

  // The scenario's own options may win, too.
  last["setting 7"] = last["setting 8"];
  done.clear();
  known.clear();
  CHECK((*search(nine_settings(), Ranking::kMostWithinLimits, known, measure))->name ==
        "setting 0");
}
