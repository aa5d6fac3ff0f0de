#include "daemon/status.h"
#include "model/text.h"
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using World = rocktune::daemon::test::TargetWorld;
using namespace std::chrono_literals;

TEST_CASE("due samples are counted and recorded, read or not", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  CHECK(target->status().state == "waiting");
  CHECK(target->status().waiting_since_wall == Nanoseconds{0});  // nobody has had it open
  world.poll(*target, 1);  // nobody has it open: nothing is due
  CHECK(target->status().due == 0);

  target->opened(world.opening());
  world.poll(*target, 1);
  world.now.tick += 500ms;
  world.now.wall += 500ms;
  target->poll(world.now, fail(ErrorCode::kUnavailable, "no answer in time"));
  CHECK(target->status().state == "failing");
  target->missed(world.now, "held up");
  world.poll(*target, 2);
  const TargetStatus status = target->status();
  CHECK(status.state == "live");
  CHECK(status.due == 4);
  CHECK(status.recorded == 2);
  CHECK(status.incarnation == "abc/1");

  const auto steps = world.recorded();
  REQUIRE(steps.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(steps[i].sample.sequence == i + 1);
  CHECK(steps[0].sample.database.has_value());
  CHECK_FALSE(steps[1].sample.database.has_value());
  CHECK(steps[1].sample.health[0] == SourceHealth{"agent", "no answer in time"});
  CHECK(world.counters.samples_due == 4);
  CHECK(world.counters.samples_recorded == 2);
  CHECK(world.counters.source_errors.at("agent") == 2);
}

TEST_CASE("a database that is closed has no trouble any more", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  target->poll(world.now, fail(ErrorCode::kUnavailable, "no answer in time"));
  CHECK(target->status().health.at(0) == SourceHealth{"agent", "no answer in time"});
  target->closed("the database is closed");
  CHECK(target->status().health.empty());
}

TEST_CASE("samples that are skipped were due, and are a gap in the sequence", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->skip(5);  // nobody has it open
  target->opened(world.opening());
  world.poll(*target, 1);
  target->skip(1000);
  world.poll(*target, 2);
  const auto steps = world.recorded();
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].sample.sequence == 1);
  CHECK(steps[1].sample.sequence == 1002);
  CHECK(target->status().due == 1002);
  CHECK(world.counters.samples_due == 1002);
}

TEST_CASE("the same path opened again is the same target, another incarnation",
          "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening("1"));
  world.poll(*target, 5);
  target->closed("agent lost: gone");
  CHECK(target->status().state == "waiting");
  CHECK(target->status().waiting_since_wall == world.now.wall);
  const auto json = [&target] {
    Status all;
    all.targets = {target->status()};
    return status_json(all);
  };
  const std::string since = "\"waiting_since\":\"" + text::rfc3339(world.now.wall) + "\"";
  CHECK(json().find(since) != std::string::npos);
  CHECK(target->status().knobs.empty());
  CHECK(target->knobs().empty());  // nor are they kept for nobody
  target->opened(world.opening("2"));
  CHECK(json().find("\"waiting_since\":null") != std::string::npos);
  CHECK(target->knobs().empty());  // those before are nothing to roll back to
  CHECK_FALSE(target->share_member());
  world.poll(*target, 1);
  CHECK_FALSE(target->knobs().empty());
  const auto steps = world.recorded();
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].sample.incarnation == "abc/1");
  CHECK(steps[1].sample.incarnation == "abc/2");
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  const auto targets = reader->targets();
  REQUIRE(targets);
  REQUIRE(targets->size() == 1);
  CHECK(targets->front().incarnations.size() == 2);
  bool said = false;
  for (const auto& line : world.alert_lines("source")) {
    said = said || line.find("agent lost: gone") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("act hands out what the guard allows; the report comes before the next step",
          "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  CHECK(target->acts());
  std::vector<Decision> decisions;
  std::uint64_t n = 1;
  for (; n < 200 && decisions.empty(); ++n) decisions = world.poll(*target, n);
  REQUIRE_FALSE(decisions.empty());
  const Decision& decision = decisions.front();
  CHECK(decision.proposal.knob == "rate_limiter_bytes_per_second");
  CHECK(decision.verdict.value > decision.proposal.from);
  target->report({decision.id, "applied", "", decision.proposal.from, decision.verdict.value});
  world.poll(*target, n);
  const auto steps = world.recorded();
  REQUIRE(steps.size() >= 2);
  const auto& last = steps.back();
  REQUIRE(last.reports_before.size() == 1);
  CHECK(last.reports_before[0].decision_id == decision.id);
  CHECK(steps[steps.size() - 2].decisions.front().id == decision.id);
  CHECK(world.alert_lines("actuation").size() == 1);
  CHECK(world.alert_lines("decision").size() >= 1);

  // What is reported after the last step is recorded at the end.
  target->report({"x", "failed", "why", 1, 1});
  target->finish();
  CHECK(world.counters.actuations.at("failed") == 1);
}

TEST_CASE("advise decides and says so, and hands out nothing", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  for (std::uint64_t n = 1; n < 200; ++n) CHECK(world.poll(*target, n).empty());
  CHECK(world.alert_lines("decision").size() >= 1);
  std::size_t advised = 0;
  for (const auto& step : world.recorded()) {
    for (const Actuation& report : step.reports_before) advised += report.status == "advised";
  }
  CHECK(advised >= 1);
}

TEST_CASE("observe warns, and decides nothing in the alert log", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  for (std::uint64_t n = 1; n < 200; ++n) CHECK(world.poll(*target, n).empty());
  CHECK(world.alert_lines("decision").empty());
  CHECK(world.alert_lines("alert").size() >= 1);
  const TargetStatus status = target->status();
  REQUIRE(status.indicators.size() == 3);
  for (const Indicator& indicator : status.indicators) {
    INFO(to_string(indicator.kind));
    CHECK(indicator.drivers.empty() != indicator.valid);
  }
}

TEST_CASE("hands off what is frozen, manual or not tunable", "[daemon][target]") {
  World world;
  SECTION("frozen") {
    const auto target = world.target(Mode::kAct, {"rate_limiter_bytes_per_second"});
    target->opened(world.opening());
    for (std::uint64_t n = 1; n < 200; ++n) CHECK(world.poll(*target, n).empty());
    const auto steps = world.recorded();
    CHECK_FALSE(steps.back().sample.knobs[0].changeable);  // a replay sees it too
  }
  SECTION("a database that cannot be tuned") {
    const auto target = world.target(Mode::kAct);
    Opening opening = world.opening();
    opening.database.tunable = false;
    opening.database.reason = "opened read-only";
    target->opened(opening);
    CHECK_FALSE(target->acts());
    for (std::uint64_t n = 1; n < 200; ++n) CHECK(world.poll(*target, n).empty());
    const auto refused = world.alert_lines("actuation");
    REQUIRE_FALSE(refused.empty());
    CHECK(refused[0].find("\"status\":\"refused\"") != std::string::npos);
    CHECK(refused[0].find("the database cannot be tuned: opened read-only") != std::string::npos);
    CHECK(target->status().why_untunable == "the database cannot be tuned: opened read-only");
    Opening read_only = world.opening();
    read_only.agent.mode = "ro";
    target->opened(read_only);
    CHECK(target->status().why_untunable == "the agent is read-only and refuses every change");
    target->opened(world.opening());
    CHECK(target->status().why_untunable.empty());
  }
  SECTION("what is advised has no line of what was done") {
    const auto target = world.target(Mode::kAdvise);
    target->opened(world.opening());
    for (std::uint64_t n = 1; n < 200; ++n) CHECK(world.poll(*target, n).empty());
    CHECK_FALSE(world.alert_lines("decision").empty());
    CHECK(world.alert_lines("actuation").empty());
  }
  SECTION("manual is noted once, with what to do") {
    const auto target = world.target(Mode::kAct);
    target->opened(world.opening());
    for (std::uint64_t n = 1; n < 100; ++n) {
      world.now.tick += 500ms;
      world.now.wall += 500ms;
      wire::Sample sample = world.squeezed(n);
      sample.knobs[0].owner = "manual";
      CHECK(target->poll(world.now, sample).empty());
    }
    const auto lines = world.alert_lines("manual");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("rocktune release rate_limiter_bytes_per_second") != std::string::npos);
  }
}

TEST_CASE("a rule for many databases names each of them differently", "[daemon][target]") {
  World world;
  const auto name_of = [&](const std::string& pattern, const std::string& path) {
    TargetRule rule;
    rule.path = pattern;
    rule.name = "orders";
    const auto made =
        Target::create(1, path, rule, Roots{}, world.journal, world.counters, world.learnt);
    REQUIRE(made);
    return (*made)->name();
  };
  CHECK(name_of("/data/orders", "/data/orders") == "orders");
  CHECK(name_of("/data/orders/*", "/data/orders/1") == "orders:1");
  CHECK(name_of("/data/*/db", "/data/a/db") == "orders:a/db");
  CHECK(name_of("/data/*/db", "/data/b/db") == "orders:b/db");
}

TEST_CASE("another engine config begins a new target in the trace", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  world.poll(*target, 1);
  TargetRule rule;
  rule.mode = Mode::kAdvise;
  REQUIRE(target->reconfigure(2, rule));  // the mode alone is no new target
  world.poll(*target, 2);
  CHECK(target->serial() == 1);
  rule.engine.objective.read_p99_seconds = 0.001;
  REQUIRE(target->reconfigure(3, rule));
  world.poll(*target, 3);
  CHECK(target->serial() == 3);
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  const auto targets = reader->targets();
  REQUIRE(targets);
  REQUIRE(targets->size() == 2);
  CHECK(targets->at(0).samples == 2);
  CHECK(targets->at(1).samples == 1);
  CHECK(targets->at(1).info.engine.objective.read_p99_seconds == 0.001);
  CHECK(target->status().due == 3);
}

TEST_CASE("what was advised for long is done as soon as rocktune may act", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  std::uint64_t n = 0;
  while (n < 600) world.poll(*target, ++n);  // five minutes: the next line would come in as many
  REQUIRE_FALSE(world.alert_lines("decision").empty());
  TargetRule rule;
  rule.path = "/db";
  rule.mode = Mode::kAct;
  REQUIRE(target->reconfigure(2, rule));
  bool acted = false;
  for (int i = 0; i < 20; ++i) acted = acted || !world.poll(*target, ++n).empty();
  CHECK(acted);
}

TEST_CASE("what was being judged when the settings change is not left open", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  std::uint64_t n = 0;
  std::vector<Decision> made;
  while (made.empty() && n < 600) made = world.poll(*target, ++n);
  REQUIRE_FALSE(made.empty());
  target->report({made[0].id, "applied", "", made[0].proposal.from, made[0].verdict.value});
  world.now.tick += 500ms;
  wire::Sample sample = world.squeezed(++n);
  sample.knobs[0].value = made[0].verdict.value;
  sample.knobs[0].owner = "rocktune";
  target->poll(world.now, sample);
  REQUIRE(world.alert_lines("outcome").empty());
  TargetRule rule;
  rule.path = "/db";
  rule.mode = Mode::kAct;
  rule.engine.objective.read_p99_seconds = 0.001;
  REQUIRE(target->reconfigure(2, rule));
  const auto outcomes = world.alert_lines("outcome");
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes[0].find("\"id\":\"" + made[0].id + "\"") != std::string::npos);
  CHECK(outcomes[0].find("the settings changed before the window ended") != std::string::npos);
}

TEST_CASE("events come into the trace with the next sample, and what matters into the alert log",
          "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  CHECK_FALSE(target->events_wanted());
  world.now.tick += 500ms;
  wire::Sample sample = world.squeezed(1);
  sample.next_event = 2;
  target->poll(world.now, sample);
  REQUIRE(target->events_wanted() == 0U);
  wire::Events answer;
  answer.next_event = 2;
  answer.events.push_back(
      {1,
       1,
       1'600'000'000'000'000'000,
       "change",
       "",
       {{"before", 8}, {"after", 2}},
       {{"knob", "max_background_jobs"}, {"why", "lease_expired"}, {"status", "applied"}}});
  target->take_events(answer);
  CHECK_FALSE(target->events_wanted());
  const auto lines = world.alert_lines("event");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("max_background_jobs 8 -> 2") != std::string::npos);
  CHECK(lines[0].find("\"time\":\"2020-09-13T12:26:40.000Z\"") != std::string::npos);
  world.poll(*target, 2);
  const auto steps = world.recorded();
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].events.empty());
  REQUIRE(steps[1].events.size() == 1);
  CHECK(steps[1].events[0].incarnation == "abc/1");
  CHECK(steps[1].events[0].numbers.at("after") == 2);
  CHECK(target->status().events.at("change") == 1);

  // What comes between the last sample and the end of the opening is not lost.
  answer.events[0].sequence = 2;
  answer.next_event = 3;
  target->take_events(answer);
  target->closed("gone");
  auto reader = trace::Reader::open(world.trace.path());
  REQUIRE(reader);
  CHECK(reader->targets()->front().events.at("change") == 2);
}
