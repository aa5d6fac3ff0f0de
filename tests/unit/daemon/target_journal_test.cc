// What a target tells of its changes: in the log, the alert log and the status.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/text.h"
#include "tests/unit/daemon/target_world.h"
#include "trace/sqlite.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;
using Json = nlohmann::json;
using JournalWorld = rocktune::daemon::test::TargetWorld;

TEST_CASE("log and status name the knob of a change, and what became of it", "[daemon][target]") {
  JournalWorld world;
  REQUIRE(world.log.open("info", world.tree.path("log")));
  const auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  std::vector<Decision> decisions;
  for (std::uint64_t n = 1; n < 200 && decisions.empty(); ++n) decisions = world.poll(*target, n);
  REQUIRE_FALSE(decisions.empty());
  const std::string id = decisions.front().id;
  target->report({id, "failed", "no answer in time", 20'000'000, 20'000'000});
  target->report({"x", "applied", "", 1, 2});
  std::ifstream file(world.tree.path("log"));
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  CHECK(log.find("decision " + id +
                 " failed (no answer in time): rate_limiter_bytes_per_second stays at 19 MiB/s") !=
        std::string::npos);
  CHECK(log.find("decision x applied: 1 -> 2") != std::string::npos);
  CHECK(log.find(" warning " + target->name() +
                 ": compaction_backlog ok -> critical, compaction_backlog-231114-2213") !=
        std::string::npos);

  const TargetStatus status = target->status();
  const auto recent = std::find_if(status.recent_decisions.begin(), status.recent_decisions.end(),
                                   [&](const DecisionStatus& one) { return one.id == id; });
  REQUIRE(recent != status.recent_decisions.end());
  CHECK(recent->actuation.find("\"status\":\"failed\"") != std::string::npos);
  Status all;
  all.targets.push_back(status);
  CHECK(status_json(all).find("\"actuation\":{\"time\"") != std::string::npos);
  CHECK(status_json(all).find("\"outcome\":null") != std::string::npos);
}

TEST_CASE("the log says when what it tells late happened", "[daemon][target]") {
  JournalWorld world;
  REQUIRE(world.log.open("info", world.tree.path("log")));
  world.journal.event("db", 0, "event", "stall", "just now", world.now.wall - 1s);
  world.journal.event("db", 0, "event", "stall", "late", world.now.wall - 28s);
  world.journal.event("db", 0, "event", "change", "older", world.now.wall - 48h);
  std::ifstream file(world.tree.path("log"));
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  CHECK(log.find("db: just now\n") != std::string::npos);
  CHECK(log.find("db: late (at 22:12:52.000Z)\n") != std::string::npos);
  CHECK(log.find("db: older (at 2023-11-12T22:13:20.000Z)\n") != std::string::npos);
  CHECK(world.alert_lines("event")[1].find("(at ") == std::string::npos);  // it has its time
}

TEST_CASE("the status has the sentences of its indicators, and knobs as an order left them",
          "[daemon][target]") {
  JournalWorld world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  wire::Sample sample = world.squeezed(1);
  sample.knobs[0].value = 40'000'000;
  sample.knobs[0].owner = "rocktune";
  static_cast<void>(target->poll(world.now, sample));
  wire::Knobs after;
  after.knobs.push_back({world.squeezed(1).knobs[0], {}});
  after.knobs[0].knob.owner = "manual";
  target->show_knobs(after);
  const TargetStatus status = target->status();
  REQUIRE(status.knobs.size() == 1);
  CHECK(status.knobs[0].value == 20'000'000);
  CHECK(status.knobs[0].owner == KnobOwner::kManual);
  Status all;
  all.targets.push_back(status);
  const Json shown = Json::parse(status_json(all))["targets"][0]["indicators"][1];
  CHECK(shown["indicator"] == "compaction_backlog");
  CHECK(shown["sentence"].get<std::string>().find(" of ") != std::string::npos);
  CHECK(shown["seconds_since_event"].is_null());
}

TEST_CASE("an operator's order says which decision it took back", "[daemon][target]") {
  JournalWorld world;
  world.journal.order("db", 0, "rolled it back", "57-1");
  world.journal.order("db", 0, "released it", "");
  const auto lines = world.alert_lines("manual");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find(R"("id":"operator","message":"rolled it back","decision":"57-1"})") !=
        std::string::npos);
  CHECK(lines[1].find("decision") == std::string::npos);
}

TEST_CASE("the first opening of a database is told of its target", "[daemon][target]") {
  JournalWorld world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  auto connection = trace::Connection::open(world.trace.path(), SQLITE_OPEN_READONLY);
  REQUIRE(connection);
  const auto told = connection->number(
      "SELECT count(*) FROM events e JOIN targets t ON t.id = e.target WHERE kind = 'source'");
  REQUIRE(told);
  CHECK(*told == 1);
}

TEST_CASE("who steps back is told that what was changed stays", "[daemon][target]") {
  JournalWorld world;
  auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  const std::string on_expiry = GENERATE("keep", "restore");
  const std::string owner = GENERATE("rocktune", "found");
  wire::Sample sample = world.squeezed(1);
  sample.lease = wire::Lease{"rocktuned", 15, on_expiry, 15};
  sample.knobs[0].owner = owner;
  static_cast<void>(target->poll(world.now, sample));
  TargetRule rule;
  rule.path = "/db";
  rule.mode = GENERATE(Mode::kAct, Mode::kAdvise, Mode::kObserve);
  REQUIRE(target->reconfigure(2, rule));
  bool told = false;
  for (const std::string& line : world.alert_lines("daemon")) {
    told = told || line.find("\"kept\"") != std::string::npos;
  }
  CHECK(told == (on_expiry == "keep" && owner == "rocktune" && rule.mode != Mode::kAct));
}

TEST_CASE("alerts end when their database is closed, once, with a verdict if their event came",
          "[daemon][target]") {
  JournalWorld world;
  REQUIRE(world.log.open("info", world.tree.path("log")));
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening("1"));
  const bool came = GENERATE(false, true);
  std::uint64_t n = 0;
  const auto poll = [&](std::uint64_t number, bool stalls) {
    world.now.tick += 500ms;
    world.now.wall += 500ms;
    wire::Sample sample = world.squeezed(number);
    if (!stalls) sample.tickers["stall.micros"] = 0;
    static_cast<void>(target->poll(world.now, sample));
  };
  while (world.alert_lines("alert").empty() && ++n < 200) poll(n, came);
  const auto raised = Json::parse(world.alert_lines("alert").back());
  world.now.tick += 3s;
  world.now.wall += 3s;
  const std::uint64_t counted = world.counters.alerts;
  const std::string why =
      GENERATE("the database is closed",
               "agent lost: its socket is gone: the host has ended, or the file was removed");
  target->closed(why);

  const auto closed = world.alert_lines("alert");
  const auto last = Json::parse(closed.back());
  CHECK(last["time"] == text::rfc3339(world.now.wall));
  CHECK(last["id"] == raised["id"]);
  CHECK(last["from"] == raised["state"]);
  CHECK(last["state"] == "ok");
  CHECK(last["raised_at"] == raised["raised_at"]);
  CHECK(last["valid"] == false);
  CHECK(last["why_invalid"] == why);
  CHECK(last["event_came"] == (came ? Json(true) : Json()));
  CHECK(last["lead_seconds"] == (came ? Json(0.0) : Json()));
  CHECK(last["message"] ==
        (came ? "ended after 3 s: the write stall came without an earlier warning; " + why
              : "ended after 3 s without a verdict: " + why));
  std::ifstream file(world.tree.path("log"));
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  CHECK(log.find(" -> ended") != std::string::npos);  // nobody knows that all is well
  CHECK(world.counters.alerts == counted);
  CHECK(world.alert_lines("source").back().find(why + "; waiting") != std::string::npos);

  const auto of_it = [&] {
    std::vector<Json> lines;
    for (const std::string& line : world.alert_lines("alert")) {
      if (Json::parse(line)["id"] == raised["id"]) lines.push_back(Json::parse(line));
    }
    return lines;
  };
  const std::size_t told = of_it().size();
  SECTION("the next opening does not tell of them again") {
    target->opened(world.opening("2"));
    world.poll(*target, 1);
    CHECK(of_it().size() == told);
    target->closed(why);
    CHECK(of_it().size() == told);
  }
  SECTION("nor does one whose first sample cannot be read") {
    target->opened(world.opening("2"));
    target->poll(world.now, fail(ErrorCode::kUnavailable, "no answer in time"));
    for (std::uint64_t i = 1; i < 5; ++i) world.poll(*target, i);
    CHECK(of_it().size() == told);
  }
  SECTION("an agent that was lost for a moment lets them go on") {
    target->opened(world.opening("1"));
    poll(n + 8, came);
    REQUIRE(of_it().size() == told + 1);
    CHECK(of_it().back()["from"] == "ok");
    CHECK(of_it().back()["state"] != "ok");
    CHECK(of_it().back()["message"] == "goes on: the database is seen again");
    target->closed("the database is closed");
    REQUIRE(of_it().size() == told + 2);
    CHECK(of_it().back()["lead_seconds"] == last["lead_seconds"]);
  }
  SECTION("a daemon that stops says nothing more") {
    target->finish();
    CHECK(of_it().size() == told);
  }
}

TEST_CASE("alerts end with the settings that they were raised by", "[daemon][target]") {
  JournalWorld world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening("1"));
  for (std::uint64_t n = 1; world.alert_lines("alert").empty() && n < 200; ++n) {
    world.poll(*target, n);
  }
  TargetRule rule;
  rule.path = "/db";
  rule.mode = Mode::kObserve;
  REQUIRE(target->reconfigure(2, rule));  // the same
  CHECK(Json::parse(world.alert_lines("alert").back())["state"] != "ok");
  rule.engine.objective.read_p99_seconds *= 2;
  REQUIRE(target->reconfigure(3, rule));
  CHECK(Json::parse(world.alert_lines("alert").back())["why_invalid"] == "the settings changed");
}

TEST_CASE("lines that were lost are told of, and in the alert log once it is written again",
          "[daemon][target]") {
  JournalWorld world;
  const std::string in_the_way = world.tree.directory("alerts.jsonl");
  world.journal.line("{}");
  world.now.wall += 1min;
  world.journal.line("{}");
  REQUIRE(world.journal.failing());
  CHECK(world.journal.failing()->lines == 2);
  CHECK(world.journal.failing()->since_wall == world.now.wall - 1min);
  CHECK(world.journal.failing()->why.find("cannot open the alert log") != std::string::npos);
  world.journal.retry();  // it is there still
  CHECK(world.journal.failing()->lines == 2);
  CHECK(world.journal.alert_failures() == 2);
  std::filesystem::remove(in_the_way);
  world.journal.retry();
  CHECK_FALSE(world.journal.failing());
  const auto told = world.alert_lines("daemon");
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("\"id\":\"lost\"") != std::string::npos);
  CHECK(told[0].find("2 lines were lost since 2023-11-14T22:13:20.000Z: cannot open") !=
        std::string::npos);
}

TEST_CASE("an alert log that cannot be opened anew loses nothing, and is tried again",
          "[daemon][target]") {
  JournalWorld world;
  const std::string file = world.tree.path("alerts.jsonl"), moved = file + ".1";
  world.journal.open_alerts(file);
  world.journal.line("{}");
  CHECK_FALSE(world.journal.failing());
  std::filesystem::rename(file, moved);
  std::filesystem::create_directory(file);
  world.journal.open_alerts(file);
  world.now.wall += 1min;
  world.journal.retry();  // it is there still
  world.journal.line("{}");
  REQUIRE(world.journal.failing());
  CHECK(world.journal.failing()->lines == 0);
  CHECK(world.journal.failing()->since_wall == world.now.wall - 1min);
  CHECK(world.journal.failing()->why.find("cannot open the alert log") != std::string::npos);
  CHECK(world.journal.alert_failures() == 2);
  CHECK(std::filesystem::file_size(moved) == 6);  // both lines
  std::filesystem::remove(file);
  world.journal.retry();
  CHECK_FALSE(world.journal.failing());
  const auto told = world.alert_lines("daemon");
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("\"id\":\"reopened\"") != std::string::npos);
  CHECK(told[0].find("what came since 2023-11-14T22:13:20.000Z is in the file that was open "
                     "before: cannot open") != std::string::npos);
}
