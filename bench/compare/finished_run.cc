#include "bench/compare/finished_run.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "bench/time/rfc3339.h"
#include "bench/trial/alert_tail.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

constexpr const char* kRunSchema = "rocktune-compare-run/1";

json daemon_json(const FinishedRun& run) {
  if (run.daemon_configuration.empty()) return nullptr;
  json out = {
      {"configuration", run.daemon_configuration}, {"cpu_seconds", nullptr}, {"changes", nullptr}};
  if (run.run.daemon_cpu_seconds) out["cpu_seconds"] = *run.run.daemon_cpu_seconds;
  if (run.run.changes) out["changes"] = *run.run.changes;
  return out;
}

}  // namespace

json finished_run_json(const FinishedRun& run) {
  json events = json::array();
  for (const report::Event& event : run.run.events) {
    events.push_back({{"seconds", event.seconds}, {"text", event.text}});
  }
  return {{"schema", kRunSchema},       {"policy", run.run.policy},    {"repeat", run.run.repeat},
          {"sequence", run.sequence},   {"partial", run.run.partial},  {"options", run.options},
          {"daemon", daemon_json(run)}, {"events", std::move(events)}, {"run", run.run.result}};
}

Result<FinishedRun> parse_finished_run(const json& document) try {
  if (!document.is_object() || document.value("schema", "") != kRunSchema) {
    return fail(ErrorCode::kCorrupt, std::string("is no ") + kRunSchema);
  }
  FinishedRun out;
  out.run.policy = document.at("policy");
  out.run.repeat = document.at("repeat");
  out.sequence = document.at("sequence");
  out.run.partial = document.at("partial");
  out.options = document.at("options").get<std::vector<std::string>>();
  for (const json& event : document.at("events")) {
    out.run.events.push_back({event.at("seconds"), event.at("text")});
  }
  out.run.result = document.at("run");
  if (const json& daemon = document.at("daemon"); daemon.is_object()) {
    out.daemon_configuration = daemon.at("configuration");
    if (daemon.at("cpu_seconds").is_number()) {
      out.run.daemon_cpu_seconds = daemon.at("cpu_seconds").get<double>();
    }
    if (daemon.at("changes").is_number()) {
      out.run.changes = daemon.at("changes").get<std::int64_t>();
    }
  }
  return out;
} catch (const json::exception& error) {
  return fail(ErrorCode::kCorrupt, error.what());
}

std::vector<report::Event> events_of(const std::string& alert_log_text,
                                     const std::string& first_phase) {
  std::vector<report::Event> events;
  const auto begin = seconds_since_1970(first_phase);
  if (!begin) return events;
  std::istringstream lines(alert_log_text);
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line, nullptr, false);
    if (!record.is_object()) continue;
    const auto at = seconds_since_1970(record.value("time", ""));
    const auto text = describe_alert(line);
    if (at && text) events.push_back({std::max(0.0, *at - *begin), *text});
  }
  return events;
}

}  // namespace rocktune::bench
