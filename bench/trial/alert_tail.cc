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

double number_of(const json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number() ? found->get<double>() : 0;
}

std::optional<std::string> describe_decision(const json& record) {
  const json verdict = record.value("verdict", json::object());
  const std::string kind = text_of(verdict, "kind");
  if (kind != "allowed" && kind != "clamped") return std::nullopt;
  const std::string knob = text_of(record, "knob");
  return "decision  " + text_of(record, "id") + " (" + text_of(record, "rule") + ")  " + knob +
         " " + knob_text(knob, number_of(record, "from")) + " -> " +
         knob_text(knob, number_of(verdict, "value")) + ": " + text_of(record, "reason");
}

// What could not be measured at all (the knob moved on, the run ended) tells a spectator nothing.
std::optional<std::string> describe_outcome(const json& record) {
  const auto measured = record.find("measured");
  if (measured == record.end() || !measured->is_number()) return std::nullopt;
  return "outcome   of " + text_of(record, "id") + ": " + text_of(record, "result") + ", " +
         text_of(record, "reason");
}

std::string describe_warning(const json& record) {
  const std::string state = text_of(record, "state");
  return "alert     " + text_of(record, "indicator") + " " + (state == "ok" ? "cleared" : state) +
         ": " + text_of(record, "message");
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

std::string knob_text(const std::string& knob, double value) {
  if (knob == knob::kRateLimit) {
    if (value >= static_cast<double>(kUnlimitedBytesPerSecond)) return "unlimited";
    return text::rate(value);
  }
  if (knob == knob::kCacheCapacity) return text::bytes(value);
  return text::number(value, 0);
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
