#include "daemon/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/text.h"
#include "trace/journal_json.h"

namespace rocktune::daemon {
namespace {

using Json = nlohmann::ordered_json;

// Text of this project's own encoders; what does not parse is passed on as a string.
Json embedded(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

std::string_view owner_name(KnobOwner owner) {
  switch (owner) {
    case KnobOwner::kFound:
      return "found";
    case KnobOwner::kRocktune:
      return "rocktune";
    case KnobOwner::kManual:
      return "manual";
  }
  return "?";
}

Json knob_json(const KnobReading& knob, const TargetStatus& target) {
  const auto pin = target.pins.find(knob.name);
  return {{"name", knob.name},
          {"column_family", knob.column_family},
          {"value", knob.value},
          {"found", knob.found},
          {"owner", owner_name(knob.owner)},
          {"changeable", knob.changeable},
          {"reason", knob.reason},
          {"pinned", pin == target.pins.end() ? Json(nullptr) : Json(pin->second)},
          {"frozen", std::ranges::find(target.freeze, knob.name) != target.freeze.end()}};
}

// The decision's line, with those that belong to it.
Json decision_json(const DecisionStatus& recent) {
  Json object = embedded(recent.decision);
  if (!object.is_object()) return object;
  object["actuation"] = recent.actuation.empty() ? Json(nullptr) : embedded(recent.actuation);
  object["outcome"] = recent.outcome.empty() ? Json(nullptr) : embedded(recent.outcome);
  return object;
}

Json shared_json(const TargetStatus& target) {
  if (!target.shared) return nullptr;
  Json object{{"weight", target.weight}};
  SharedBudget::visit_fields(*target.shared, [&](const char* name, const Counter& value) {
    object[name] = value ? Json(*value) : Json(nullptr);
  });
  return object;
}

Json features_json(const std::optional<Features>& features) {
  Json object = Json::object();
  if (!features) return object;
  Features::visit_values(*features, [&](const char* name, const Value& value) {
    if (value) object[name] = *value;
  });
  return object;
}

Json target_json(const TargetStatus& target) {
  Json object{{"name", target.name},
              {"path", target.path},
              {"mode", target.mode},
              {"state", target.state},
              {"pid", target.pid},
              {"command", target.command},
              {"rocksdb_version", target.rocksdb_version},
              {"incarnation", target.incarnation},
              {"why_untunable", target.why_untunable},
              {"device", target.device},
              {"samples", {{"due", target.due}, {"recorded", target.recorded}}}};
  object["waiting_since"] = nullptr;
  if (target.waiting_since_wall.count() > 0) {
    object["waiting_since"] = text::rfc3339(target.waiting_since_wall);
  }
  object["health"] = Json::array();
  for (const SourceHealth& health : target.health) {
    object["health"].push_back({{"source", health.source}, {"error", health.error}});
  }
  object["features"] = features_json(target.features);
  object["indicators"] = Json::array();
  for (std::size_t i = 0; i < target.indicators.size(); ++i) {
    Json indicator = embedded(trace::encode_indicator(target.indicators[i]));
    indicator["sentence"] = i < target.sentences.size() ? target.sentences[i] : "";
    object["indicators"].push_back(std::move(indicator));
  }
  object["knobs"] = Json::array();
  for (const KnobReading& knob : target.knobs) object["knobs"].push_back(knob_json(knob, target));
  object["shared"] = shared_json(target);
  object["recent_decisions"] = Json::array();
  for (const DecisionStatus& recent : target.recent_decisions) {
    object["recent_decisions"].push_back(decision_json(recent));
  }
  object["lease"] = nullptr;
  if (target.lease) {
    object["lease"] = {{"holder", target.lease->holder},
                       {"remaining_seconds", target.lease->remaining_seconds}};
  }
  object["events"] = target.events;
  object["background_error"] = nullptr;
  if (!target.background_error.empty()) {
    object["background_error"] = {{"since", text::rfc3339(target.background_error_wall)},
                                  {"message", target.background_error}};
  }
  return object;
}

}  // namespace

std::string status_json(const Status& status) {
  Json object;
  object["daemon"] = {{"version", status.version},
                      {"pid", status.pid},
                      {"mode", status.mode},
                      {"started", text::rfc3339(status.started_wall)},
                      {"poll_interval_seconds", status.poll_interval_seconds},
                      {"trace", status.trace},
                      {"trace_failing", status.trace_failing},
                      {"alert_log", status.alert_log},
                      {"policy", status.policy},
                      {"agent_dir", status.agent_dir}};
  const auto& oldest = status.trace_reaches_back_to_wall;
  object["daemon"]["trace_reaches_back_to"] = oldest ? Json(text::rfc3339(*oldest)) : Json(nullptr);
  object["daemon"]["frozen"] = nullptr;
  if (status.frozen) {
    const auto& until = status.frozen_until_wall;
    object["daemon"]["frozen"] = {{"file", status.freeze_file},
                                  {"until", until ? Json(text::rfc3339(*until)) : Json(nullptr)}};
  }
  object["daemon"]["alert_log_failing"] = nullptr;
  if (const auto& lost = status.alert_log_failing) {
    object["daemon"]["alert_log_failing"] = {{"since", text::rfc3339(lost->since_wall)},
                                             {"lines_lost", lost->lines},
                                             {"reason", lost->why}};
  }
  object["daemon"]["reload_refused"] = nullptr;
  if (const auto& refused = status.reload_refused) {
    object["daemon"]["reload_refused"] = {{"time", text::rfc3339(refused->wall)},
                                          {"problem", refused->problem}};
  }
  object["daemon"]["unmatched_targets"] = Json::array();
  for (const UnmatchedEntry& entry : status.unmatched) {
    object["daemon"]["unmatched_targets"].push_back({{"index", entry.index}, {"path", entry.path}});
  }
  object["targets"] = Json::array();
  for (const TargetStatus& target : status.targets) {
    object["targets"].push_back(target_json(target));
  }
  // Paths and names come from the file system: they may be no valid UTF-8.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rocktune::daemon
