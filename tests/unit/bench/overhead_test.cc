#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/overhead/paired.h"
#include "bench/overhead/report.h"
#include "bench/overhead/usage.h"
#include "bench/overhead/workloads.h"
#include "tests/support/catch.h"

namespace rocktune::bench {
namespace {

TEST_CASE("a spread is the median with the least and the most") {
  CHECK_FALSE(report::range_of({}).has_value());
  const auto odd = report::range_of({1.1, 0.9, 1.0});
  REQUIRE(odd);
  CHECK(odd->median == 1.0);
  CHECK(odd->least == 0.9);
  CHECK(odd->most == 1.1);
  CHECK(odd->count == 3);
  CHECK(report::range_of({1.0, 2.0})->median == 1.5);
}

TEST_CASE("a verdict follows the median and owns up to noise") {
  CHECK(verdict({0.995, 0.991, 0.999, 7}, 0.99, Better::kHigher) == "met");
  CHECK(verdict({0.95, 0.94, 0.96, 7}, 0.99, Better::kHigher) == "missed");
  CHECK(verdict({0.995, 0.97, 1.01, 7}, 0.99, Better::kHigher) ==
        "met (unclear: the spread covers the target)");
  CHECK(verdict({0.98, 0.97, 1.01, 7}, 0.99, Better::kHigher) ==
        "missed (unclear: the spread covers the target)");
  CHECK(verdict({3, 2, 4, 5}, 8, Better::kLower) == "met");
  CHECK(verdict({9, 8.5, 10, 5}, 8, Better::kLower) == "missed");
}

TEST_CASE("ratios are taken round by round") {
  OverheadRow row;
  row.without = {{1000, 100, 2, 0}, {500, 100, 4, 0}};
  row.with = {{990, 110, 2, 0}, {500, 90, 5, 0}};
  CHECK(row.ratios(&HostRun::ops_per_second) == std::vector<double>{0.99, 1.0});
  CHECK(row.ratios(&HostRun::cpu_us_per_op) == std::vector<double>{1.0, 1.25});
  CHECK(row.target() == 0.97);
  row.host_statistics = true;
  CHECK(row.target() == 0.99);
}

TEST_CASE("a host's result survives its line") {
  const HostRun run{12345.5, 17.25, 1.5, 0.125, 54321};
  const auto read = parse_host_run(host_run_json(run).dump());
  REQUIRE(read);
  CHECK(read->ops_per_second == run.ops_per_second);
  CHECK(read->operations == run.operations);
  CHECK(read->p99_us == run.p99_us);
  CHECK(read->cpu_us_per_op == run.cpu_us_per_op);
  CHECK(read->agent_cpu_seconds == run.agent_cpu_seconds);
  CHECK_FALSE(parse_host_run("{}").has_value());
  CHECK_FALSE(parse_host_run("rubbish").has_value());
}

TEST_CASE("the report prints target and verdict beside each figure, and the same as JSON") {
  OverheadReport report;
  report.rocksdb_version = "7.8.3";
  report.cpus = 2;
  report.rounds = 1;
  report.seconds = 5;
  OverheadRow row;
  row.workload = "cached-reads";
  row.poll_milliseconds = 100;
  row.without = {{1000, 100, 2, 0}};
  row.with = {{960, 100, 2.1, 0}};
  report.rows = {row};
  report.poll = PollCost{10, 500, 1200, 30000, {6 << 20}, {5 << 20}};
  const auto table = overhead_table(report);
  INFO(table);
  CHECK(table.find("0.960 [0.960-0.960]") != std::string::npos);
  CHECK(table.find("0.97: missed") != std::string::npos);
  CHECK(table.find("1200 us (500 polls, 30000 bytes each); target 1000 us: missed") !=
        std::string::npos);
  CHECK(table.find("6.0 MiB [6.0-6.0], of it 5.0 MiB no file's pages; target 8 MiB: met") !=
        std::string::npos);
  const auto json = overhead_json(report);
  CHECK(json.at("rows").at(0).at("statistics") == "agent");
  CHECK(json.at("rows").at(0).at("throughput_ratio").at("median").get<double>() == 0.96);
  CHECK(json.at("rows").at(0).at("verdict") == "missed");
  CHECK(json.at("poll").at("agent_cpu_us").get<double>() == 1200);
  CHECK(json.at("partial") == false);
  CHECK(table.find("1 rounds of 5 s") != std::string::npos);
}

TEST_CASE("a report that was stopped has what was finished, and says so") {
  OverheadReport report;
  report.rounds = 7;
  report.rounds_finished = 1;
  report.seconds = 5;
  report.rows.resize(2);
  CHECK_FALSE(has_pairs(report));
  report.rows[0].without = {{1000, 100, 2, 0}};
  report.rows[0].with = {{960, 100, 2.1, 0}};
  CHECK(has_pairs(report));
  report.partial = true;
  for (const bool op_trace : {false, true}) {
    report.op_trace = op_trace;
    const auto table = overhead_table(report);
    INFO(table);
    CHECK(table.find("STOPPED: 1 of 7 rounds of 5 s") != std::string::npos);
    CHECK(table.find("0.960 [0.960-0.960]") != std::string::npos);
    const auto json = overhead_json(report);
    CHECK(json.at("partial") == true);
    CHECK(json.at("rounds_finished") == 1);
    CHECK(json.at("rows").at(1).at("throughput_ratio").is_null());
    CHECK(json.at("rows").at(1).at("pairs").empty());
  }
}

TEST_CASE("the agent's threads are told from others, and absence is an error") {
  namespace fs = std::filesystem;
  const fs::path process =
      fs::temp_directory_path() / ("overhead_test." + std::to_string(getpid()));
  const auto thread = [&](const char* id, const char* name, const char* schedstat) {
    fs::create_directories(process / "task" / id);
    std::ofstream(process / "task" / id / "comm") << name << '\n';
    std::ofstream(process / "task" / id / "schedstat") << schedstat << '\n';
  };
  thread("1", "rocktune-bench", "7000 1 1");
  thread("2", "rocktune-agent", "500 9 9");
  thread("3", "rocktune-change", "30 9 9");
  thread("4", "rocksdb:low", "9000 9 9");
  std::ofstream(process / "smaps_rollup")
      << "00400000-7fff [rollup]\nRss:  20 kB\nPss: 3 kB\nAnonymous:  8 kB\n";
  const auto cpu = agent_cpu_ns(process.string());
  const auto memory = memory_of(process.string());
  fs::remove_all(process);
  REQUIRE(cpu);
  CHECK(*cpu == 530);
  REQUIRE(memory);
  CHECK(memory->resident == 20 * 1024);
  CHECK(memory->anonymous == 8 * 1024);
  CHECK_FALSE(agent_cpu_ns(process.string()).has_value());
  CHECK_FALSE(memory_of(process.string()).has_value());
}

TEST_CASE("the cached reads fit the cache, the mix does not") {
  const auto all = overhead_workloads(0, 0);
  REQUIRE(all.size() == 2);
  const auto data = [](const OverheadWorkload& each) {
    return each.workload.records * each.workload.value_size.largest();
  };
  CHECK(all[0].name == "mix");
  CHECK(all[0].configuration.block_cache_bytes < data(all[0]));
  CHECK(all[1].name == "cached-reads");
  CHECK(all[1].configuration.block_cache_bytes > 2 * data(all[1]));
  CHECK(all[1].workload.phases.front().mix == scenario::Mix{1, 0, 0});
}

}  // namespace
}  // namespace rocktune::bench
