#include "trace/journal_json.h"

#include <limits>

#include "support.h"

using namespace rocktune;
using namespace rocktune::trace;

namespace {

Indicator indicator() {
  Indicator value;
  value.kind = IndicatorKind::kCompactionBacklog;
  value.cause = "l0";
  value.state = AlertState::kWarning;
  value.probability = 0.1;
  value.horizon_seconds = 30;
  value.eta_seconds = 12.5;
  value.valid = true;
  value.drivers = {{"l0_ratio", 0.7, 1.0}, {"flush_bytes_per_second", 1e7, std::nullopt, 0.25}};
  value.near_probability = 0.25;
  value.warn_probability = 0.4;
  value.probabilities = {0.0625, 0.125, 0.5};
  value.foreseen = {{"l0_files", 12, 18.5}};
  value.answered = true;
  value.seconds_since_event = 2.5;
  return value;
}

}  // namespace

TEST_CASE("times are read back only as RFC 3339 in UTC with milliseconds", "[trace]") {
  CHECK(parse_rfc3339("2026-01-31T12:00:00.250Z") ==
        Nanoseconds(std::chrono::milliseconds(1769860800250)));
  for (const char* wrong :
       {"", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00.250Z", "2026-02-30T12:00:00.250Z",
        "2026-01-31T24:00:00.250Z", "2026-01-31T-1:00:00.250Z", "2026-01-31T12:60:00.250Z",
        "2026-01-31T12:00:61.250Z", "2026-01-31T12:00:00.250+", "1969-01-31T12:00:00.250Z"}) {
    INFO(wrong);
    CHECK_FALSE(parse_rfc3339(wrong));
  }
}

TEST_CASE("an alert is one line with its keys in order", "[trace]") {
  AlertChange alert;
  alert.id = "backlog-7";
  alert.indicator = indicator();
  alert.raised_at.wall = std::chrono::seconds(1);
  alert.message = "L0 fills";
  CHECK(
      alert_line(std::chrono::seconds(2), "db", alert) ==
      R"({"time":"1970-01-01T00:00:02.000Z","target":"db","kind":"alert","id":"backlog-7",)"
      R"("indicator":"compaction_backlog","cause":"l0","state":"warning","from":"ok",)"
      R"("raised_at":"1970-01-01T00:00:01.000Z","probability":0.1,"horizon_seconds":30.0,)"
      R"("eta_seconds":12.5,"valid":true,"event":false,"calibrated":false,"evidence":[)"
      R"({"feature":"l0_ratio","value":0.7,"limit":1.0},)"
      R"({"feature":"flush_bytes_per_second","value":10000000.0,"weight":0.25}],)"
      R"("near_probability":0.25,"warn_probability":0.4,"probabilities":{"10":0.0625,"30":0.125,"60":0.5},)"
      R"("foreseen":[{"feature":"l0_files","median":12.0,"p90":18.5}],"answered":true,)"
      R"("seconds_since_event":2.5,"message":"L0 fills"})");

  alert.from = AlertState::kWarning;
  alert.indicator.state = AlertState::kOk;
  alert.indicator.eta_seconds.reset();
  alert.event_came = true;
  alert.lead_seconds = 4;
  const std::string cleared = alert_line(std::chrono::seconds(2), "db", alert);
  CHECK(cleared.find(R"("eta_seconds":null)") != std::string::npos);
  CHECK(cleared.find(R"("event_came":true,"lead_seconds":4.0})") != std::string::npos);
}

TEST_CASE("a decision, what was done and what came of it share an id", "[trace]") {
  Decision decision;
  decision.id = "12-1";
  decision.proposal = {"max_background_jobs",
                       "",
                       2,
                       8,
                       "jobs.backlog",
                       "compaction is behind",
                       {"pending_ratio", true, 0.5, 60},
                       {}};
  decision.verdict = {VerdictKind::kClamped, 4, "step", "at most twice"};
  CHECK(decision_line(Nanoseconds(0), "db", decision, "advise") ==
        R"({"time":"1970-01-01T00:00:00.000Z","target":"db","kind":"decision","id":"12-1",)"
        R"("mode":"advise","knob":"max_background_jobs","column_family":"","from":2,"to":8,)"
        R"("rule":"jobs.backlog","reason":"compaction is behind","expected":{"feature":)"
        R"("pending_ratio","direction":"lower","baseline":0.5,"window_seconds":60.0},"verdict":)"
        R"({"kind":"clamped","value":4,"rule":"step","reason":"at most twice"},"evidence":[]})");
  CHECK(outcome_line(Nanoseconds(0), "db", {"12-1", "better", 0.25, ""}) ==
        R"({"time":"1970-01-01T00:00:00.000Z","target":"db","kind":"outcome","id":"12-1",)"
        R"("result":"better","measured":0.25,"reason":""})");
  CHECK(actuation_line(Nanoseconds(0), "db", {"12-1", "applied", "", 2, 4}) ==
        R"({"time":"1970-01-01T00:00:00.000Z","target":"db","kind":"actuation","id":"12-1",)"
        R"("status":"applied","reason":"","before":2,"after":4})");
}

TEST_CASE("bytes that are no UTF-8 are replaced, not thrown", "[trace]") {
  CHECK(event_line(Nanoseconds(0), "a\xff", "daemon", "1", "line\nbreak") ==
        "{\"time\":\"1970-01-01T00:00:00.000Z\",\"target\":\"a\xef\xbf\xbd\",\"kind\":\"daemon\","
        "\"id\":\"1\",\"message\":\"line\\nbreak\"}");
}

TEST_CASE("indicators, evidence and engine configurations come back as they were", "[trace]") {
  Indicator value = indicator();
  CHECK(test::checked(decode_indicator(encode_indicator(value))) == value);
  value.valid = false;
  value.why_invalid = "too few samples";
  value.eta_seconds.reset();
  value.probability = 1.0 / 3;
  CHECK(test::checked(decode_indicator(encode_indicator(value))) == value);
  CHECK(test::checked(decode_drivers(encode_drivers(value.drivers))) == value.drivers);

  EngineConfig config;
  CHECK(test::checked(decode_engine_config(encode_engine_config(config))) == config);
  config.policy = "static";
  config.policy_params = {{"a", 0.1}, {"b", 1e300}};
  config.objective.read_p99_seconds = 0.0123;
  config.budget = {4_GiB, 12, 0.5, 7.5, {5e6}, 9, std::nullopt, {{"a", 2.5}, {"b", std::nullopt}}};
  config.pins = {{"a", 1}, {"b", std::int64_t{1} << 40}};
  CHECK(test::checked(decode_engine_config(encode_engine_config(config))) == config);
  config.objective.device_capacities = {DirectionCapacity{3.5e9, 1.0 / 3}, std::nullopt, 0.0, 1e-4};
  CHECK(test::checked(decode_engine_config(encode_engine_config(config))) == config);
  // Traces of before say nothing of a device's capacities.
  std::string older = encode_engine_config(EngineConfig{});
  const std::string key = "\"device_capacities\"";
  REQUIRE(older.find(key) != std::string::npos);
  older.replace(older.find(key), key.size(), "\"not_known_then\"");
  CHECK(test::checked(decode_engine_config(older)) == EngineConfig{});
  // Nor did they limit the drift.
  older.replace(older.find("\"drift_max\""), 11, "\"unknown\"");
  CHECK_FALSE(test::checked(decode_engine_config(older)).budget.drift_max);
}

TEST_CASE("what the guard found about a knob is a line", "[trace]") {
  const GuardNote note{"max_background_jobs", "", "it is moved to and fro"};
  CHECK(guard_line(Nanoseconds(0), "orders", note) ==
        R"({"time":"1970-01-01T00:00:00.000Z","target":"orders","kind":"guard",)"
        R"("id":"max_background_jobs","column_family":"","message":"it is moved to and fro"})");
}

TEST_CASE("what an engine began with comes back exactly", "[trace]") {
  Learnt learnt;
  float next = 1e-30F;
  for (LearntIndicator& one : learnt.indicators) {
    one.threshold_log_odds = 0.1;
    one.seconds = std::numeric_limits<std::uint64_t>::max();
    one.moments.back() = {3600, -1.0 / 3, 1e-300};
    for (auto* head : {&one.events[0], &one.values[1][2][1]}) {
      for (float& weight : head->weights) weight = (next *= -1.3F);
      head->squares.fill(0.1F);
      head->bias = -8;
      head->bias_squares = std::numeric_limits<float>::denorm_min();
    }
  }
  EngineConfig config;
  config.prior = std::make_shared<const Learnt>(learnt);
  const std::string text = encode_engine_config(config);
  CHECK(text.size() < 60'000);
  const EngineConfig read = test::checked(decode_engine_config(text));
  REQUIRE(read.prior);
  CHECK(*read.prior == learnt);
  CHECK(read == config);

  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return decode_engine_config(changed);
  };
  // Of other inputs: it means nothing here, and the rest of the trace does.
  const auto other = with("\"version\":1", "\"version\":0");
  REQUIRE(other);
  CHECK_FALSE(other->prior);
  CHECK_FALSE(with("\"moments\":[", "\"moments\":[0,"));
  CHECK_FALSE(with("\"heads\":[", "\"heads\":[1e400,"));
  CHECK_FALSE(with("\"heads\":[", "\"heads\":[0.0,"));
  CHECK_FALSE(with("\"moments\":[0.0,", "\"moments\":["));
  CHECK_FALSE(with("\"seconds\"", "\"second\""));
  CHECK_FALSE(with("\"moments\":[0.0", "\"moments\":[-1.0"));
}

TEST_CASE("JSON that is not what it should be is an error", "[trace]") {
  for (const char* text : {"", "null", "[]", "{}", "{\"policy\":1}", "7", "{\"policy\":"}) {
    CHECK_FALSE(decode_engine_config(text));
    CHECK_FALSE(decode_indicator(text));
  }
  CHECK_FALSE(decode_drivers("{\"a\":1}"));
  CHECK_FALSE(decode_drivers("[{\"feature\":\"x\"}]"));
  std::string unknown = encode_indicator(indicator());
  unknown.replace(unknown.find("warning"), 7, "purple!");
  CHECK_FALSE(decode_indicator(unknown));
}
