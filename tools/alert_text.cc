#include "tools/alert_text.h"

#include <algorithm>

#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

std::string knob_value(const Json& line, const char* key, const std::string& knob) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return "?";
  return knob_text(knob, found->get<std::int64_t>());
}

std::string alert(const Json& line) {
  std::string text =
      text_at(line, "indicator") + " " + text_at(line, "from") + " -> " + text_at(line, "state");
  if (const std::string cause = text_at(line, "cause"); !cause.empty()) text += " (" + cause + ")";
  if (const auto probability = number_at(line, "probability")) {
    text += " " + percent_text(*probability);
    if (const auto horizon = number_at(line, "horizon_seconds")) {
      text += " within " + seconds_text(*horizon);
    }
  }
  if (const auto eta = number_at(line, "eta_seconds")) {
    text += *eta > 0 ? ", in " + seconds_text(*eta) : ", now";
  }
  if (const auto came = line.find("event_came"); came != line.end() && came->is_boolean()) {
    const auto lead = number_at(line, "lead_seconds");
    text += !came->get<bool>() ? "; it did not come"
            : lead             ? "; it came, " + seconds_text(*lead) + " after the warning"
                               : "; it came";
  }
  return text + ": " + text_at(line, "message");
}

std::string decision(const Json& line) {
  const std::string knob = text_at(line, "knob");
  const std::string family = text_at(line, "column_family");
  std::string text = knob + (family.empty() ? "" : " (" + family + ")") + " " +
                     knob_value(line, "from", knob) + " -> " + knob_value(line, "to", knob);
  if (const auto verdict = line.find("verdict"); verdict != line.end() && verdict->is_object()) {
    const std::string kind = text_at(*verdict, "kind");
    text += " " + kind;
    if (kind == "clamped") text += " to " + knob_value(*verdict, "value", knob);
    const std::string rule = text_at(*verdict, "rule");
    if (!rule.empty()) text += " by " + rule + " (" + text_at(*verdict, "reason") + ")";
  }
  return text + " [" + text_at(line, "rule") + "] " + text_at(line, "reason");
}

std::string outcome(const Json& line) {
  std::string text = "of " + text_at(line, "id") + ": " + text_at(line, "result");
  if (const auto measured = number_at(line, "measured")) text += ", " + number_text(*measured);
  const std::string reason = text_at(line, "reason");
  return reason.empty() ? text : text + ": " + reason;
}

std::string actuation(const Json& line) {
  const auto number = [&](const char* key) {
    const auto value = number_at(line, key);
    return value ? std::to_string(static_cast<long long>(*value)) : std::string("?");
  };
  std::string text = "of " + text_at(line, "id") + ": " + text_at(line, "status") + " " +
                     number("before") + " -> " + number("after");
  const std::string reason = text_at(line, "reason");
  return reason.empty() ? text : text + ": " + reason;
}

std::string content(const Json& line) {
  const std::string kind = text_at(line, "kind");
  if (kind == "alert") return alert(line);
  if (kind == "decision") return text_at(line, "id") + " " + decision(line);
  if (kind == "outcome") return outcome(line);
  if (kind == "actuation") return actuation(line);
  return text_at(line, "message");
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), ::toupper);
  return text;
}

}  // namespace

std::string alert_text(const Json& line) {
  std::string time = text_at(line, "time");
  std::replace(time.begin(), time.end(), 'T', ' ');
  const std::string kind = upper(text_at(line, "kind"));
  const std::string target = text_at(line, "target");  // empty: the daemon itself
  std::string head = time + "  " + (target.empty() ? "-" : target) + "  " + kind;
  if (kind.size() < 8) head.append(8 - kind.size(), ' ');
  return head + "  " + content(line);
}

std::string brief_line(const Json& line) {
  const std::string time = text_at(line, "time");
  return (time.size() >= 19 ? time.substr(11, 8) : time) + "  " + content(line);
}

void AlertPrinter::complain(const std::string& problem) {
  if (malformed_++ == 0) first_problem_ = "line " + std::to_string(lines_) + ": " + problem;
}

std::optional<std::string> AlertPrinter::print(std::string_view line) {
  ++lines_;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
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
  if (!kinds_.empty() && kinds_.count(object["kind"].get<std::string>()) == 0) return std::nullopt;
  return json_ ? std::string(line) : alert_text(object);
}

}  // namespace rocktune::tools
