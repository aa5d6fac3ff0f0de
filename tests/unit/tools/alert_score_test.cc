#include "tools/alert_score.h"

#include "support.h"
#include "tests/support/catch.h"
#include "trace/journal_json.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

// An alert log, written by hand; times in hours.
class Log {
 public:
  AlertScorer scorer;

  void daemon(double hours, const char* id) {
    scorer.add(trace::event_line(wall(hours), "", "daemon", id, "..."));
  }
  void raise(double hours, const std::string& target = "orders") {
    scorer.add(trace::alert_line(wall(hours), target, alert(AlertState::kWarning)));
  }
  void clear(double hours, std::optional<bool> came, std::optional<double> lead = std::nullopt,
             bool valid = true, const std::string& target = "orders") {
    AlertChange change = alert(AlertState::kOk);
    change.event_came = came;
    change.lead_seconds = lead;
    change.indicator.valid = valid;
    scorer.add(trace::alert_line(wall(hours), target, change));
  }
  void next() { ++id_; }
  [[nodiscard]] AlertTotals totals() const {
    const auto all = scorer.totals();
    REQUIRE(all.count("compaction_backlog") == 1);
    return all.at("compaction_backlog");
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : scorer.lines()) all += line + "\n";
    return all;
  }

 private:
  static Nanoseconds wall(double hours) {
    return std::chrono::duration_cast<Nanoseconds>(
        std::chrono::duration<double, std::ratio<3600>>(490'000 + hours));
  }
  AlertChange alert(AlertState state) const {
    AlertChange change;
    change.id = "compaction_backlog-" + std::to_string(id_);
    change.indicator.kind = IndicatorKind::kCompactionBacklog;
    change.indicator.state = state;
    change.indicator.horizon_seconds = 30;
    change.indicator.valid = true;
    return change;
  }
  int id_ = 1;
};

}  // namespace

TEST_CASE("precision, recall, lead and false alarms per day from a log alone", "[tools]") {
  Log log;
  log.daemon(0, "started");
  // Leads of 12 and 2 s are true; 1.5 s is late, 31 s too early, 0 was raised by the event itself.
  for (const double lead : {12.0, 2.0, 1.5, 31.0, 0.0}) {
    log.raise(1);
    log.clear(2, true, lead);
    log.next();
  }
  log.raise(3);
  log.clear(4, false);
  log.next();
  log.raise(5);
  log.clear(6, false, std::nullopt, false);  // the agent was lost
  log.next();
  log.raise(6.5);
  log.clear(6.6, std::nullopt, std::nullopt, false);  // the database was closed
  log.next();
  log.raise(7);  // stands
  log.daemon(48, "stopped");
  const AlertTotals totals = log.totals();
  CHECK(totals.count(AlertFate::kTrue) == 2);
  CHECK(totals.count(AlertFate::kLate) == 1);
  CHECK(totals.count(AlertFate::kEarly) == 1);
  CHECK(totals.count(AlertFate::kNoEvent) == 1);
  CHECK(totals.count(AlertFate::kUnwarned) == 1);
  CHECK(totals.count(AlertFate::kUnknown) == 2);
  CHECK(totals.open == 1);
  CHECK(totals.false_alarms() == 3);
  CHECK(totals.events() == 5);
  CHECK(*totals.precision() == Approx(0.4));
  CHECK(*totals.recall(2) == Approx(0.4));
  CHECK(*totals.recall(10) == Approx(0.2));
  CHECK(log.scorer.days() == Approx(2));
  const Json json = log.scorer.json();
  CHECK(json["indicators"][0]["false_alarms_per_day"].get<double>() == Approx(1.5));
  CHECK(json["indicators"][0]["lead_p50_seconds"].get<double>() == Approx(7));
  CHECK(contains(log.text(), "2.00 days"));
  CHECK(contains(log.text(), "are not known"));
}

TEST_CASE("an alert that goes on after its database was out of sight is one", "[tools]") {
  Log log;
  log.raise(1);
  log.clear(2, true, 12);  // the agent was lost
  log.raise(2.1);          // goes on
  CHECK(log.totals().open == 1);
  CHECK(log.totals().events() == 0);
  log.clear(3, true, 12);
  const AlertTotals totals = log.totals();
  CHECK(totals.open == 0);
  CHECK(totals.count(AlertFate::kTrue) == 1);
  CHECK(totals.events() == 1);
  CHECK(totals.leads == std::vector<double>{12});
}

TEST_CASE("a false alarm of minutes is not hundreds a day", "[tools]") {
  Log log;
  log.daemon(0, "started");
  log.raise(0.01);
  log.clear(0.02, false);
  log.daemon(0.05, "stopped");
  CHECK(contains(log.text(), "the log covers 3 min"));
  CHECK_FALSE(contains(log.text(), "480"));
}

TEST_CASE("time that no daemon watched is not counted", "[tools]") {
  Log log;
  log.daemon(0, "started");
  log.daemon(12, "stopped");
  log.daemon(100, "started");
  log.daemon(112, "stopped");
  CHECK(log.scorer.days() == Approx(1));
}

TEST_CASE("alerts of the same id in two databases are two", "[tools]") {
  Log log;
  log.raise(1, "orders");
  log.raise(1, "users");
  log.clear(2, false, std::nullopt, true, "orders");
  CHECK(log.totals().open == 1);
  CHECK(contains(log.text(), "of 2 databases"));
}

TEST_CASE("a log without alerts, and one that begins with a clearing line", "[tools]") {
  Log log;
  log.daemon(0, "started");
  CHECK(contains(log.text(), "no alert in it"));
  CHECK(log.scorer.json()["indicators"].empty());
  log.clear(1, true, 5.0);
  CHECK(log.totals().count(AlertFate::kTrue) == 1);
  CHECK(log.totals().open == 0);
}

TEST_CASE("lines that are no alert-log lines are counted and harmless", "[tools]") {
  AlertScorer scorer;
  for (const char* line : {"", "x", "[]", "{}", R"({"kind":"alert","time":"soon"})",
                           R"({"kind":"alert","time":"2026-13-31T12:00:00.250Z"})",
                           R"({"kind":"alert","time":"9999-01-31T12:00:00.250Z"})"}) {
    scorer.add(line);
  }
  CHECK(scorer.malformed() == 6);
  CHECK(scorer.totals().empty());
  // Keys of another kind than they should be: unknown, no exception.
  scorer.add(
      R"({"kind":"alert","time":"2026-01-31T12:00:00.250Z","id":"a","state":"ok","event_came":"y"})");
  scorer.add(
      R"({"kind":"alert","time":"2026-01-31T12:00:00.250Z","id":"b","state":"ok","event_came":true})");
  CHECK(scorer.totals().begin()->second.count(AlertFate::kUnknown) == 2);
}
