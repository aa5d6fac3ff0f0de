#include "tools/doubts.h"

#include "tests/support/catch.h"

using namespace rocktune::tools;

namespace {

SimulationBasis sound() {
  return {20, 1, 3600, "", false, 0};
}

}  // namespace

TEST_CASE("what is known well raises no doubt", "[doubts]") {
  CHECK(doubts(sound()).empty());
  SimulationBasis described{20, 1, 40, "", true};  // a scenario is as long as it says
  CHECK(doubts(described).empty());
}

TEST_CASE("each doubt is told once, with how many databases it holds for", "[doubts]") {
  SimulationBasis shortly = sound(), guessed = sound();
  shortly.simulated_seconds = 0.5;
  guessed.demand_known_ratio = 0.2;
  guessed.simulated_seconds = 59;
  const auto lines = doubts({sound(), shortly, guessed});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("Of 2 of 3 databases: Less than"));
  CHECK(lines[1].starts_with("Of 1 of 3 databases: What was asked for"));
  SimulationBasis few = sound();
  few.seeds = 3;
  few.device = "probed";
  CHECK(doubts({few, few}) == doubts(few));
  CHECK(doubts(few).size() == 2);
}

TEST_CASE("a neighbour that is missing is a doubt", "[doubts]") {
  SimulationBasis alone = sound();
  alone.missing_neighbours = 2;
  const auto lines = doubts(alone);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("Another database of the trace could not be simulated"));
}

TEST_CASE("one seed agrees with nobody", "[doubts]") {
  rocktune::sim::Ranking ranking;
  ranking.concordance = 1;
  ranking.best_ratio = {1, 0};
  CHECK(concordance_text(ranking, 1).find("stable") == std::string::npos);
  CHECK(concordance_text(ranking, 2) == "1.00: the order is stable");
  ranking.concordance = 0.5;
  CHECK(concordance_text(ranking, 20).find("NOT stable") != std::string::npos);
  ranking.best_ratio = {1, 1};
  CHECK(concordance_text(ranking, 1) == "0.50: no policy is told from another");
}
