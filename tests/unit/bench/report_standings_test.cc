#include "bench/compare/policies.h"
#include "bench/compare/standings.h"
#include "bench/report/standings.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune::bench::report;
using nlohmann::json;

namespace {

struct Figures {
  double p99_us, above_slo, ops, stalled;
};

json figures_json(const Figures& figures, const std::string& database) {
  const auto range = [](double median) { return json{{"median", median}}; };
  return {{database + "read_p99_us", range(figures.p99_us)},
          {"phase.a.read_p99_us", range(1)},
          {"seconds_above_slo", range(figures.above_slo)},
          {"ops_per_second", range(figures.ops)},
          {"stall_seconds", range(figures.stalled)}};
}

json comparison(const std::string& scenario, const Figures& still, const Figures& headroom,
                const std::string& database = "") {
  const auto policy = [&](const char* name, const Figures& figures) {
    return json{{"policy", name}, {"runs", 3}, {"figures", figures_json(figures, database)}};
  };
  return {
      {"schema", "rocktune-compare/1"},
      {"scenario", scenario},
      {"scale", 64.0},
      {"device", "emulated device x"},
      {"machine",
       {{"cpu_model", "a CPU"}, {"cpus", 2}, {"kernel", "Linux 6"}, {"rocksdb_version", "7.8.3"}}},
      {"policies", {policy("static", still), policy("headroom", headroom)}}};
}

Standings standings_of(const std::vector<json>& comparisons) {
  Standings out{.scenarios = {}, .policy = "headroom"};
  for (const json& one : comparisons) out.scenarios.push_back(standing_of(one).value());
  return out;
}

}  // namespace

TEST_CASE("standings: reads at any moment have a table of their own", "[bench][report]") {
  auto stopped = comparison("one", {2e3, 4, 1000, 2}, {6e3, 0, 1000, 1}, "front.");
  const auto figure = [&stopped](std::size_t policy, const std::string& key) -> json& {
    return stopped["policies"][policy]["figures"][key];
  };
  const std::string key = "front.read_any_moment_p99_us";
  figure(0, key) = {{"median", 900e3}};
  figure(1, key) = {{"median", 9e3}};
  const auto paced = comparison("two", {8e3, 0, 3000, 0}, {4e3, 0, 3000, 0});
  const auto standings = standings_of({stopped, paced});
  const auto tables = standing_tables(standings);
  REQUIRE(tables.size() == 5);
  CHECK(tables[0].rows[0] == std::vector<std::string>{"one", "2.0", "6.0 (3.00)"});
  // Not of a scenario in which every operation had a due time.
  const std::vector<std::vector<std::string>> rows = {
      {"one", "900.0", "9.0 (0.01)"},
      {"geometric mean of the ratios [95%]", "1.00", "0.01 [0.01–0.01]"}};
  CHECK(tables[1].rows == rows);
  CHECK(losses(standings) == std::vector<std::string>{"one: read P99 (ms) 6.0, with static 2.0"});

  figure(0, key) = {{"median", 5e3}};
  CHECK(losses(standings_of({stopped})).back() ==
        "one: read P99 at any moment (ms) 9.0, with static 5.0");
  figure(1, key) = nullptr;
  CHECK(losses(standings_of({stopped})).back() ==
        "one: read P99 at any moment (ms): not to be compared");
  // Another database's reads are nobody's to be taken for them.
  figure(0, "back.read_p99_us") = {{"median", 1e3}};
  CHECK(standing_tables(standings_of({stopped})).size() == 4);
}

TEST_CASE("standings: a table for each figure, means of ratios and sums of times",
          "[bench][report]") {
  const auto standings =
      standings_of({comparison("one", {20e3, 4, 1000, 2}, {10e3, 0, 1000, 1}),
                    comparison("two", {8e3, 0, 3000, 0}, {1.2e3, 0, 2950, 0}, "front.")});
  const auto tables = standing_tables(standings);
  REQUIRE(tables.size() == 4);
  const std::vector<std::vector<std::string>> p99 = {
      {"one", "20.0", "10.0 (0.50)"},
      {"two", "8.0", "1.2 (0.15)"},
      {"geometric mean of the ratios [95%]", "1.00", "0.27 [0.15–0.50]"}};
  CHECK(tables[0].rows == p99);
  const std::vector<std::vector<std::string>> slo = {
      {"one", "4.0", "0.0"}, {"two", "0.0", "0.0"}, {"together", "4.0", "0.0"}};
  CHECK(tables[1].rows == slo);
  CHECK(tables[2].rows[1][2] == "2,950 (0.98)");
  CHECK(tables[3].rows[2] == std::vector<std::string>{"together", "2.0", "1.0"});
  CHECK(losses(standings).empty());
  const std::string text = standings_markdown(standings);
  CHECK(text.find("Medians of 3 runs of each policy. a CPU, 2 CPUs, Linux 6, RocksDB 7.8.3; "
                  "emulated device x; scale 64; unknown build.\n") == 0);
  CHECK(text.find(" nowhere.") != std::string::npos);
}

TEST_CASE("standings: comparisons that were not made alike are told apart", "[bench][report]") {
  const Figures some{20e3, 4, 1000, 2};
  json one = comparison("one", some, some), two = comparison("two", some, some),
       three = comparison("three", some, some);
  for (json* each : {&one, &two, &three}) {
    (*each)["programs_digest"] = "0123456789abcdef";
    (*each)["seconds"] = nullptr;
    (*each)["full"] = false;
    (*each)["machine"]["rocksdb_assertions"] = true;
  }
  const std::string alike =
      "a CPU, 2 CPUs, Linux 6, RocksDB 7.8.3 with assertions; emulated "
      "device x; scale 64";
  const auto text = [&] { return standings_markdown(standings_of({one, two, three})); };
  CHECK(text().find("policy. " + alike + "; build 0123456789abcdef.\n\n") != std::string::npos);

  SECTION("by the build") {
    two["programs_digest"] = "fedcba9876543210";
  }
  SECTION("by the length") {
    two["seconds"] = 7.5;
  }
  SECTION("by the size") {
    two["full"] = true;
  }
  SECTION("by the assertions") {
    two["machine"]["rocksdb_assertions"] = false;
  }
  CHECK(standing_of(two)->conditions != standing_of(one)->conditions);
  CHECK(text().find("policy. They were not all made alike:\n\n- one, three: " + alike +
                    "; build 0123456789abcdef.\n- two: a CPU") != std::string::npos);
}

TEST_CASE("standings: a length is said as it was given", "[bench][report]") {
  json one = comparison("one", {1, 1, 1, 1}, {1, 1, 1, 1});
  one["seconds"] = 10;
  CHECK(standing_of(one)->conditions.ends_with("; scale 64; runs of 10 s; unknown build"));
  one["seconds"] = 7.5;
  one["full"] = true;
  CHECK(standing_of(one)->conditions.ends_with(
      "; scale 64, life size; runs of 7.5 s; unknown build"));
}

TEST_CASE("standings: losses are said", "[bench][report]") {
  const auto standings = standings_of({comparison("one", {20e3, 4, 1000, 2}, {21.5e3, 5, 960, 3})});
  const std::vector<std::string> lost = {
      "one: read P99 (ms) 21.5, with static 20.0", "one: s above the SLO 5.0, with static 4.0",
      "one: ops/s 960, with static 1,000", "one: s stalled 3.0, with static 2.0"};
  CHECK(losses(standings) == lost);
  SECTION("small differences are none") {
    CHECK(losses(standings_of({comparison("one", {20e3, 4, 1000, 2}, {20.9e3, 4.4, 971, 2.5})}))
              .empty());
  }
}

TEST_CASE("standings: what cannot be compared is no victory", "[bench][report]") {
  auto standings = standings_of({comparison("one", {20e3, 4, 1000, 2}, {10e3, 0, 1000, 1})});
  CHECK(has_policy(standings));
  standings.policy = "hedroom";
  CHECK_FALSE(has_policy(standings));
  CHECK(losses(standings).size() == 4);

  auto without = comparison("one", {20e3, 4, 1000, 2}, {10e3, 0, 1000, 1});
  without["policies"][1]["figures"].erase("ops_per_second");
  without["policies"][1]["figures"].erase("stall_seconds");
  CHECK(losses(standings_of({without})) ==
        std::vector<std::string>{"one: ops/s: not to be compared",
                                 "one: s stalled: not to be compared"});
}

TEST_CASE("standings: a policy that did not run everywhere has no total", "[bench][report]") {
  json partly = comparison("two", {8e3, 0, 3000, 0}, {1e3, 0, 2950, 0});
  partly["policies"].erase(1);
  const auto tables = standing_tables(
      standings_of({comparison("one", {20e3, 4, 1000, 2}, {10e3, 0, 1000, 1}), partly}));
  CHECK(tables[0].rows[1][2] == "-");
  CHECK(tables[0].rows[2][2] == "-");
  CHECK(tables[1].rows[2][2] == "-");
}

TEST_CASE("standings: a machine that does not name its CPU is one, too", "[bench][report]") {
  json one = comparison("one", {1, 1, 1, 1}, {1, 1, 1, 1});
  one["machine"] = {{"cpu_model", nullptr}, {"cpus", nullptr}, {"kernel", nullptr}};
  const auto standing = standing_of(one);
  REQUIRE(standing);
  CHECK(
      standing->conditions.starts_with("unknown CPU, an unknown number of CPUs, unknown kernel, "));
}

TEST_CASE("standings: what is no comparison is refused with a word", "[bench][report]") {
  CHECK_FALSE(standing_of(json::parse("[1", nullptr, false)));
  CHECK_FALSE(standing_of(json{{"schema", "rocktune-bench/2"}}));
  CHECK_FALSE(standing_of(json{{"schema", "rocktune-compare/1"}, {"scenario", 5}}));
  json broken = comparison("one", {1, 1, 1, 1}, {1, 1, 1, 1});
  broken["policies"][0]["figures"] = 7;
  CHECK_FALSE(standing_of(broken));
  broken = comparison("one", {1, 1, 1, 1}, {1, 1, 1, 1});
  broken["machine"] = json::array({1});
  CHECK_FALSE(standing_of(broken));
  broken = comparison("one", {1, 1, 1, 1}, {1, 1, 1, 1});
  broken["policies"].erase(0);
  const auto without = standing_of(broken);
  REQUIRE_FALSE(without);
  CHECK(without.error().message.find("no run of static") != std::string::npos);
}

TEST_CASE("standings: a policy with parameters is found however they are written",
          "[bench][report]") {
  const rocktune::tests::TempDirectory directory;
  const std::string written = "silk:least_bytes_per_second=2000000";
  auto compared = comparison("one", {8e3, 0, 1000, 0}, {4e3, 0, 1000, 0});
  compared["policies"][1]["policy"] = rocktune::bench::parse_policies(written).value().front();
  REQUIRE_FALSE(directory.write("compare.json", compared.dump()).empty());
  const auto code = [&](const std::string& policy) {
    return rocktune::bench::standings_command({{directory.path().string()}, policy});
  };
  CHECK(code(written) == 0);
  CHECK(code("silk:least_bytes_per_second=2e6") == 0);
  CHECK(code("silk:least_bytes_per_second=3e6") == 1);
  CHECK(code("silk:none_such=2e6") == 1);
  CHECK(code("silk") == 1);
}
