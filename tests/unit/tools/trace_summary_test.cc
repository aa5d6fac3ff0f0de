#include "tools/trace_summary.h"

#include "simulated_run.h"
#include "support.h"
#include "tools/text.h"
#include "trace/recorder.h"

using namespace rocktune;
using namespace rocktune::tools;
using namespace rocktune::tools::test;

TEST_CASE("trace info counts what was due, and finds the gaps", "[tools]") {
  const TempDirectory directory;
  SimulatedRun simulated;
  simulated.polls = 200;
  simulated.fails_from = 50;
  simulated.fails_to = 60;
  simulated.lost_from = 100;
  simulated.lost_to = 104;
  record_run(directory.file("run"), simulated);
  const auto content = read_content(directory.file("run"));
  REQUIRE(content);
  REQUIRE(content->targets.size() == 1);
  const TargetContent& target = content->targets[0];
  CHECK(target.due == 200);
  CHECK(target.summary.samples == 196);
  CHECK(target.summary.samples_with_database == 186);
  REQUIRE(target.gaps.size() == 2);
  CHECK(target.gaps[0].first_sequence == 50);
  CHECK(target.gaps[0].polls == 10);
  CHECK(target.gaps[0].rows == 10);
  CHECK(target.gaps[0].why == "no answer within 400 ms");
  CHECK(target.gaps[1].first_sequence == 100);
  CHECK(target.gaps[1].polls == 4);
  CHECK(target.gaps[1].rows == 0);

  std::string text;
  for (const std::string& line : content_lines(*content)) text += line + "\n";
  for (const char* part : {"186 of 200 due (93 %)", "db[4711]   RocksDB 7.8.3", "gaps           2",
                           "10 polls from sample 50", "no answer within 400 ms",
                           "4 polls from sample 100", "4 not recorded (no room for the trace",
                           "events         8 missed", "2026-01-31 12:00:00.500Z"}) {
    INFO(part << "\nin\n" << text);
    CHECK(contains(text, part));
  }
  const Json json = content_json(*content);
  CHECK(json["targets"][0]["samples"]["due"] == 200);
  CHECK(json["targets"][0]["events"]["missed"] == 8);
  CHECK(json["targets"][0]["gaps"][1]["not_recorded"] == 4);
  CHECK(json["checksums"] == true);
  CHECK_FALSE(contains(text, "checksums"));

  TraceContent old = *content;
  old.run.schema = 3;
  CHECK(contains(content_lines(old)[2], "schema 3 has no checksums"));
  CHECK(content_json(old)["checksums"] == false);
  CHECK(content_json(old)["trace_schema"] == 3);
}

TEST_CASE("a gap's lost polls are not given the reason of the others", "[tools]") {
  TraceContent content;
  content.targets.emplace_back().gaps = {{50, 120, 1, Nanoseconds(0), "no answer in time"}};
  CHECK(content_lines(content).back() ==
        "    120 polls from sample 50, 119 not recorded (no room for the trace, or rocktuned stood "
        "still: its log says); the other 1: no answer in time");
}

TEST_CASE("of a trace from a LOG no process and no agent is told", "[tools]") {
  TraceContent content;
  content.run.daemon_version = "0.1.0" + std::string(trace::kFromLog);
  TargetContent& target = content.targets.emplace_back();
  target.summary.incarnations.resize(2);
  target.summary.incarnations[0].incarnation = "log:A";
  target.summary.incarnations[0].rocksdb_version = "6.29.5";
  target.summary.incarnations[1].incarnation = "log:B";  // it ended before the first sample
  std::string text;
  for (const std::string& line : content_lines(content)) text += line + "\n";
  for (const char* part : {"imported by    rocktune 0.1.0 from a RocksDB LOG",
                           "opened         log:A   RocksDB 6.29.5   limiter",
                           "opened         log:B   RocksDB not told   limiter: not told"}) {
    INFO(part << "\nin\n" << text);
    CHECK(contains(text, part));
  }
}

TEST_CASE("what agents say of themselves turns no terminal", "[tools]") {
  const std::string turns = "x\x1b[2J\n";
  TraceContent content;
  content.path = content.run.daemon_version = content.run.host = turns;
  TargetContent& target = content.targets.emplace_back();
  target.summary.info = {1, turns, turns + "path", turns, {}};
  target.summary.info.engine.policy = turns;
  target.summary.events[turns] = 1;
  target.summary.incarnations = {{turns, 1, turns, turns, turns, turns, turns}};
  target.gaps = {{1, 1, 1, Nanoseconds(1), turns}};
  for (const std::string& line : content_lines(content)) CHECK(line == printable(line));
}

TEST_CASE("a trace without any database is no error", "[tools]") {
  const TempDirectory directory;
  REQUIRE(trace::Recorder::create(directory.file("run"), {"0.1.0", "h", {}, 0.5}, {}));
  const auto content = read_content(directory.file("run"));
  REQUIRE(content);
  CHECK(content_lines(*content).back() == "  no database was seen");
}
