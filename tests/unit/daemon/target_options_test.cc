// What a database was opened with: asked for once, and recorded with its opening.
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using World = rocktune::daemon::test::TargetWorld;
using namespace std::chrono_literals;

namespace {

wire::Options told() {
  wire::Options options;
  options.database = {{"manual_wal_flush", "true"}, {"wal_dir", "/elsewhere"}};
  options.column_families["default"] = {{"partition_filters", "false"}, {"num_levels", "7"}};
  return options;
}

std::vector<trace::IncarnationInfo> openings(const World& world) {
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  const auto targets = reader->targets();
  REQUIRE(targets);
  return targets->back().incarnations;
}

}  // namespace

TEST_CASE("options are asked for once for each opening, and recorded with it", "[daemon][target]") {
  World world;
  const auto target = world.target(GENERATE(Mode::kObserve, Mode::kAct));
  CHECK_FALSE(target->options_wanted());
  target->opened(world.opening());
  CHECK_FALSE(target->options_wanted());  // which column families there are tells the first sample
  world.poll(*target, 1);
  CHECK(target->options_wanted());
  CHECK(openings(world).at(0).options.empty());
  target->take_options(told());
  CHECK_FALSE(target->options_wanted());
  world.poll(*target, 2);
  const OpenOptions kept{
      {{"manual_wal_flush", "true"}}, {{"default", {{"partition_filters", "false"}}}}, 0};
  REQUIRE(openings(world).size() == 1);
  CHECK(openings(world)[0].options == kept);
  CHECK(openings(world)[0].command == "host");
  // A trace that begins anew has them, too; so has a target that a reload begins.
  TargetRule rule;
  rule.path = "/db";
  rule.engine.objective.read_p99_seconds = 0.123;
  REQUIRE(target->reconfigure(2, rule));
  world.poll(*target, 3);
  CHECK(openings(world).at(0).options == kept);
  CHECK_FALSE(target->options_wanted());

  target->closed("the database is closed");
  CHECK_FALSE(target->options_wanted());
  target->opened(world.opening("2"));
  world.poll(*target, 1);
  CHECK(target->options_wanted());
  REQUIRE(openings(world).size() == 2);
  CHECK(openings(world)[1].options.empty());
}

TEST_CASE("options that are not answered are asked for again, and not for ever",
          "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  world.poll(*target, 1);
  const std::size_t lines = world.alert_lines("source").size();
  int tries = 0;
  for (int second = 0; second < 1000; ++second, world.now.tick += 1s) {
    if (!target->options_wanted()) continue;
    CHECK(world.alert_lines("source").size() == lines);
    target->take_options(fail(ErrorCode::kUnavailable, "no answer in time"));
    CHECK_FALSE(target->options_wanted());
    ++tries;
  }
  CHECK(tries == OpeningOptions::kMostTries);
  const auto said = world.alert_lines("source");
  REQUIRE(said.size() == lines + 1);
  CHECK(said.back().find("is not in the trace: no answer in time") != std::string::npos);
  world.poll(*target, 2);
  CHECK(openings(world).at(0).options.empty());
}

TEST_CASE("options of a database that was closed meanwhile are no trouble", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  const std::size_t lines = world.alert_lines("source").size();
  for (unsigned i = 0; i < OpeningOptions::kMostTries; ++i) {
    target->take_options(fail(ErrorCode::kNotFound, "no open database has the id '1'"));
  }
  target->closed("the database is closed");
  target->take_options(told());
  CHECK(world.alert_lines("source").size() == lines + 1);
}

TEST_CASE("that options were left out is said", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  wire::Options many = told();
  for (int i = 0; i < 5000; ++i) {
    many.column_families["family " + std::to_string(i)] = many.column_families["default"];
  }
  target->take_options(many);
  CHECK(world.alert_lines("source").back().find("column families: those of the others fill") !=
        std::string::npos);
  world.poll(*target, 1);
  CHECK(openings(world).at(0).options.families_left_out > 3000);
}
