#include <cmath>

#include "page/chart_data.h"
#include "simulated_run.h"
#include "stall_trace.h"
#include "support.h"
#include "tests/support/catch.h"
#include "tools/report/knob_history.h"
#include "tools/report/marks.h"
#include "tools/report/result_page.h"
#include "tools/report/time_bins.h"
#include "tools/report/totals.h"
#include "tools/report/trace_page.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

namespace {

const page::ChartGroup* charts_in(const page::Page& page) {
  for (const page::Section& section : page.sections) {
    for (const page::Block& block : section.blocks) {
      if (const auto* group = std::get_if<page::ChartGroup>(&block)) return group;
    }
  }
  return nullptr;
}

std::size_t marks_of(const page::ChartGroup& group, const std::string& kind) {
  std::size_t count = 0;
  for (const page::Mark& mark : group.marks) count += mark.kind == kind ? 1 : 0;
  return count;
}

Sample with_knob(std::int64_t value, KnobOwner owner) {
  Sample sample;
  sample.knobs = {{"max_background_jobs", "", value, 2, owner, true, "", 1, 64}};
  return sample;
}

}  // namespace

TEST_CASE("a day at half a second becomes at most so many points", "[tools][report]") {
  TimeBins bins(0.5);
  const std::size_t mean = bins.add(Keep::kMean), most = bins.add(Keep::kMost),
                    last = bins.add(Keep::kLast);
  for (int i = 0; i < 172'800; ++i) {
    bins.move_to(i * 0.5);
    bins.put(mean, i % 2);
    bins.put(most, i == 100'000 ? 9 : 1);
    bins.put(last, i);
  }
  CHECK(bins.is_thinned());
  CHECK(bins.width_seconds() == 64);
  const auto means = bins.points(mean);
  CHECK(means.size() <= TimeBins::kMostBins);
  CHECK(means.size() > TimeBins::kMostBins / 2);
  CHECK(std::abs(*means[10].value - 0.5) < 0.01);
  double largest = 0;
  for (const page::Point& point : bins.points(most)) largest = std::max(largest, *point.value);
  CHECK(largest == 9);
  CHECK(bins.points(last).back().value == 172'799);
  CHECK(bins.points(last, 1000).back().value == 172.799);
}

TEST_CASE("bins know polls that come early, gaps and nothing", "[tools][report]") {
  TimeBins bins(1);
  const std::size_t one = bins.add(Keep::kMean), none = bins.add(Keep::kMean);
  for (const double at : {0.0, 0.999, 2.001, 5.0}) {
    bins.move_to(at);
    bins.put(one, at);
  }
  bins.put(none, std::nan(""));
  const auto points = bins.points(one);
  REQUIRE(points.size() == 6);
  CHECK(points[1].value == 0.999);
  CHECK(points[2].x == 2);
  CHECK_FALSE(points[3].value);
  CHECK_FALSE(points[4].value);
  CHECK(bins.is_empty(none));
  CHECK_FALSE(bins.is_thinned());
}

TEST_CASE("marks of each kind are bounded and spread evenly", "[tools][report]") {
  MarkList marks;
  for (int i = 0; i < 100'000; ++i) marks.add(i, mark_kind::kDecision, "change");
  marks.add(5, mark_kind::kAlert, "warning");
  const auto kept = marks.marks();
  CHECK(kept.size() <= MarkList::kMostOfKind + 1);
  CHECK(kept.size() > MarkList::kMostOfKind / 2);
  CHECK(marks.left_out() == 100'001 - kept.size());
  const page::Mark& late = kept[kept.size() - 1].kind == mark_kind::kDecision
                               ? kept[kept.size() - 1]
                               : kept[kept.size() - 2];
  CHECK(late.x > 95'000);
}

TEST_CASE("knobs' steps with their owners", "[tools][report]") {
  TimeBins bins(1);
  KnobHistory knobs;
  bins.move_to(0);
  CHECK(knobs.add(with_knob(2, KnobOwner::kFound), 0, bins).empty());
  bins.move_to(1);
  const auto ours = knobs.add(with_knob(4, KnobOwner::kRocktune), 1, bins);
  REQUIRE(ours.size() == 1);
  CHECK(ours[0].from == 2);
  CHECK(ours[0].to == 4);
  CHECK(ours[0].owner == KnobOwner::kRocktune);
  CHECK(knobs.add(with_knob(4, KnobOwner::kRocktune), 2, bins).empty());
  CHECK(knobs.add(with_knob(8, KnobOwner::kManual), 3, bins).size() == 1);
  REQUIRE(knobs.tracks().size() == 1);
  CHECK(knobs.tracks()[0].steps == 2);
  CHECK(knobs.tracks()[0].first == 2);
  CHECK(knobs.tracks()[0].last == 8);
  CHECK(owner_text(knobs.tracks()[0].owner) == "the operator");
  CHECK(knobs.all_steps() == 2);
}

TEST_CASE("a knob is drawn from its first step on, with what it was before", "[tools][report]") {
  TimeBins bins(1);
  KnobHistory knobs;
  const auto poll = [&](double seconds, std::int64_t jobs, std::int64_t buffer) {
    Sample sample;
    sample.knobs = {{"max_background_jobs", "", jobs, 2, KnobOwner::kFound, true, "", 1, 64},
                    {"write_buffer_size", "hot", buffer, 8, KnobOwner::kFound, true, "", 1, 64}};
    bins.move_to(seconds);
    return knobs.add(sample, seconds, bins).size();
  };
  poll(0, 2, 8);
  poll(1, 2, 8);
  poll(3, 2, 8);  // that of 2 was missed
  CHECK(poll(4, 2, 16) == 1);
  CHECK_FALSE(knobs.tracks()[0].series);
  REQUIRE(knobs.tracks()[1].series);
  const auto points = bins.points(*knobs.tracks()[1].series);
  REQUIRE(points.size() == 5);
  CHECK(points[0].value == 8.0);
  CHECK(points[1].value == 8.0);
  CHECK_FALSE(points[2].value);
  CHECK(points[3].value == 8.0);
  CHECK(points[4].value == 16.0);
  CHECK(bins.most(*knobs.tracks()[1].series) == 16);
}

TEST_CASE("knobs may change places, come and go", "[tools][report]") {
  TimeBins bins(1);
  KnobHistory knobs;
  const auto poll = [&](double seconds, const std::vector<std::string>& families) {
    KnobReadings::List list;
    for (const std::string& family : families) {
      const auto value = static_cast<std::int64_t>(family.size());
      list.push_back({"write_buffer_size", family, value, 8, KnobOwner::kFound, true, "", 1, 64});
    }
    Sample sample;
    sample.knobs = list;
    bins.move_to(seconds);
    CHECK(knobs.add(sample, seconds, bins).empty());
  };
  poll(0, {"a", "bb", "ccc"});
  poll(1, {"ccc", "a"});
  poll(2, {"a", "dddd", "bb", "ccc"});
  REQUIRE(knobs.tracks().size() == 4);
  CHECK(knobs.tracks()[3].column_family == "dddd");
  CHECK(knobs.tracks()[3].first_seconds == 2);
  CHECK(knobs.all_steps() == 0);
}

TEST_CASE("what is known for no time has no mean", "[tools][report]") {
  Known known;
  known.add(std::nullopt, 1);
  known.add(5.0, 0);
  CHECK_FALSE(known.mean());
  known.add(-4.0, 1);
  known.add(-2.0, 3);
  CHECK(known.mean() == -2.5);
  CHECK(known.most == -2);
}

TEST_CASE("the page of a run that was tuned", "[tools][report]") {
  const TempDirectory directory;
  SimulatedRun run;
  run.fails_from = 300;
  run.fails_to = 310;
  record_run(directory.file("run"), run);
  const auto page = trace_page({directory.file("run"), std::nullopt, {}});
  REQUIRE(page);
  const page::ChartGroup* charts = charts_in(*page);
  REQUIRE(charts != nullptr);
  CHECK(marks_of(*charts, mark_kind::kDecision) > 0);
  CHECK(marks_of(*charts, mark_kind::kBetter) + marks_of(*charts, mark_kind::kWorse) +
            marks_of(*charts, mark_kind::kOther) >
        0);
  CHECK(charts->x_step == 0.5);
  CHECK(charts->begin_unix_ms == 1769860800500);
  CHECK(charts->charts.back().title == "knob rate_limiter_bytes_per_second");

  const std::string text = html(*page);
  for (const char* part :
       {"orders (/data/orders), RocksDB 7.8.3, in mode act under policy headroom",
        "read in 390 of 400 polls", "Not recorded: the device", "No warning was given",
        "allowed by the guard", "Knobs that moved: rate_limiter_bytes_per_second from 19.1 MiB/s",
        "Steps of the knobs", "writes slow at 64 GiB"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
}

TEST_CASE("several databases are sections, and one can be asked for", "[tools][report]") {
  const tests::TempDirectory directory;
  const std::string path = record_stall(directory, "two", 1, 20, 2);
  std::string told;
  const auto both = trace_page({path, std::nullopt, {}}, [&](auto number, auto total, auto& name) {
    told += name + " " + std::to_string(number) + "/" + std::to_string(total) + "\n";
  });
  REQUIRE(both);
  CHECK(told == "db0 1/2\ndb1 2/2\n");
  const std::string text = html(*both);
  CHECK(contains(text, "Over time of db0"));
  CHECK(contains(text, "Over time of db1"));
  const auto one = trace_page({path, "db1", {}});
  REQUIRE(one);
  CHECK_FALSE(contains(html(*one), "db0"));
  const auto nobody = trace_page({path, "db2", {}});
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().code == ErrorCode::kInvalidArgument);
  CHECK(contains(nobody.error().message, "it has: db0, db1"));
}

TEST_CASE("a part of a run is told from its own begin", "[tools][report]") {
  const tests::TempDirectory directory;
  const std::string path = record_stall(directory, "one", 1, 20);
  const auto part = trace_page({path, std::nullopt, {100, 160}});
  REQUIRE(part);
  const page::ChartGroup* charts = charts_in(*part);
  REQUIRE(charts != nullptr);
  for (const page::Chart& chart : charts->charts) {
    for (const page::Series& series : chart.series) {
      CHECK(series.points.front().x == 0);
      CHECK(series.points.back().x <= 60);
    }
  }
  const auto none = trace_page({path, std::nullopt, {1e6, std::nullopt}});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("the page of a sweep", "[tools][report]") {
  std::string lines;
  for (const char* trace : {"a", "b"}) {
    for (const char* factor : {"null", "1.5", "1.8"}) {
      const bool is_static = factor[0] == 'n', fails = trace[0] == 'b' && factor[2] == '8';
      const std::string p99 = is_static ? "0.02" : factor[2] == '5' ? "0.002" : "0.004";
      lines += std::string(R"({"schema":"rocktune-sweep/1","rung":"closed_loop","trace":")") +
               trace + R"(","target":"db","policy":")" + (is_static ? "static" : "headroom") +
               R"(","p_limiter_raise_factor":)" + factor + R"(,"seed":0,"first":"read_p99",)" +
               R"("operations_per_second":1000,"read_p99_seconds":)" + p99 + R"(,"error":)" +
               (fails ? "\"too short\"" : "null") + "}\n";
    }
  }
  const auto page = result_page("A sweep", lines);
  REQUIRE(page);
  const std::string text = html(*page);
  for (const char* part :
       {"headroom limiter_raise_factor=1.5 comes first: median rank 1 of 2", "1 of 2 databases",
        "Every combination of parameters", "too short", "Closed loop, simulated"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
  const auto refused = result_page("A sweep", lines + "{}\n");
  REQUIRE_FALSE(refused);
  CHECK(contains(refused.error().message, "document 7: is not what rocktune sweep wrote"));
  const auto mixed = result_page("Both", R"({"schema":"rocktune-score/1","tables":[{}]})"
                                         "\n" +
                                             lines);
  REQUIRE_FALSE(mixed);
  CHECK(contains(mixed.error().message, "a page of their own"));
}

TEST_CASE("a result's page by its schema, and what it takes", "[tools][report]") {
  const std::string simulated =
      R"({"schema":"rocktune-simulate/1","claims":"Only ranks.","name":"monday",
          "ranked_by":"read_p99","concordance":0.95,"policies":[
          {"policy":"static","median_rank":2,"best_ratio":0,
           "figures":{"read_p99_seconds":{"median":0.004,"p5":0.003,"p95":0.005,"seeds":[0.004,0.003]}}},
          {"policy":"headroom","median_rank":1,"best_ratio":1,"movements":{"max_background_jobs":3},
           "figures":{"read_p99_seconds":{"median":0.001,"p5":0.001,"p95":0.001,"seeds":[0.001,0.001]}}}]})";
  const auto page = result_page("A result", simulated);
  REQUIRE(page);
  const std::string text = html(*page);
  for (const char* part :
       {"headroom comes first by read_p99: median rank 1 of 2, best in 100% of the seeds",
        "the order is stable", "4.0 ms (3.0 ms to 5.0 ms)", "Only ranks.", "max_background_jobs"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
  for (const char* other : {"[]", "{}", "", "{\"schema\":\"x/1\"}", "{", "{}\nnothing"}) {
    INFO(other);
    const auto refused = result_page("A result", other);
    REQUIRE_FALSE(refused);
    CHECK(
        contains(refused.error().message, "rocktune simulate, rocktune validate, rocktune score"));
  }
}

TEST_CASE("the page of a simulation names all that share the first place", "[tools][report]") {
  const auto policy = [](const std::string& name, const std::string& rank,
                         const std::string& best) {
    return R"({"policy":")" + name + R"(","median_rank":)" + rank + R"(,"best_ratio":)" + best +
           "}";
  };
  const auto text_of = [](const std::string& policies) {
    return html(
        *result_page("A result", R"({"schema":"rocktune-simulate/1","ranked_by":"read_p99",)"
                                 R"("concordance":0.95,"policies":[)" +
                                     policies + "]}"));
  };
  const std::string silk = policy("silk", "1.5", "0.6");
  CHECK(
      contains(text_of(silk + "," + policy("adoc", "1.5", "0.6") + "," + policy("a", "3", "0")),
               "silk, adoc share the first place by read_p99: median rank 1.5 of 3, best in 60%"));
  // Of one median rank that which is the best in more seeds, wherever it stands.
  CHECK(contains(text_of(silk + "," + policy("adoc", "1.5", "0.7")), "adoc comes first by"));
}

TEST_CASE("each kind of document in a file has its claims on the page", "[tools][report]") {
  const std::string scored =
      R"({"schema":"rocktune-score/1","claims":"Only counts.","tables":[{}]})";
  const std::string simulated =
      R"({"schema":"rocktune-simulate/1","claims":"Only ranks.","policies":[{}]})";
  const std::string alone = html(*result_page("One", scored));
  CHECK(contains(alone, "Only counts."));
  CHECK_FALSE(contains(alone, "rocktune score: Only counts."));
  const auto both = result_page("Two", scored + "\n" + simulated + "\n" + scored);
  REQUIRE(both);
  const std::string text = html(*both);
  CHECK(contains(text, "rocktune score: Only counts."));
  CHECK(contains(text, "rocktune simulate: Only ranks."));
  CHECK(text.find("Only counts.") == text.rfind("Only counts."));
}

TEST_CASE("the page of a replay, whose alert-log lines are passed over", "[tools][report]") {
  const std::string journal =
      R"({"time":"2026-01-31T12:00:00.000Z","target":"db","kind":"alert","id":"7"})";
  const auto replayed = [](const std::string& policy, const std::string& own) {
    return R"({"schema":"rocktune-replay/1","kind":"replay","trace":"h 1","target":"db","claims":"Open loop.",)"
           R"("samples":480,"changes_live":12000,"changes_agreed":7,"policy":")" +
           policy + "\"," + own +
           R"("replayed":{"alerts":3,"decisions":12345,"outcomes":2,"verdicts":{"held":4},)"
           R"("knobs":{"max_background_jobs":5}},"alarms":[{"indicator":"p99","seconds":240,)"
           R"("horizon_seconds":60,"events":2,"alarms":4,"false_alarms":3,"recall":{"10":0.5},)"
           R"("lead_p50_seconds":21}]})";
  };
  const auto page = result_page(
      "A replay",
      journal + "\n" +
          replayed("static", R"("as_recorded":true,"identical":false,"steps_that_differ":15,)") +
          "\n" + journal + "\n" + replayed("headroom", R"("as_recorded":false,)") + "\n");
  REQUIRE(page);
  REQUIRE(page->sections.size() == 3);
  const auto& policies = std::get<page::Table>(page->sections[0].blocks[1]);
  REQUIRE(policies.rows.size() == 2);
  CHECK(policies.rows[0] == std::vector<std::string>{"db", "h 1", "static *", "3", "12345", "0",
                                                     "0", "4", "0", "2", "7 of 12000", "15 of 480",
                                                     "max_background_jobs 5"});
  CHECK(policies.rows[1][11] == "-");
  const auto& alarms = std::get<page::Table>(page->sections[1].blocks[0]);
  REQUIRE(alarms.rows.size() == 1);
  CHECK(alarms.rows[0] == std::vector<std::string>{"db", "h 1", "p99", "60 s", "2", "4", "3", "-",
                                                   "-", "-", "0.50", "-", "-", "-", "21 s"});
  // Another recording of a target of that name has a row of its own.
  std::string other = replayed("static", R"("as_recorded":false,)");
  other.replace(other.find("h 1"), 3, "h 2");
  const auto two = result_page("Two", replayed("static", "") + "\n" + other);
  REQUIRE(two);
  CHECK(std::get<page::Table>(two->sections[1].blocks[0]).rows.size() == 2);
  const std::string text = html(*page);
  CHECK(contains(text, "Open loop."));
  CHECK(contains(text, "perhaps of another build"));
  CHECK_FALSE(contains(text, "checksums"));

  const auto lines = result_page("Lines", journal + "\n" + journal + "\n");
  REQUIRE_FALSE(lines);
  CHECK(contains(lines.error().message, "alert log"));
}

TEST_CASE("a comparison's page is named", "[tools][report]") {
  const auto refused = result_page("A comparison", R"({"schema":"rocktune-compare/1"})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kUnsupported);
  CHECK(contains(refused.error().message, "compare.html"));
}

TEST_CASE("a result that is nested without end is refused", "[tools][report]") {
  constexpr std::size_t kLevels = 200'000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  for (const std::string& text : {deep, R"({"schema":"rocktune-validate/1","runs":[{"a":)" + deep +
                                            R"(}],"z":)" + deep + "}"}) {
    const auto page = result_page("deep", text);
    REQUIRE_FALSE(page);
    CHECK(contains(page.error().message, "neither a trace nor JSON"));
  }
}
