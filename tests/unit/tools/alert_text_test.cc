#include "tools/alert_text.h"

#include "support.h"
#include "trace/journal_json.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

constexpr Nanoseconds kWall = std::chrono::milliseconds(1769860800250);

std::string shown(const std::string& line) {
  AlertPrinter printer(false, {});
  const auto text = printer.print(line);
  REQUIRE(text);
  CHECK(printer.malformed() == 0);
  return *text;
}

std::string decision_line() {
  Decision decision;
  decision.id = "12-1";
  decision.proposal.knob = "max_background_jobs";
  decision.proposal.from = 2;
  decision.proposal.to = 8;
  decision.proposal.rule = "jobs.backlog";
  decision.proposal.reason = "compaction is behind";
  decision.verdict = {VerdictKind::kClamped, 4, "step", "at most twice"};
  return trace::decision_line(kWall, "orders", decision, "act");
}

}  // namespace

TEST_CASE("every kind of alert-log line can be read", "[tools]") {
  CHECK(shown(decision_line()) ==
        "2026-01-31 12:00:00.250Z  orders  DECISION  12-1 max_background_jobs 2 -> 8 clamped to 4 "
        "by step (at most twice) [jobs.backlog] compaction is behind");

  AlertChange alert;
  alert.id = "x";
  alert.indicator.kind = IndicatorKind::kCompactionBacklog;
  alert.indicator.cause = "l0";
  alert.indicator.state = AlertState::kWarning;
  alert.indicator.probability = 0.8;
  alert.indicator.near_probability = 0.64;
  alert.indicator.horizon_seconds = 60;
  alert.indicator.eta_seconds = 12;
  alert.message = "L0 fills";
  CHECK(shown(trace::alert_line(kWall, "orders", alert)) ==
        "2026-01-31 12:00:00.250Z  orders  ALERT     compaction_backlog ok -> warning (l0) 64 % "
        "within 30.0 s, in 12.0 s: L0 fills");
  alert.indicator.state = AlertState::kOk;
  alert.event_came = true;
  alert.lead_seconds = 4;
  CHECK(contains(shown(trace::alert_line(kWall, "orders", alert)),
                 "it came, 4.0 s after the warning"));
  // What is over is not said to come in 12 s.
  CHECK_FALSE(contains(shown(trace::alert_line(kWall, "orders", alert)), "12.0 s"));
  alert.lead_seconds = 0;
  CHECK(contains(shown(trace::alert_line(kWall, "orders", alert)), "; it came with the alert: L0"));
  alert.from = AlertState::kWarning;
  alert.indicator = {};
  alert.indicator.kind = IndicatorKind::kCompactionBacklog;
  alert.indicator.cause = "l0";
  alert.event_came = std::nullopt;
  alert.lead_seconds = std::nullopt;
  alert.message = "ended after 3 s without a verdict: the database is closed";
  CHECK(
      shown(trace::alert_line(kWall, "orders", alert)) ==
      "2026-01-31 12:00:00.250Z  orders  ALERT     compaction_backlog warning -> ended (l0): ended "
      "after 3 s without a verdict: the database is closed");
  alert.event_came = true;
  alert.lead_seconds = 2;
  alert.message = "ended after 3 s: the write stall came 2 s after the warning; agent lost";
  CHECK(contains(shown(trace::alert_line(kWall, "orders", alert)),
                 "warning -> ended (l0): ended after 3 s: the write stall came 2 s after"));

  CHECK(contains(shown(trace::outcome_line(kWall, "orders", {"12-1", "better", 0.25, "fell"})),
                 "OUTCOME   of 12-1: better: fell"));
  CHECK(contains(shown(trace::actuation_line(kWall, "orders", {"12-1", "applied", "", 2, 4})),
                 "ACTUATION  of 12-1: applied 2 -> 4"));
  CHECK(contains(shown(trace::event_line(kWall, "orders", "manual", "k", "set by \x1b[31mhand")),
                 "MANUAL    set by ?[31mhand"));
}

TEST_CASE("an alert has the probability that it warns of, with its horizon", "[tools]") {
  AlertChange alert;
  alert.indicator.state = AlertState::kCritical;
  alert.from = AlertState::kWarning;
  alert.indicator.probability = 0.067;
  alert.indicator.near_probability = 0.98;
  alert.indicator.horizon_seconds = 60;
  const std::string line = trace::alert_line(kWall, "orders", alert);
  CHECK(contains(shown(line), "p99 warning -> critical 98 % within 30.0 s"));
  Json old = Json::parse(line);
  old.erase("near_probability");
  CHECK(contains(alert_text(old), "p99 warning -> critical 6.7 % within 60.0 s"));
}

TEST_CASE("an alert that is over says once what came of it", "[tools]") {
  AlertChange alert;
  alert.indicator.kind = IndicatorKind::kCompactionBacklog;
  alert.indicator.cause = "l0";
  alert.indicator.valid = true;
  alert.indicator.near_probability = 0.047;
  alert.indicator.horizon_seconds = 60;
  alert.indicator.seconds_since_event = 10.5;
  alert.from = AlertState::kCritical;
  alert.event_came = true;
  alert.lead_seconds = 0;
  alert.message = "over after 11 s: the write stall came without an earlier warning; now L0 has 3";
  // So soon after it no other one is unlikely, either: it would be the same one.
  CHECK(contains(shown(trace::alert_line(kWall, "orders", alert)),
                 "compaction_backlog critical -> ok (l0): over after 11 s: the write stall came "
                 "without an earlier warning; now L0 has 3"));
  alert.indicator.seconds_since_event = 30;
  CHECK(contains(shown(trace::alert_line(kWall, "orders", alert)),
                 "critical -> ok (l0) 4.7 % within 30.0 s: over after 11 s"));
  alert.indicator.state = AlertState::kCritical;
  alert.indicator.event = true;
  alert.indicator.eta_seconds = 0;
  alert.from = AlertState::kOk;
  alert.event_came.reset();
  alert.message = "writes are stopped";
  CHECK(contains(shown(trace::alert_line(kWall, "orders", alert)),
                 "ok -> critical (l0), now: writes are stopped"));
}

TEST_CASE("what was done and what came name the knob, in its unit", "[tools]") {
  AlertPrinter printer(false, {"actuation", "outcome"});
  Decision decision;
  decision.id = "21-1";
  decision.proposal.knob = "write_buffer_size";
  decision.proposal.column_family = "hot";
  CHECK_FALSE(printer.print(trace::decision_line(kWall, "orders", decision, "act")));
  const Actuation applied{"21-1", "applied", "", 4 << 20, 8 << 20};
  CHECK(contains(*printer.print(trace::actuation_line(kWall, "orders", applied)),
                 "ACTUATION  of 21-1 write_buffer_size of hot: applied 4 MiB -> 8 MiB"));
  CHECK(contains(*printer.print(trace::actuation_line(kWall, "users", applied)),
                 "of 21-1: applied 4194304 -> 8388608"));  // another database's
  const Actuation refused{"21-1", "refused", "too large", 4 << 20, 4 << 20};
  CHECK(contains(*printer.print(trace::actuation_line(kWall, "orders", refused)),
                 "of 21-1 write_buffer_size of hot: refused, stays at 4 MiB: too large"));
  const Outcome outcome{"21-1", "worse", 6314.043,
                        "read_p99_us went from 6115.463 to 16314.043 (tolerance 611.546); more"};
  CHECK(contains(*printer.print(trace::outcome_line(kWall, "orders", outcome)),
                 "OUTCOME   of 21-1 write_buffer_size of hot: worse: read_p99_us went from 6.1 ms "
                 "to 16.3 ms (tolerance 612 us); more"));
  const Outcome odd{"21-1", "unknown", std::nullopt, "huge went from huge to (tolerance)"};
  CHECK(contains(*printer.print(trace::outcome_line(kWall, "orders", odd)),
                 "unknown: huge went from huge to (tolerance)"));
}

TEST_CASE("malformed lines are counted and left out", "[tools]") {
  AlertPrinter printer(false, {});
  for (const char* line : {"", "  ", "\r"}) CHECK_FALSE(printer.print(line));
  CHECK(printer.malformed() == 0);
  for (const char* line : {"{", "[]", "7", "{}", "{\"time\":1,\"target\":\"a\",\"kind\":\"alert\"}",
                           "\xff\xfe", "{\"time\":\"t\",\"target\":\"a\"}"}) {
    CHECK_FALSE(printer.print(line));
  }
  CHECK(printer.malformed() == 7);
  CHECK(printer.first_problem() == "line 4: no JSON object");
  // What has the head but nothing of its kind is still shown.
  CHECK(printer.print(R"({"time":"t","target":"a","kind":"decision","knob":7,"verdict":[]})"));
  CHECK(printer.print(R"({"time":"t","target":"a","kind":"something new"})"));
  CHECK(printer.malformed() == 7);
}

TEST_CASE("kinds are selected, JSON stays as it is", "[tools]") {
  AlertPrinter printer(true, {"decision"});
  CHECK(printer.print(decision_line()) == decision_line());
  CHECK_FALSE(printer.print(trace::event_line(kWall, "orders", "daemon", "1", "started")));
}
