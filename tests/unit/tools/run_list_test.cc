#include "tools/run_list.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "replay/run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "tests/unit/model/sample_builder.h"
#include "tests/unit/tools/stall_trace.h"
#include "tests/unit/tools/support.h"
#include "tools/advise_runs.h"
#include "tools/replay_watch.h"
#include "tools/report/trace_page.h"
#include "trace/recorder.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;
using tests::TempDirectory;

namespace {

trace::Recorder recorder_of(const std::string& path) {
  auto recorder = trace::Recorder::create(path, {"0.1.0", "host", Nanoseconds(1), 1}, {});
  REQUIRE(recorder);
  return *std::move(recorder);
}

std::int64_t add_orders(trace::Recorder& recorder, double slo_seconds) {
  trace::TargetInfo info{0, "orders", "/data/orders", "advise", {}};
  info.engine.objective.read_p99_seconds = slo_seconds;
  return *recorder.add_target(info);
}

void add_samples(trace::Recorder& recorder, std::int64_t target, int from, int to) {
  for (int second = from; second < to; ++second) {
    REQUIRE(recorder.begin_tick());
    REQUIRE(recorder.add_sample(
        target, rocktune::test::quiet_sample(static_cast<std::uint64_t>(second), second)));
    REQUIRE(recorder.commit());
  }
}

// By this process, from whatever file.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  REQUIRE(io >> name >> bytes);
  REQUIRE(name == "rchar:");
  return bytes;
}

// Of one database, before and after a reload with another objective.
void record_reload(const std::string& path) {
  trace::Recorder recorder = recorder_of(path);
  add_samples(recorder, add_orders(recorder, 0.01), 1, 31);
  add_samples(recorder, add_orders(recorder, 0.02), 31, 51);
}

}  // namespace

TEST_CASE("a trace that no database was read in is named beside others", "[tools]") {
  const TempDirectory directory;
  const std::string good = directory.file("good"), unread = directory.file("unread");
  record_reload(good);
  {
    trace::Recorder recorder = recorder_of(unread);
    add_orders(recorder, 0.01);
  }
  std::ostringstream said;
  std::streambuf* const before = std::cerr.rdbuf(said.rdbuf());
  const auto both = list_recorded_runs({good, unread});
  const auto alone = list_recorded_runs({unread});
  std::cerr.rdbuf(before);
  REQUIRE(both);
  CHECK(both->size() == 2);
  REQUIRE(alone);
  CHECK(alone->empty());  // whoever asked says so
  CHECK(said.str() == "rocktune: left out: no database was read in trace " + unread + "\n");
}

TEST_CASE("databases of one name are two runs, each with a name of its own", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.file("reload");
  record_reload(path);
  const auto runs = list_recorded_runs({path});
  REQUIRE(runs);
  REQUIRE(runs->size() == 2);
  CHECK((*runs)[0].name == "reload/orders");
  CHECK((*runs)[1].name == "reload/orders#2");
  CHECK((*runs)[1].target_name == "orders#2");
  CHECK((*runs)[0].samples == 30);
  CHECK((*runs)[1].samples == 20);
  CHECK((*runs)[1].engine.objective.read_p99_seconds == 0.02);
}

TEST_CASE("a replay tells databases of one name apart as well", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.file("reload");
  record_reload(path);
  const auto replayed = [&](const std::optional<std::string>& target) {
    auto results = replay::run({path, std::nullopt, target}, [](const std::string&) {});
    REQUIRE(results);
    return *std::move(results);
  };
  const auto both = replayed(std::nullopt);
  REQUIRE(both.size() == 2);
  CHECK(both[0].target == "orders");
  CHECK(both[1].target == "orders#2");
  CHECK(replayed("orders").size() == 2);
  const auto second = replayed("orders#2");
  REQUIRE(second.size() == 1);
  CHECK(second[0].samples == 20);
}

TEST_CASE("so do the forecasts that a replay prints, and a report", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.file("reload");
  record_reload(path);
  std::vector<std::string> lines;
  IndicatorPrinter printer(1e6, false, [&](const std::string& line) { lines.push_back(line); });
  REQUIRE(replay::run(
      {path, std::nullopt, std::nullopt}, [](const std::string&) {},
      [&](const replay::ReplayedSample& one) { printer.add(one); }));
  REQUIRE(lines.size() == 2);
  CHECK(contains(lines[0], "  orders  "));
  CHECK(contains(lines[1], "  orders#2  "));
  const auto both = trace_page({path, std::nullopt, {}});
  REQUIRE(both);
  CHECK(contains(html(*both), "Over time of orders#2"));
  const auto second = trace_page({path, "orders#2", {}});
  REQUIRE(second);
  CHECK(contains(html(*second), "orders#2 (/data/orders)"));
  CHECK(contains(html(*second), "read in 20 of 20 polls"));
  const auto none = trace_page({path, "orders#3", {}});
  REQUIRE_FALSE(none);
  CHECK(contains(none.error().message, "it has: orders, orders#2"));
}

TEST_CASE("of a trace that grows what was listed is read", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.file("growing");
  trace::Recorder recorder = recorder_of(path);
  const std::int64_t target = add_orders(recorder, 0.01);
  add_samples(recorder, target, 1, 31);
  const auto runs = list_recorded_runs({path});
  REQUIRE(runs);
  add_samples(recorder, target, 31, 51);
  std::size_t read = 0;
  REQUIRE(for_each_sample(runs->front(), [&](const Sample&) { ++read; }));
  CHECK(read == 30);
  const std::map<std::int64_t, std::uint64_t> extent = {{target, 30}};
  const auto results =
      replay::run({path, std::nullopt, std::nullopt, extent}, [](const std::string&) {});
  REQUIRE(results);
  CHECK(results->front().samples == 30);
}

TEST_CASE("advise reads as much of each database, however many a trace has", "[tools][advise]") {
  const TempDirectory directory;
  const auto of_each = [&](int databases) {
    const std::string path = directory.file("of" + std::to_string(databases));
    {
      trace::Recorder recorder = recorder_of(path);
      for (int i = 0; i < databases; ++i) {
        const std::string name = "/data/" + std::to_string(i);
        const auto target = recorder.add_target({0, name, name, "advise", {}});
        REQUIRE(target);
        add_samples(recorder, *target, 1, 101);
      }
    }
    const std::uint64_t before = bytes_read();
    const auto advised = advise_on({{path}, std::nullopt, ""});
    REQUIRE(advised);
    CHECK(advised->size() == static_cast<std::size_t>(databases));
    CHECK(advised->back().path == "/data/" + std::to_string(databases - 1));
    return (bytes_read() - before) / static_cast<std::uint64_t>(databases);
  };
  CHECK(of_each(40) < 2 * of_each(5));
}

TEST_CASE("a copy of a trace is no second run", "[tools]") {
  const TempDirectory directory;
  const std::string path = rocktune::tools::test::record_stall(directory, "stall", 1, 20);
  const std::string copy = directory.file("copy");
  std::filesystem::copy_file(path, copy);
  const auto runs = list_recorded_runs({path, copy});
  REQUIRE_FALSE(runs);
  CHECK(runs.error().code == ErrorCode::kInvalidArgument);
  CHECK(runs.error().message.find("is the same run as " + path) != std::string::npos);
  const std::string later = rocktune::tools::test::record_stall(directory, "later", 2, 20);
  CHECK(list_recorded_runs({path, later}));
}
