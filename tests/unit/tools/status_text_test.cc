#include "tools/status_text.h"

#include "support.h"
#include "tools/terminal.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

Json status() {
  return Json::parse(R"({
    "daemon":{"version":"0.1.0","pid":12345,"mode":"act","started":"2026-01-31T12:00:00.000Z",
      "poll_interval_seconds":0.5,"trace":"/t/run.sqlite","alert_log":"/l/alerts.jsonl",
      "policy":"headroom"},
    "targets":[{"name":"orders","path":"/data/orders","mode":"act","state":"live","pid":4711,
      "command":"db_bench","rocksdb_version":"7.8.3","incarnation":"x","samples":{"due":120,
      "recorded":119},"health":[{"source":"agent","error":""},{"source":"device",
      "error":"no such device"}],"features":{"reads_per_second":12345.0,"read_p99_us":850.0,
      "l0_files":7.0,"l0_slowdown_files":20.0,"stalled_ratio":0.03,"pending_bytes":1073741824.0},
      "indicators":[{"indicator":"p99","cause":"read","state":"ok","probability":0.03,
      "horizon_seconds":30.0,"eta_seconds":null,"valid":true,"event":false,"calibrated":false,
      "evidence":[]},{"indicator":"compaction_backlog","cause":"l0","state":"warning",
      "probability":0.07,"horizon_seconds":30.0,"near_probability":0.64,"eta_seconds":12.0,
      "valid":true,"event":false,
      "calibrated":false,"evidence":[{"feature":"forecast","value":0.01,"weight":-4.6},
      {"feature":"l0_ratio","value":0.7,"limit":1.0,"weight":1.5}]},
      {"indicator":"device_saturation","cause":"","state":"ok","probability":0.0,
      "horizon_seconds":30.0,"eta_seconds":null,"valid":false,"why_invalid":"no device",
      "event":false,"calibrated":false,"evidence":[]}],
      "knobs":[{"name":"rate_limiter_bytes_per_second","column_family":"","value":209715200,
      "found":4194304,"owner":"rocktune","changeable":true,"reason":""}],
      "recent_decisions":[{"time":"2026-01-31T12:00:01.000Z","target":"orders","kind":"decision",
      "id":"9-1","knob":"max_background_jobs","from":2,"to":4,"rule":"jobs.backlog","reason":"why",
      "verdict":{"kind":"allowed","value":4,"rule":"","reason":""},"actuation":null,
      "outcome":null},{"time":"2026-01-31T12:00:02.000Z","target":"orders","kind":"decision",
      "id":"11-1","knob":"max_background_jobs","from":2,"to":4,"rule":"jobs.backlog",
      "reason":"why","verdict":{"kind":"allowed","value":4,"rule":"","reason":""},
      "actuation":{"status":"failed","reason":"no answer"},"outcome":{"result":"worse"}}],
      "lease":{"holder":"rocktuned","remaining_seconds":9.5}}]})");
}

std::string text(const Json& json) {
  const auto lines = status_lines(json);
  if (!lines) FAIL(lines.error().message);
  std::string all;
  for (const std::string& line : *lines) all += line + "\n";
  return all;
}

}  // namespace

TEST_CASE("what is shared with other databases is one line, where there is any", "[tools]") {
  Json json = status();
  CHECK_FALSE(contains(text(json), "shares"));
  json["targets"][0]["shared"] = {{"weight", 2.5},
                                  {"host_members", 3},
                                  {"device_members", 2},
                                  {"jobs_max", 6},
                                  {"memory_max_bytes", 1073741824},
                                  {"background_max_bytes_per_second", 41943040}};
  CHECK(
      contains(text(json),
               "shares  with 3 on the host, 2 on the device   jobs up to 6   memory up to 1 GiB   "
               "background writes up to 40 MiB/s   weight 2.5"));
  json["targets"][0]["shared"] = {{"host_members", 2}, {"device_members", nullptr}};
  CHECK(contains(text(json), "shares  with 2 on the host, 1 on the device\n"));
}

TEST_CASE("an entry of targets that matches no database is in the status", "[tools]") {
  Json json = status();
  CHECK_FALSE(contains(text(json), "unmatched"));
  Json& entries = json["daemon"]["unmatched_targets"] = Json::array();
  entries.push_back({{"index", 1}, {"path", "/data/oders"}});
  CHECK(contains(text(json), "\nunmatched  targets[1] (/data/oders): no such database was opened"));
  for (int i = 2; i < 6; ++i) entries.push_back({{"index", i}, {"path", "/x"}});
  CHECK(contains(text(json),
                 "oders), targets[2] (/x), targets[3] (/x) and 2 more: no such database"));
}

TEST_CASE("an alert log that cannot be written is in the status", "[tools]") {
  Json json = status();
  CHECK_FALSE(contains(text(json), "NOT LOGGED"));
  json["daemon"]["alert_log_failing"] = {
      {"since", "2026-01-31T12:00:00.000Z"}, {"lines_lost", 12}, {"reason", "no space"}};
  CHECK(contains(text(json),
                 "\nNOT LOGGED    no space; 12 lines lost since 2026-01-31T12:00:00.000Z\n"));
  json["daemon"]["alert_log_failing"]["lines_lost"] = 0;
  CHECK(
      contains(text(json),
               "\nNOT REOPENED  no space; since 2026-01-31T12:00:00.000Z its lines go to the file "
               "that was open before\n"));
}

TEST_CASE("what the configuration says of a knob is with its owner", "[tools]") {
  Json json = status();
  Json& knob = json["targets"][0]["knobs"][0];
  knob["pinned"] = nullptr;
  knob["frozen"] = false;
  CHECK_FALSE(contains(text(json), "rocktune ("));
  knob["pinned"] = 8388608;
  CHECK(contains(text(json), "rocktune (pinned 8 MiB/s)"));
  knob["pinned"] = nullptr;
  knob["frozen"] = true;
  CHECK(contains(text(json), "rocktune (frozen)"));
}

TEST_CASE("a trace that has outgrown its bound says how far back it reaches", "[tools]") {
  Json json = status();
  CHECK_FALSE(contains(text(json), "reaches back"));
  json["daemon"]["trace"] = "/t/a.sqlite";
  json["daemon"]["trace_reaches_back_to"] = "2026-01-31T12:00:00.000Z";
  CHECK(contains(text(json),
                 "\ntrace      /t/a.sqlite, full: reaches back to 2026-01-31T12:00:00.000Z\n"));
}

TEST_CASE("a refused reload is in the status", "[tools]") {
  Json json = status();
  CHECK_FALSE(contains(text(json), "REFUSED"));
  json["daemon"]["reload_refused"] = {{"time", "2026-01-31T12:00:00.000Z"},
                                      {"problem", "r.yaml:3:9: daemon.mode: 'acct' is not known"}};
  CHECK(contains(text(json),
                 "\nRELOAD REFUSED at 2026-01-31T12:00:00.000Z: r.yaml:3:9: daemon.mode: 'acct' is "
                 "not known; the older configuration is in force\n"));
}

TEST_CASE("the status says what is, in units", "[tools]") {
  const std::string shown = text(status());
  for (const char* part :
       {"rocktuned 0.1.0   mode act   policy headroom   pid 12345   every 500 ms",
        "orders  (/data/orders)   live   mode act",
        "db_bench[4711]   RocksDB 7.8.3   samples recorded 119 of 120   lease of rocktuned, 9.5 s "
        "left",
        "! device: no such device",
        "compaction_backlog  WARNING    64 % within 15.0 s   in 12.0 s  l0; strongest evidence "
        "l0_ratio",
        "device_saturation   not known", "no device", "reads 12.3k/s   p99 850 us   stalled 3.0 %",
        "L0 7 of 20   pending 1 GiB", "rate_limiter_bytes_per_second  200 MiB/s  4 MiB/s  rocktune",
        "12:00:01  9-1 max_background_jobs 2 -> 4 allowed [jobs.backlog] why",
        "11-1 max_background_jobs 2 -> 4 allowed, failed (no answer), worse [jobs.backlog] why"}) {
    INFO(part << "\nin\n" << shown);
    CHECK(contains(shown, part));
  }
}

TEST_CASE("a database that cannot be tuned says why", "[tools]") {
  Json json = status();
  CHECK_FALSE(contains(text(json), "read-only"));
  json["targets"][0]["why_untunable"] = "the agent is read-only and refuses every change";
  CHECK(contains(text(json), "  ! the agent is read-only and refuses every change\n"));
}

TEST_CASE("a database that failed in the background says so", "[tools]") {
  Json json = status();
  json["targets"][0]["background_error"] = nullptr;
  CHECK_FALSE(contains(text(json), "failed in the background"));
  json["targets"][0]["background_error"] = {{"since", "2026-11-26T12:00:00.000Z"},
                                            {"message", "Flush, IO error: No space left"}};
  CHECK(contains(text(json),
                 "  ! RocksDB failed in the background at 2026-11-26T12:00:00.000Z and has not "
                 "recovered: writes may fail: Flush, IO error: No space left\n"));
}

TEST_CASE("the status of one database, by name or path", "[tools]") {
  Json json = status();
  json["targets"].push_back({{"name", "users"}, {"path", "/data/users"}});
  for (const char* target : {"orders", "/data/orders"}) {
    Json one = json;
    REQUIRE(keep_target(one, target));
    REQUIRE(one["targets"].size() == 1);
    CHECK(one["targets"][0]["name"] == "orders");
  }
  Json all = json;
  REQUIRE(keep_target(all, ""));
  CHECK(all == json);
  const auto none = keep_target(all, "odrers");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "no database is called odrers; there are orders, users");
  Json odd = Json::object();
  CHECK_FALSE(keep_target(odd, "orders"));
}

TEST_CASE("a path finds its read-only and secondary instances, too", "[tools]") {
  Json json = status();
  for (const char* name : {"/data/x (read_only)", "/data/x (secondary)", "/data/x (old)"}) {
    json["targets"].push_back({{"name", name}, {"path", name}});
  }
  Json both = json;
  REQUIRE(keep_target(both, "/data/x"));
  REQUIRE(both["targets"].size() == 2);
  CHECK(both["targets"][0]["name"] == "/data/x (read_only)");
  CHECK(both["targets"][1]["name"] == "/data/x (secondary)");
  REQUIRE(keep_target(json, "/data/x (secondary)"));
  CHECK(json["targets"].size() == 1);
}

TEST_CASE("limits that are off are no numbers", "[tools]") {
  Json json = status();
  Json& target = json["targets"][0];
  target["features"] = {{"l0_files", 30},
                        {"l0_slowdown_files", 2147483647},
                        {"pending_bytes", 1048576},
                        {"pending_soft_bytes", 0},
                        {"pending_hard_bytes", 0}};
  target["knobs"] = {{{"name", "rate_limiter_bytes_per_second"},
                      {"column_family", ""},
                      {"value", 0},
                      {"found", 0},
                      {"owner", "found"},
                      {"changeable", false},
                      {"reason", "there is no rate limiter"}}};
  target["indicators"] = {
      {{"indicator", "compaction_backlog"},
       {"state", "warning"},
       {"valid", true},
       {"evidence", {{{"feature", "pending_bytes"}, {"value", 1048576}, {"limit", 0}}}}}};
  const std::string shown = text(json);
  for (const char* part : {"L0 30 (no limit)   pending 1 MiB (no limit)",
                           "rate_limiter_bytes_per_second  none   none   found",
                           "strongest evidence pending_bytes 1 MiB (no limit)"}) {
    INFO(part << "\nin\n" << shown);
    CHECK(contains(shown, part));
  }
  target["features"]["pending_hard_bytes"] = 1 << 30;  // this one holds all the same
  CHECK(contains(text(json), "pending 1 MiB of 1 GiB"));
}

TEST_CASE("a warning that is only kept up for a while says so", "[tools]") {
  Json json = status();
  Json& backlog = json["targets"][0]["indicators"][1];
  backlog["near_probability"] = 0.001;
  backlog["warn_probability"] = 0.6;
  // What speaks for it is evidence of nothing any more.
  CHECK(contains(text(json), "WARNING    0.1 % within 15.0 s  unlikely again  l0\n"));
  backlog["state"] = "ok";  // and what is not warned of has no time
  CHECK_FALSE(contains(text(json), "0.1 % within 15.0 s  in "));
}

TEST_CASE("in a series of stalls no new event is said to be unlikely", "[tools]") {
  Json json = status();
  CHECK(contains(text(json), "  early warning       state      new event"));
  Json& backlog = json["targets"][0]["indicators"][1];
  backlog["state"] = "critical";
  backlog["near_probability"] = 0.001;
  backlog["warn_probability"] = 0.6;
  backlog["seconds_since_event"] = 1.5;
  CHECK(contains(text(json), "CRITICAL   too soon             over for 1.5 s  l0\n"));
  backlog["state"] = "ok";
  backlog["seconds_since_event"] = 29.5;
  CHECK(contains(text(json), "ok         too soon             over for 29.5 s  l0\n"));
  backlog["seconds_since_event"] = 30.0;
  CHECK(contains(text(json), "ok         0.1 % within 15.0 s"));
}

TEST_CASE("while an event holds the status says how things stand", "[tools]") {
  Json json = status();
  Json& backlog = json["targets"][0]["indicators"][1];
  backlog["state"] = "critical";
  backlog["event"] = true;
  backlog["near_probability"] = 1.0;
  backlog["seconds_since_event"] = 0.0;
  backlog["cause"] = "memtables";
  backlog["sentence"] = "writes are stopped: 2 of 2 memtables wait";
  CHECK(contains(text(json), "  now   memtables; writes are stopped: 2 of 2 memtables wait\n"));
  CHECK_FALSE(contains(text(json), "100 % within"));
  backlog["cause"] = "";
  CHECK(contains(text(json), "  now   writes are stopped: 2 of"));
}

TEST_CASE("a stall that has not ended is in the load", "[tools]") {
  Json json = status();
  CHECK(contains(text(json), "stalled 3.0 %\n"));
  Json& features = json["targets"][0]["features"];
  features["delayed_bytes_per_second"] = 16777216.0;
  CHECK(contains(text(json), "stalled 3.0 %   writes delayed to 16 MiB/s\n"));
  features["write_stopped"] = 1.0;
  CHECK(contains(text(json), "stalled 3.0 %   writes stopped\n"));
}

TEST_CASE("what the daemon leaves out is left out", "[tools]") {
  const std::string none = text(Json::parse(R"({"daemon":{},"targets":[]})"));
  CHECK(contains(none, "no database yet: no agent has one open"));
  CHECK(contains(text(Json::parse(R"({"daemon":{"agent_dir":"/run/x"},"targets":[]})")),
                 "no database yet: no agent in /run/x has one open"));
  Json waiting = status();
  for (const char* key :
       {"features", "indicators", "knobs", "recent_decisions", "lease", "health"}) {
    waiting["targets"][0].erase(key);
  }
  waiting["targets"][0]["state"] = "waiting";
  CHECK(contains(text(waiting), "   waiting   mode act"));
  waiting["targets"][0]["waiting_since"] = "2026-11-26T12:00:00.000Z";
  CHECK(contains(text(waiting), "   waiting since 2026-11-26T12:00:00.000Z   mode act"));
}

TEST_CASE("a status that is none is an error, never a crash", "[tools]") {
  for (const char* json : {"{}", "[]", "7", R"({"daemon":{}})",
                           R"({"daemon":{},"targets":[{"indicators":[{"valid":7}]}]})",
                           R"({"daemon":{},"targets":[{"health":[],"features":7,"knobs":7,)"
                           R"("recent_decisions":{"a":7},"indicators":[{"valid":"x"}]}]})"}) {
    const auto lines = status_lines(Json::parse(json));
    REQUIRE_FALSE(lines);
    CHECK(contains(lines.error().message, "does not understand"));
  }
}

TEST_CASE("a screen never shows more than fits", "[tools]") {
  const std::vector<std::string> lines = {"one is long", "two", "three"};
  const std::string all = screen(lines, {20, 10});
  CHECK(contains(all, "one is long\x1b[K"));
  CHECK(contains(all, "three"));
  const std::string small = screen(lines, {8, 3});
  CHECK(contains(small, "one i...\x1b[K\r\ntwo\x1b[K\r\n"));
  CHECK_FALSE(contains(small, "three"));
  CHECK(contains(small, "1 mor..."));
  CHECK_FALSE(screen({}, {1, 1}).empty());
}
