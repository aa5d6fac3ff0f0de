#include "score/walk_forward.h"

#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::score;

namespace {

RunSpan span(const char* name, int begin_hour, int end_hour) {
  return {name, std::chrono::hours(begin_hour), std::chrono::hours(end_hour)};
}

using List = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a run is scored with what ended before it began", "[score]") {
  const std::vector<RunSpan> runs = {span("c", 20, 30), span("a", 0, 5), span("b", 4, 9)};
  const auto splits = plan(runs, {});
  REQUIRE(splits);
  // a has nothing before it; b overlaps a; c has both.
  REQUIRE(splits->size() == 1);
  CHECK((*splits)[0].run == 0);
  CHECK((*splits)[0].training == List{1, 2});
}

TEST_CASE("walk-forward never trains on the run itself, or on a later one", "[score]") {
  std::vector<RunSpan> runs;
  for (int i = 0; i < 10; ++i) runs.push_back(span("run", i, i + 1));
  const auto splits = plan(runs, {});
  REQUIRE(splits);
  CHECK(splits->size() == 9);
  for (const Split& split : *splits) {
    for (const std::size_t training : split.training) CHECK(training < split.run);
    CHECK(split.training.size() == split.run);
  }
}

TEST_CASE("--train names the runs to train on, whatever their date", "[score]") {
  const std::vector<RunSpan> runs = {span("40min-ssd", 0, 1), span("20min-ssd", 2, 3),
                                     span("40min-hdd", 4, 5)};
  const auto splits = plan(runs, {{"20min"}, {}});
  REQUIRE(splits);
  REQUIRE(splits->size() == 2);
  CHECK((*splits)[0].run == 0);
  CHECK((*splits)[0].training == List{1});
  CHECK((*splits)[1].training == List{1});
}

TEST_CASE("what is held out is never trained on, and alone is scored", "[score]") {
  const std::vector<RunSpan> runs = {span("hdd-1", 0, 1), span("ssd-1", 2, 3), span("hdd-2", 4, 5),
                                     span("ssd-2", 6, 7)};
  auto splits = plan(runs, {{}, {"ssd"}});
  REQUIRE(splits);
  REQUIRE(splits->size() == 2);
  CHECK((*splits)[0].run == 1);
  CHECK((*splits)[0].training == List{0});
  CHECK((*splits)[1].training == List{0, 2});
  splits = plan(runs, {{"1"}, {"ssd"}});
  REQUIRE(splits);
  REQUIRE(splits->size() == 1);
  CHECK((*splits)[0].run == 3);
  CHECK((*splits)[0].training == List{0});
}

TEST_CASE("a single run is scored with nothing to train on", "[score]") {
  const auto splits = plan({span("a", 0, 1)}, {});
  REQUIRE(splits);
  REQUIRE(splits->size() == 1);
  CHECK((*splits)[0].training.empty());
}

TEST_CASE("a pattern without a run, and a plan without one, are errors", "[score]") {
  const std::vector<RunSpan> runs = {span("a-1", 0, 1), span("b-1", 2, 3)};
  const auto unknown = plan(runs, {{"c"}, {}});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("--train \"c\"") != std::string::npos);
  CHECK_FALSE(plan(runs, {{}, {"c"}}));
  CHECK_FALSE(plan(runs, {{"1"}, {}}));    // nothing left to score
  CHECK_FALSE(plan(runs, {{}, {"a-1"}}));  // nothing earlier to train on
}

TEST_CASE("patterns are found anywhere in a name", "[score]") {
  CHECK(name_matches("", "x"));
  CHECK(name_matches("nvme", "40min-nvmessd-5mb"));
  CHECK(name_matches("40*5mb", "40min-nvmessd-5mb"));
  CHECK(name_matches("*", ""));
  CHECK_FALSE(name_matches("5mb*40", "40min-nvmessd-5mb"));
  CHECK_FALSE(name_matches("hdd", "40min-nvmessd-5mb"));
}
