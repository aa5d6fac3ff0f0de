#include "bench/trial/alert_tail.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

std::string text_of(const json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "12 MiB/s", "unlimited", "4".
std::string value_of(const json& record, const char* key, const std::string& knob) {
  const auto found = record.find(key);
  const bool whole = found != record.end() && found->is_number_integer();
  return whole ? shown(knob, found->get<std::int64_t>()) : "?";
}

std::optional<std::string> describe_decision(const json& record) {
  const json verdict = record.value("verdict", json::object());
  const std::string kind = text_of(verdict, "kind");
  if (kind != "allowed" && kind != "clamped") return std::nullopt;
  const std::string knob = text_of(record, "knob");
  return "decision  " + text_of(record, "id") + " (" + text_of(record, "rule") + ")  " + knob +
         " " + value_of(record, "from", knob) + " -> " + value_of(verdict, "value", knob) + ": " +
         text_of(record, "reason");
}

// What could not be measured at all (the knob moved on, the run ended) tells a spectator nothing.
std::optional<std::string> describe_outcome(const json& record) {
  const auto measured = record.find("measured");
  if (measured == record.end() || !measured->is_number()) return std::nullopt;
  return "outcome   of " + text_of(record, "id") + ": " + text_of(record, "result") + ", " +
         text_of(record, "reason");
}

// " (25%)", where a forecast says how likely it is.
std::string likelihood(const json& record) {
  const auto found = record.find("probability");
  const bool known = found != record.end() && found->is_number() &&
                     record.value("valid", json(true)) != json(false);
  return known ? " (" + text::percent(found->get<double>()) + ")" : "";
}

std::string describe_warning(const json& record) {
  const std::string state = text_of(record, "state"), from = text_of(record, "from");
  std::string text = "alert     " + text_of(record, "indicator") + " ";
  if (state == "ok") {
    text += "cleared";
  } else {
    text += (from.empty() ? "" : from + " -> ") + state + likelihood(record);
  }
  return text + ": " + text_of(record, "message");
}

}  // namespace

std::vector<std::string> AlertTail::poll() {
  std::vector<std::string> lines;
  std::ifstream in(path_, std::ios::binary);
  if (!in.seekg(static_cast<std::streamoff>(offset_))) return lines;
  std::ostringstream text;
  text << in.rdbuf();
  const std::string added = std::move(text).str();
  std::size_t begin = 0;
  for (auto end = added.find('\n'); end != std::string::npos; end = added.find('\n', begin)) {
    lines.push_back(added.substr(begin, end - begin));
    begin = end + 1;
  }
  offset_ += begin;
  return lines;
}

std::optional<std::string> describe_alert(const std::string& line) {
  const json record = json::parse(line, nullptr, false);
  if (!record.is_object()) return "unreadable record in the alert log: " + line;
  const std::string kind = text_of(record, "kind");
  if (kind == "alert") return describe_warning(record);
  if (kind == "decision") return describe_decision(record);
  if (kind == "outcome") return describe_outcome(record);
  if (kind == "actuation") {
    const std::string status = text_of(record, "status");
    if (status == "applied" || status == "unchanged") return std::nullopt;
    return "actuation " + status + ": " + text_of(record, "reason");
  }
  return kind + std::string(kind.size() < 10 ? 10 - kind.size() : 1, ' ') +
         text_of(record, "message");
}

}  // namespace rocktune::bench
