#include "tools/alert_text.h"

#include <algorithm>

#include "model/indicators.h"
#include "tools/change_text.h"
#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

// Of their outcomes the last come minutes later.
constexpr std::size_t kMostRemembered = 10000;

// What became of an alert that is over; empty: its message begins with that.
std::string verdict_text(const Json& line) {
  const std::string message = text_at(line, "message");
  if (message.starts_with("over after ") || message.starts_with("ended after ")) return "";
  const auto came = line.find("event_came");
  if (came == line.end() || !came->is_boolean()) return "";
  if (!came->get<bool>()) return "; it did not come";
  const auto lead = number_at(line, "lead_seconds");
  if (!lead) return "; it came";
  return *lead > 0 ? "; it came, " + seconds_text(*lead) + " after the warning"
                   : "; it came with the alert";
}

std::string alert(const Json& line) {
  // Of what ended with its database nothing is foreseen, and nobody knows that all is well.
  const bool ended =
      text_at(line, "state") == "ok" && line.contains("valid") && !flag_at(line, "valid");
  std::string text = text_at(line, "indicator") + " " + text_at(line, "from") + " -> " +
                     (ended ? "ended" : text_at(line, "state"));
  if (const std::string cause = text_at(line, "cause"); !cause.empty()) text += " (" + cause + ")";
  if (const std::string likely = likelihood_text(line); !ended && !likely.empty()) {
    text += " " + likely;
  }
  if (const auto eta = number_at(line, "eta_seconds"); eta && text_at(line, "state") != "ok") {
    text += *eta > 0 ? ", in " + seconds_text(*eta) : ", now";
  }
  return text + verdict_text(line) + ": " + text_at(line, "message");
}

// What became of it, in `rocktune status`: there the decision comes with what belongs to it.
std::string became_text(const Json& line) {
  const Json& actuation = object_at(line, "actuation");
  std::string text;
  if (const std::string status = text_at(actuation, "status"); !status.empty()) {
    const std::string reason = text_at(actuation, "reason");
    text += ", " + status + (reason.empty() ? "" : " (" + reason + ")");
  }
  const std::string result = text_at(object_at(line, "outcome"), "result");
  return result.empty() ? text : text + ", " + result;
}

std::string decision(const Json& line) {
  const std::string knob = text_at(line, "knob");
  const std::string family = text_at(line, "column_family");
  std::string text = knob + (family.empty() ? "" : " (" + family + ")") + " " +
                     knob_value_at(line, "from", knob) + " -> " + knob_value_at(line, "to", knob);
  if (const auto verdict = line.find("verdict"); verdict != line.end() && verdict->is_object()) {
    const std::string kind = text_at(*verdict, "kind");
    text += " " + kind;
    if (kind == "clamped") text += " to " + knob_value_at(*verdict, "value", knob);
    const std::string rule = text_at(*verdict, "rule");
    if (!rule.empty()) text += " by " + rule + " (" + text_at(*verdict, "reason") + ")";
  }
  return text + became_text(line) + " [" + text_at(line, "rule") + "] " + text_at(line, "reason");
}

// `decision_of`: the one that an actuation or an outcome is of; null: not known.
std::string content(const Json& line, const Json& decision_of) {
  const std::string kind = text_at(line, "kind");
  if (kind == "alert") return alert(line);
  if (kind == "decision") return text_at(line, "id") + " " + decision(line);
  const std::string called = decision_of.is_object() ? " " + knob_called(decision_of) : "";
  const std::string head = "of " + text_at(line, "id") + called + ": ";
  if (kind == "outcome") return head + outcome_text(line);
  if (kind != "actuation") return text_at(line, "message");
  return head + actuation_text(line, called.empty() ? "" : text_at(decision_of, "knob"));
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), ::toupper);
  return text;
}

}  // namespace

bool is_too_soon(const Json& indicator) {
  const auto since = number_at(indicator, "seconds_since_event");
  return since && *since < kNewEventAfterSeconds && !flag_at(indicator, "event");
}

std::string likelihood_text(const Json& indicator) {
  if (flag_at(indicator, "event") || is_too_soon(indicator)) return "";
  const auto near = number_at(indicator, "near_probability");
  const auto probability = near ? near : number_at(indicator, "probability");
  if (!probability) return "";
  const auto horizon = number_at(indicator, "horizon_seconds");
  return percent_text(*probability) +
         (horizon ? " within " + seconds_text(near ? *horizon / 2 : *horizon) : "");
}

std::string alert_text(const Json& line, const Json& decision) {
  std::string time = text_at(line, "time");
  std::replace(time.begin(), time.end(), 'T', ' ');
  const std::string kind = upper(text_at(line, "kind"));
  const std::string target = text_at(line, "target");  // empty: the daemon itself
  std::string head = time + "  " + (target.empty() ? "-" : target) + "  " + kind;
  if (kind.size() < 8) head.append(8 - kind.size(), ' ');
  return head + "  " + content(line, decision);
}

std::string brief_line(const Json& line) {
  const std::string time = text_at(line, "time");
  return (time.size() >= 19 ? time.substr(11, 8) : time) + "  " + content(line, nullptr);
}

void AlertPrinter::complain(const std::string& problem) {
  if (malformed_++ == 0) first_problem_ = "line " + std::to_string(lines_) + ": " + problem;
}

std::optional<std::string> AlertPrinter::print(std::string_view line) {
  ++lines_;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
  ++read_;
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) {
    complain("no JSON object");
    return std::nullopt;
  }
  for (const char* key : {"time", "target", "kind"}) {
    if (object.contains(key) && object[key].is_string()) continue;
    complain(std::string("no \"") + key + "\"");
    return std::nullopt;
  }
  remember(object);
  if (!kinds_.empty() && kinds_.count(object["kind"].get<std::string>()) == 0) return std::nullopt;
  if (json_) return std::string(line);
  const auto decision = decisions_.find({text_at(object, "target"), text_at(object, "id")});
  return alert_text(object, decision == decisions_.end() ? Json() : decision->second);
}

// Actuations and outcomes have no more than its id.
void AlertPrinter::remember(const Json& line) {
  if (json_ || text_at(line, "kind") != "decision") return;
  if (decisions_.size() >= kMostRemembered) decisions_.clear();
  decisions_[{text_at(line, "target"), text_at(line, "id")}] = {
      {"knob", text_at(line, "knob")}, {"column_family", text_at(line, "column_family")}};
}

}  // namespace rocktune::tools
