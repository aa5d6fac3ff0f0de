#include <algorithm>

#include "bench/report/comparison.h"
#include "bench/report/comparison_charts.h"
#include "bench/report/result_reader.h"
#include "bench/report/summary.h"
#include "tests/support/catch.h"
#include "tests/unit/bench/comparison_builder.h"

using namespace rocktune::bench::report;
using namespace rocktune::bench::report::test;
namespace page = rocktune::page;

TEST_CASE("a policy that was added later did not take turns", "[bench][report]") {
  const auto at = [](const std::string& policy, std::int64_t repeat, const std::string& time) {
    json result = result_of(1000);
    result["started"] = "2026-01-31T" + time + "Z";
    return run_of(policy, repeat, std::move(result));
  };
  const auto summary_of = [&](const std::string& second_repeat) {
    Comparison comparison;
    comparison.title = "Test";
    comparison.runs = {at("static", 1, "12:00:00.000"), at("tuned", 1, "12:01:00.000"),
                       at("tuned", 2, "12:03:00.000"), at("static", 2, second_repeat)};
    return summarize(comparison);
  };
  const Summary turns = summary_of("12:02:00.000");
  CHECK(turns.policies.at(1).took_turns);
  CHECK(turns.policies.at(1).figure("ops_per_second")->ratio->paired);
  const auto says_so = [](const Summary& summary) {
    const auto all = remarks(summary);
    return std::any_of(all.begin(), all.end(), [](const std::string& remark) {
      return remark.find("tuned did not take turns with static") != std::string::npos;
    });
  };
  CHECK_FALSE(says_so(turns));
  // Both runs of static were over when the first of tuned began.
  const Summary later = summary_of("12:00:30.000");
  CHECK_FALSE(later.policies.at(1).took_turns);
  CHECK_FALSE(later.policies.at(1).figure("ops_per_second")->ratio->paired);
  CHECK(says_so(later));
  // The second repeat was finished after a night.
  Comparison night;
  night.title = "Test";
  night.runs = {at("static", 1, "01:00:00.000"), at("tuned", 1, "01:01:00.000"),
                at("static", 2, "01:02:00.000"), at("tuned", 2, "09:00:00.000")};
  CHECK_FALSE(summarize(night).policies.at(1).took_turns);
  for (Run& run : night.runs) run.result["scenario"]["seconds"] = 4 * 3600;
  CHECK(summarize(night).policies.at(1).took_turns);
}

TEST_CASE("the figures of a run come from its result", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1010, 990}, {});
  const Summary summary = summarize(comparison);
  REQUIRE(summary.policies.size() == 1);
  CHECK(median(summary, "ops_per_second") == 1000);
  CHECK(median(summary, "read_p99_us") == 4000);
  CHECK(median(summary, "stall_seconds") == 1.5);
  CHECK(median(summary, "write_amplification") == 6);
  CHECK(median(summary, "device_read_bytes") == 1000);
  CHECK(median(summary, "device_written_bytes") == 2000);
  CHECK(median(summary, "phase.burst.ops_per_second") == 1000);
  CHECK(summary.device == "emulated device nvme-p41");
  CHECK(summary.scale == 16);
  CHECK(summary.scenario == "burst");
  CHECK(summary.first == "read_p99_us");
}

TEST_CASE("what a result lacks is absent, not zero", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1000}, {});
  for (Run& run : comparison.runs) {
    run.result["databases"][0]["total"].erase("stall_seconds");
    run.result["databases"][0]["total"]["user_bytes_written"] = 0;
    run.result.erase("device");
  }
  const Summary summary = summarize(comparison);
  CHECK(figure_of(summary, "stall_seconds") == nullptr);
  CHECK(figure_of(summary, "write_amplification") == nullptr);
  CHECK(figure_of(summary, "device_read_bytes") == nullptr);
  CHECK(figure_of(summary, "daemon_cpu_seconds") == nullptr);
  CHECK(figure_of(summary, "ops_per_second") != nullptr);
  const json shown = summary_json(summary);
  CHECK_FALSE(shown["policies"][0]["figures"].contains("stall_seconds"));
}

TEST_CASE("no result at all, or one of another shape, is no crash", "[bench][report]") {
  for (const json& odd :
       {json(nullptr), json::object(), json("text"), json::array({1}), json{{"databases", "none"}},
        json{{"databases", {1, nullptr}}}, json{{"total", 3}},
        json{{"databases", {{{"phases", {1}}, {"total", 1}}}}},
        json{{"objective", 1}, {"total", {{"operations", 5}}}},
        json{{"total", {{"operations", {{"read", 1}}}}}, {"workload", 7}}}) {
    Comparison comparison = comparison_of("tuned", {}, {});
    comparison.runs.push_back(run_of("static", 1, odd));
    comparison.runs.push_back(run_of("tuned", 1, odd));
    const Summary summary = summarize(comparison);
    CHECK(summary.policies.size() == 2);
    CHECK_FALSE(summary_json(summary).dump().empty());
    CHECK_FALSE(comparison_markdown(summary).empty());
    CHECK_FALSE(html(comparison_page(comparison, summary)).empty());
  }
}

TEST_CASE("a result of schema 1 is a run of one nameless database", "[bench][report]") {
  json old = database("", 500, 700);
  old["label"] = "emulated device";
  old["device"] = {{"label", "emulated device"}, {"name", "nvme-p41"}};
  Comparison comparison;
  comparison.runs.push_back(run_of("static", 1, old));
  const Summary summary = summarize(comparison);
  CHECK(median(summary, "ops_per_second") == 500);
  CHECK(median(summary, "read_p99_us") == 700);
  CHECK(summary.device == "emulated device nvme-p41");
}

TEST_CASE("throughput adds up over databases, latencies stay each one's own", "[bench][report]") {
  Comparison comparison;
  comparison.runs.push_back(run_of(
      "static", 1,
      result_with(json::array({database("front", 100, 4000), database("back", 900, 60000)}))));
  const Summary summary = summarize(comparison);
  CHECK(median(summary, "ops_per_second") == 1000);
  CHECK(median(summary, "front.ops_per_second") == 100);
  CHECK(median(summary, "front.read_p99_us") == 4000);
  CHECK(median(summary, "back.read_p99_us") == 60000);
  CHECK(figure_of(summary, "read_p99_us") == nullptr);
  CHECK(summary.first == "front.read_p99_us");
}

TEST_CASE("what comes first is that of the database that has it", "[bench][report]") {
  json writer = database("back", 900, 0);
  writer["total"]["operations"] = {{"update", {{"p99_us", 300}}}};
  Comparison comparison;
  comparison.runs.push_back(run_of(
      "static", 1, result_with(json::array({std::move(writer), database("front", 100, 4000)}))));
  const Summary summary = summarize(comparison);
  CHECK(summary.first == "front.read_p99_us");
  REQUIRE(figure_of(summary, summary.first) != nullptr);
}

TEST_CASE("seconds above the SLO: any database's, each second once", "[bench][report]") {
  const std::vector<LatencyLimit> limits = {{"read_p99", "read", "p99_us", 5000}};
  CHECK(seconds_above(result_of(100, 4000), limits) == 0.0);
  CHECK(seconds_above(result_of(100, 6000), limits) == 2.0);   // the first second of each phase
  CHECK(seconds_above(result_of(100, 12000), limits) == 4.0);  // all
  const json both = result_with(json::array({database("a", 100, 6000), database("b", 100, 6000)}));
  CHECK(seconds_above(both, limits) == 2.0);
  CHECK_FALSE(seconds_above(json::object(), limits));
}

TEST_CASE("seconds that are a little short or long are all counted", "[bench][report]") {
  const std::vector<LatencyLimit> limits = {{"read_p99", "read", "p99_us", 5000}};
  for (const double length : {0.98, 1.02}) {
    json drifting = result_of(100, 6000);
    json per_second = json::array();
    for (int i = 0; i < 100; ++i) {
      per_second.push_back(second(0, 100, 6000));
      per_second.back()["start_seconds"] = i * length;
      per_second.back()["seconds"] = length;
    }
    drifting["databases"][0]["phases"] = {{{"name", "all"}, {"per_second", per_second}}};
    CHECK(*seconds_above(drifting, limits) == Approx(100 * length));
    drifting["databases"].push_back(drifting["databases"][0]);
    drifting["databases"][1]["name"] = "other";
    CHECK(*seconds_above(drifting, limits) == Approx(100 * length));
  }
}

TEST_CASE("a second in which nothing was done counts as above the SLO", "[bench][report]") {
  json stalled = result_of(100, 4000);
  json& per_second = stalled["databases"][0]["phases"][0]["per_second"];
  per_second[1] = second(1, 0, std::nullopt);
  const std::vector<LatencyLimit> limits = {{"read_p99", "read", "p99_us", 5000}};
  CHECK(seconds_above(stalled, limits) == 1.0);
  // Operations of other kinds were done: nothing is known of reads.
  per_second[1]["operations_done"] = 7;
  CHECK(seconds_above(stalled, limits) == 0.0);
}

TEST_CASE("partial runs are counted, drawn, and in no figure", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1002}, {2000, 2002});
  comparison.runs.push_back(run_of("static", 3, result_of(1)));
  comparison.runs.back().partial = true;
  const Summary summary = summarize(comparison);
  CHECK(summary.policies.at(0).runs == 2);
  CHECK(summary.policies.at(0).partial_runs == 1);
  CHECK(median(summary, "ops_per_second") == 1001);
  CHECK(run_charts(comparison.runs).charts.at(0).series.size() == 5);
  CHECK(comparison_text(summary).find("1 of static's runs were stopped early") !=
        std::string::npos);
}

TEST_CASE("the reference comes first, then the order asked for", "[bench][report]") {
  Comparison comparison;
  comparison.policies = {"b", "never-ran", "a"};
  for (const char* policy : {"a", "x", "static", "b"}) {
    comparison.runs.push_back(run_of(policy, 1, result_of(1000)));
  }
  std::vector<std::string> order;
  for (const PolicySummary& policy : summarize(comparison).policies) order.push_back(policy.policy);
  CHECK(order == std::vector<std::string>{"static", "b", "a", "x"});
}

TEST_CASE("without a run of the reference nothing is compared, and it is said", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {}, {1000, 1000});
  const Summary summary = summarize(comparison);
  CHECK_FALSE(summary.policies.at(0).figure("ops_per_second")->ratio);
  REQUIRE(conclusions(summary).size() == 1);
  CHECK(conclusions(summary)[0].find("no run of static") != std::string::npos);
  CHECK(summarize(Comparison{}).policies.empty());
}

TEST_CASE("runs that are not alike are pointed out", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1000}, {1000});
  CHECK(summarize(comparison).differences.empty());
  comparison.runs[2].result["device"]["name"] = "other";
  const auto differences = summarize(comparison).differences;
  REQUIRE(differences.size() == 1);
  CHECK(differences[0] ==
        "Not all runs have the same device: emulated device nvme-p41, emulated device other.");
}

TEST_CASE("of replayed operations it is said who wrote and what was left out", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000}, {1000});
  const auto replayed = [&](int writers, int unknown, int left_out) {
    for (Run& run : comparison.runs) {
      run.result["replay"] = {{"threads", 16},
                              {"writing_threads", writers},
                              {"operations_not_replayed", unknown},
                              {"recorded_reads_left_out", left_out}};
    }
    return summarize(comparison);
  };
  CHECK(summarize(comparison).replayed.empty());
  const Summary all = replayed(16, 0, 0);
  REQUIRE(all.replayed.size() == 2);
  CHECK(all.replayed[0] == "Writes were on 16 of 16 threads (writing_threads).");
  CHECK(all.replayed[1] ==
        "Recorded operations not replayed, as this RocksDB does not know their type "
        "(operations_not_replayed): 0. Reads that --sample left out of the recording "
        "(recorded_reads_left_out): 0.");
  const Summary part = replayed(1, 3, 45000);
  for (const std::string& report : {comparison_text(part), comparison_markdown(part)}) {
    CHECK(report.find("Writes were on 1 of 16 threads (writing_threads), since some are of several "
                      "keys or of a range: that bounds their throughput.") != std::string::npos);
    CHECK(report.find("(operations_not_replayed): 3.") != std::string::npos);
    CHECK(report.find("(recorded_reads_left_out): 45,000. The replay asks for that much less.") !=
          std::string::npos);
  }
}

TEST_CASE("the sentence says ratio, interval, verdict, and what the objective puts first",
          "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1000}, {2000, 2000});
  for (std::size_t i = 0; i < 2; ++i) comparison.runs[i].result = result_of(1000, 8000);
  const auto sentences = conclusions(summarize(comparison));
  REQUIRE(sentences.size() == 1);
  CHECK(
      sentences[0] ==
      "tuned did 2.00 times the throughput of static (95% interval 2.00 to 2.00), which is better. "
      "Its read P99, what the objective puts first, was 0.50 times that of static (95% interval "
      "0.50 to 0.50), which is better. It was above the SLO for 0.0 s, static for 2.0 s.");
}

TEST_CASE("Markdown has the figures and the ratios by policy", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1234567, 1234000}, {2469134, 2468000});
  comparison.machine.cpu_model = "A processor";
  comparison.machine.rocksdb_assertions = true;
  const std::string text = comparison_markdown(summarize(comparison));
  CHECK(text.find("|  | static | tuned |\n") != std::string::npos);
  CHECK(text.find("| throughput, ops/s | 1,234,284 \\[1,234,000–1,234,567\\] |") !=
        std::string::npos);
  CHECK(text.find("| throughput | 2.00 \\[2.00–2.00\\] better |") != std::string::npos);
  CHECK(text.find("Machine: A processor") != std::string::npos);
  CHECK(text.find("with assertions") != std::string::npos);
  CHECK(text.find("Scale 16") != std::string::npos);
}

TEST_CASE("that runs are too few for an interval is said once", "[bench][report]") {
  const std::string none = comparison_markdown(summarize(comparison_of("tuned", {1000}, {2000})));
  CHECK(none.find("Ratio to static (too few runs for an interval)") != std::string::npos);
  CHECK(none.find("| throughput | 2.00 |") != std::string::npos);
  Comparison some = comparison_of("tuned", {1000, 1000}, {2000, 2000});
  some.runs.push_back(run_of("late", 1, result_of(3000)));
  const std::string mixed = comparison_markdown(summarize(some));
  CHECK(mixed.find("Ratio to static \\[95% interval\\]") != std::string::npos);
  CHECK(mixed.find("3.00 too few runs |") != std::string::npos);
}

TEST_CASE("throughput is compared with a yardstick too, phase by phase", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1000}, {1800, 1800});
  for (const std::int64_t repeat : {1, 2}) {
    comparison.runs.push_back(run_of("static@Good", repeat, result_of(2000)));
  }
  comparison.yardsticks = {"static@Good", "static@None"};
  const Summary summary = summarize(comparison);
  CHECK(summary.policies.front().policy == "static");
  CHECK(summary.policies.front().figure("ops_per_second")->verdict == Verdict::kReference);
  REQUIRE(summary.yardsticks.size() == 1);  // the other did not run
  const Summary& against = summary.yardsticks.front();
  CHECK(against.reference == "static@Good");
  REQUIRE(against.policies.size() == 3);
  CHECK(against.policies.front().figure("ops_per_second")->verdict == Verdict::kReference);
  for (const PolicySummary& policy : against.policies) {
    if (policy.policy == "static@Good") continue;
    const double ratio = policy.policy == "tuned" ? 0.9 : 0.5;
    CHECK(policy.figure("ops_per_second")->ratio->ratio == Approx(ratio));
    CHECK(policy.figure("phase.burst.ops_per_second")->ratio->ratio == Approx(ratio));
  }
  const auto tables = yardstick_tables(summary);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables.front().rows.size() == 3);  // of the whole run and of two phases
  CHECK(tables.front().rows.back().front() == "burst: throughput");
  CHECK(comparison_markdown(summary).find("Ratio to static@Good") != std::string::npos);
  CHECK(comparison_text(summary).find("Ratio to static@Good") != std::string::npos);
  const json document = summary_json(summary);
  CHECK(document.at("yardsticks").at(0).at("reference") == "static@Good");
  CHECK_FALSE(
      document.at("yardsticks").at(0).at("policies").at(1).at("figures").contains("read_p99_us"));
}

TEST_CASE("charts: the limit stands in the chart of its percentile, knobs are steps",
          "[bench][report]") {
  const page::ChartGroup group = run_charts(comparison_of("tuned", {1000}, {2000}).runs);
  const auto named = [&](const std::string& title) -> const page::Chart* {
    for (const page::Chart& chart : group.charts) {
      if (chart.title == title) return &chart;
    }
    return nullptr;
  };
  REQUIRE(named("read P99") != nullptr);
  REQUIRE(named("read P99")->limits.size() == 1);
  CHECK(named("read P99")->limits[0].value == 5);
  CHECK(named("read P99")->series.size() == 2);
  CHECK(named("read P99")->series[0].points.size() == 4);
  CHECK(named("read P99")->series[0].points[0].x == 1);
  REQUIRE(named("knob rate limiter") != nullptr);
  CHECK(named("knob rate limiter")->steps);
  CHECK(named("knob rate limiter")->unit == "MiB/s");
  CHECK(named("knob rate limiter")->series[0].points[0].value == 2.0);
  REQUIRE(group.bands.size() == 2);
  CHECK(group.bands[1].name == "burst");
  CHECK(group.bands[1].from == 2);
  CHECK(group.bands[1].to == 4);
}
