#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/cli/temporary.h"
#include "bench/compare/directory.h"
#include "bench/compare/finished_run.h"
#include "bench/compare/order.h"
#include "bench/compare/policies.h"
#include "bench/compare/search.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

Scenario scenario_of(const std::string& text) {
  auto scenario = parse_scenario(text, "test.yaml", false);
  if (!scenario) FAIL(scenario.error().message);
  return *scenario;
}

const char* const kOne = R"(
name: one
objective: {read_p99: 5ms, update_p99: 20ms, memory: 64MiB, jobs: 4}
device: nvme-p41
scale: 64
databases:
  - name: main
    workload: {records: 1000, phases: [{name: run, seconds: 4, workload: A}]}
    configuration: {block_cache: 1GiB, write_buffer_size: 512MiB}
)";

const char* const kTwo = R"(
name: two
device: nvme-p41
scale: 64
databases:
  - name: front
    workload: {records: 1000, phases: [{name: run, seconds: 4, workload: B}]}
    configuration: Baseline
  - name: back
    workload: {records: 1000, phases: [{name: run, seconds: 4, workload: A}]}
    configuration: Baseline
)";

// A run of one database, as `rocktune-bench run` writes it.
json run_of(const std::vector<std::pair<double, double>>& operations_and_p99_us) {
  json seconds = json::array();
  for (const auto& [operations, p99] : operations_and_p99_us) {
    seconds.push_back({{"start_seconds", seconds.size()},
                       {"seconds", 1},
                       {"operations_done", operations},
                       {"operations", {{"read", {{"p99_us", p99}}}}}});
  }
  const json phase = {{"name", "run"}, {"per_second", seconds}};
  return {{"schema", "rocktune-bench/2"},
          {"objective",
           {{"limits", json::array({{{"metric", "read_p99"},
                                     {"operation", "read"},
                                     {"percentile", "p99_us"},
                                     {"limit_us", 5000}}})}}},
          {"databases", json::array({{{"name", "main"},
                                      {"phases", json::array({phase})},
                                      {"total", {{"seconds", operations_and_p99_us.size()}}}}})}};
}

FinishedRun finished(const std::string& policy, std::int64_t repeat, bool partial = false) {
  FinishedRun run;
  run.run.policy = policy;
  run.run.repeat = repeat;
  run.run.partial = partial;
  run.run.result = {{"schema", "rocktune-bench/2"}};
  return run;
}

}  // namespace

TEST_CASE("every policy runs once in each repeat, in an order that differs", "[bench][compare]") {
  const std::vector<std::string> policies = {"static", "headroom", "native-auto-tuned"};
  const auto runs = planned_runs(policies, 12, 1);
  REQUIRE(runs.size() == 36);
  std::set<std::vector<std::string>> orders;
  std::map<std::string, int> firsts;
  for (std::size_t round = 0; round < 12; ++round) {
    std::vector<std::string> order;
    for (std::size_t i = 0; i < 3; ++i) {
      const PlannedRun& run = runs[round * 3 + i];
      CHECK(run.repeat == static_cast<std::int64_t>(round) + 1);
      order.push_back(run.policy);
    }
    CHECK(std::set<std::string>(order.begin(), order.end()).size() == 3);
    ++firsts[order.front()];
    orders.insert(order);
  }
  CHECK(orders.size() > 3);
  CHECK(firsts.size() == 3);
  CHECK(planned_runs(policies, 12, 1) == runs);
  CHECK(planned_runs(policies, 12, 2) != runs);
}

TEST_CASE("an order is extended, not changed, by repeats and policies", "[bench][compare]") {
  const auto longer = planned_runs({"static", "headroom", "best-static"}, 5, 7);
  std::vector<PlannedRun> of_two;
  for (const PlannedRun& run : longer) {
    if (run.policy != "best-static" && run.repeat <= 3) of_two.push_back(run);
  }
  CHECK(planned_runs({"headroom", "static"}, 3, 7) == of_two);
}

TEST_CASE("policies are known by name", "[bench][compare]") {
  CHECK(*parse_policies("static,headroom") == std::vector<std::string>{"static", "headroom"});
  const auto unknown = parse_policies("static,none-such");
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().message, Contains("'none-such'") && Contains("best-static") &&
                                          Contains("native-auto-tuned") && Contains("headroom"));
  CHECK_THAT(parse_policies("static,static").error().message, Contains("given twice"));
  CHECK_FALSE(parse_policies(""));
}

TEST_CASE("each policy is set up its own way", "[bench][compare]") {
  const Scenario one = scenario_of(kOne);
  const auto plain = policy_setup(kStatic, one, {"rate_limit=1"});
  CHECK(plain->options.empty());
  CHECK_FALSE(plain->daemon);
  CHECK(policy_setup(kBestStatic, one, {"rate_limit=1"})->options ==
        std::vector<std::string>{"rate_limit=1"});
  // nvme-p41 writes 6.5 GB/s, a 64th of it here.
  CHECK(policy_setup(kNativeAutoTuned, one, {})->options ==
        std::vector<std::string>{"rate_limit=101562500", "auto_tuned_rate_limit=true"});
  const auto ours = policy_setup("headroom", one, {});
  CHECK(ours->options.empty());
  REQUIRE(ours->daemon);
  CHECK(ours->daemon->mode == "act");
}

TEST_CASE("the daemon gets the scenario's objective and budgets", "[bench][compare]") {
  const std::string one = daemon_sections("headroom", scenario_of(kOne));
  CHECK_THAT(one, Contains("policy: headroom") && Contains("read_p99: 5000us") &&
                      Contains("write_p99: 20000us") && Contains("jobs_max: 4") &&
                      Contains("rate_limit_min: 163840B/s"));
  CHECK_THAT(one, Contains("path: \"/*/main\"") && Contains("memory_max: 67108864B"));
  const std::string two = daemon_sections("headroom", scenario_of(kTwo));
  CHECK_THAT(two, Contains("first: throughput") && !Contains("p99:") && !Contains("targets"));
}

TEST_CASE("the daemon gets the peers' constants at the scenario's scale", "[bench][compare]") {
  const std::string silk = daemon_sections("silk", scenario_of(kOne));  // a 64th of nvme-p41
  CHECK_THAT(silk, Contains("device_bytes_per_second: 101562500\n") &&
                       Contains("least_bytes_per_second: 156250\n"));
}

TEST_CASE("adoc gets room for its memtables where no memory is stated", "[bench][compare]") {
  const Scenario two = scenario_of(kTwo);
  CHECK_THAT(daemon_sections("silk", two), !Contains("memory_max"));
  const auto& front = two.databases.front();
  const HostConfiguration& c = front.configuration;
  const std::int64_t largest = std::llround(512.0 * (1 << 20) / two.scale);
  const std::int64_t memory = c.block_cache_bytes + largest * c.max_write_buffer_number;
  CHECK_THAT(daemon_sections("adoc", two), Contains("memory_max: " + std::to_string(memory) + "B"));
  CHECK(daemon_sections("adoc", scenario_of(kOne)).find("memory_max: 67108864B") !=
        std::string::npos);
}

TEST_CASE("with several databases an option says whose it is", "[bench][compare]") {
  const Scenario two = scenario_of(kTwo);
  CHECK(option_of(two, two.databases[1], "rate_limit", "1") == "back:rate_limit=1");
  const auto native = policy_setup(kNativeAutoTuned, two, {});
  CHECK(native->options.size() == 4);
  CHECK(native->options[0].starts_with("front:rate_limit="));
}

TEST_CASE("settings of best-static keep within the budgets", "[bench][compare]") {
  const auto settings = static_settings(scenario_of(kOne));
  REQUIRE(settings);
  REQUIRE(settings->size() > 6);
  CHECK(settings->front() == StaticSetting{"as configured", {}});
  std::set<std::string> names;
  for (const StaticSetting& setting : *settings) {
    names.insert(setting.name);
    if (setting.options.empty()) continue;
    std::map<std::string, std::int64_t> values;
    for (const std::string& option : setting.options) {
      const auto equals = option.find('=');
      values[option.substr(0, equals)] = std::stoll(option.substr(equals + 1));
    }
    CHECK(values["max_background_jobs"] <= 4);
    CHECK(values["block_cache"] + 2 * values["write_buffer_size"] == 64 << 20);
  }
  CHECK(names.size() == settings->size());
}

TEST_CASE("best-static may write in smaller pieces, where those are no smaller than 64 KiB",
          "[bench][compare]") {
  Scenario scenario = scenario_of(kOne);
  const auto smaller = [&] {
    const auto settings = static_settings(scenario);
    REQUIRE(settings);
    return std::count_if(settings->begin(), settings->end(), [](const StaticSetting& setting) {
      return std::count(setting.options.begin(), setting.options.end(),
                        "writable_file_max_buffer_size=131072") == 1;
    });
  };
  CHECK(smaller() == 0);  // at this scale single writes are of 64 KiB already
  scenario.databases[0].configuration.writable_file_max_buffer_bytes = 1 << 20;
  CHECK(smaller() > 0);
}

TEST_CASE("a run scores what it did while it kept the objective", "[bench][compare]") {
  const Score score = score_of(run_of({{1000, 4000}, {3000, 9000}, {2000, 5000}, {0, 0}}));
  CHECK(score.goodput == Approx(750));
  CHECK(score.throughput == Approx(1500));
  const auto better = [](const Score& a, const Score& b) {
    return ranked({b, a}, Ranking::kMostWithinLimits).front() == 1;
  };
  CHECK(better(score_of(run_of({{10, 1}})), score_of(run_of({{9000, 9000}}))));
  CHECK(better(score_of(run_of({{20, 9000}})), score_of(run_of({{10, 9000}}))));
}

TEST_CASE("a finished run survives its file", "[bench][compare]") {
  FinishedRun run = finished("headroom", 3);
  run.options = {"rate_limit=1"};
  run.daemon_configuration = "defaults:\n";
  run.run.daemon_cpu_seconds = 0.25;
  run.run.changes = 7;
  run.run.events = {{1.5, "a change"}};
  const auto read = parse_finished_run(finished_run_json(run));
  REQUIRE(read);
  CHECK(finished_run_json(*read) == finished_run_json(run));
  CHECK(read->run.changes == 7);
  // Without a daemon there is nothing that it cost: absent, not zero.
  const auto plain = parse_finished_run(finished_run_json(finished("static", 1)));
  REQUIRE(plain);
  CHECK_FALSE(plain->run.daemon_cpu_seconds);
  CHECK_FALSE(plain->run.changes);
  CHECK_FALSE(parse_finished_run(json::object()));
  json torn = finished_run_json(run);
  torn.erase("repeat");
  CHECK_FALSE(parse_finished_run(torn));
}

TEST_CASE("what the daemon did is placed on the run's time", "[bench][compare]") {
  const std::string log =
      R"({"time":"2026-01-31T12:00:01.250Z","kind":"alert","indicator":"p99","state":"warning","message":"m"})"
      "\n"
      R"({"time":"2026-01-31T11:59:59.000Z","kind":"daemon","message":"started"})"
      "\n"
      R"({"time":"2026-01-31T12:00:02.000Z","kind":"actuation","status":"applied"})"
      "\n";
  const auto events = events_of(log, "2026-01-31T12:00:00.000Z");
  REQUIRE(events.size() == 2);
  CHECK(events[0].seconds == Approx(1.25));
  CHECK_THAT(events[0].text, Contains("p99"));
  CHECK(events[1].seconds == 0);
  CHECK(events_of(log, "").empty());
}

TEST_CASE("a directory keeps runs of one kind and refuses others", "[bench][compare]") {
  auto temporary = TemporaryDirectory::create("rocktune-test");
  REQUIRE(temporary);
  const std::string path = temporary->path() + "/out";
  const json shared = {{"scenario", "steady"}, {"seconds", nullptr}, {"machine", {{"cpus", 2}}}};
  {
    auto directory = CompareDirectory::open(path, shared);
    REQUIRE(directory);
    REQUIRE(directory->add(finished("static", 1)));
    REQUIRE(directory->add(finished("headroom", 1, true)));
    CHECK(directory->has("static", 1));
    CHECK_FALSE(directory->has("headroom", 1));
    const auto busy = CompareDirectory::open(path, shared);
    REQUIRE_FALSE(busy);
    CHECK_THAT(busy.error().message, Contains("another rocktune-bench compare"));
  }
  auto again = CompareDirectory::open(path, shared);
  REQUIRE(again);
  REQUIRE(again->add(finished("headroom", 1)));
  const auto runs = again->runs();
  REQUIRE(runs);
  REQUIRE(runs->size() == 3);
  CHECK((*runs)[1].run.partial);
  CHECK((*runs)[2].sequence == 3);
}

TEST_CASE("each difference between runs is named", "[bench][compare]") {
  auto temporary = TemporaryDirectory::create("rocktune-test");
  REQUIRE(temporary);
  const std::string path = temporary->path() + "/out";
  json shared = {{"scenario", "steady"}, {"machine", {{"cpus", 2}}}, {"programs", {{"v", "1"}}}};
  REQUIRE(CompareDirectory::open(path, shared));
  shared["machine"]["cpus"] = 4;
  shared["programs"]["v"] = "2";
  const auto refused = CompareDirectory::open(path, shared);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Contains("another machine") &&
                                          Contains("another build of the programs") &&
                                          Contains("another --output"));
  CHECK_FALSE(CompareDirectory::open(temporary->path(), shared));  // it holds something else
}

TEST_CASE("a lock of somebody else's makes no comparison of a directory", "[bench][compare]") {
  auto temporary = TemporaryDirectory::create("rocktune-test");
  REQUIRE(temporary);
  const json shared = {{"schema", "rocktune-compare-directory/1"}};
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(temporary->path() + "/" + name) << text;
  };
  write("lock", "");
  CHECK(CompareDirectory::open(temporary->path(), shared));  // stopped before it wrote more
  std::filesystem::remove(temporary->path() + "/comparison.json");
  write("Cargo.toml", "");
  CHECK_FALSE(CompareDirectory::open(temporary->path(), shared));
  write("comparison.json", R"({"schema": "another"})");
  CHECK_FALSE(CompareDirectory::open(temporary->path(), shared));
}

TEST_CASE("the daemon's objective has reads of every kind apart from writes", "[bench][compare]") {
  std::string text = kOne;
  const std::string objective = "{read_p99: 5ms, update_p99: 20ms,";
  text.replace(text.find(objective), objective.size(),
               "{scan_p99: 7ms, read_missing_p99: 6ms, delete_p99: 30ms, insert_p99: 25ms,");
  const std::string sections = daemon_sections("headroom", scenario_of(text));
  CHECK_THAT(sections, Contains("read_p99: 6000us") && Contains("write_p99: 25000us"));
}
