#include "bench/demo/alert_tail.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "model/knobs.h"

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

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::optional<std::string> describe_decision(const json& record) {
  const json verdict = record.value("verdict", json::object());
  const std::string kind = text_of(verdict, "kind");
  if (kind != "allowed" && kind != "clamped") return std::nullopt;
  const std::string knob = text_of(record, "knob");
  return "decision  " + knob + " " + knob_text(knob, number_of(record, "from")) + " -> " +
         knob_text(knob, number_of(verdict, "value")) + " (" + text_of(record, "rule") +
         "): " + text_of(record, "reason");
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
    return format("%.1f MB/s", value / 1e6);
  }
  if (knob == knob::kCacheCapacity) return format("%.1f MiB", value / (1 << 20));
  return format("%.0f", value);
}

std::optional<std::string> describe_alert(const std::string& line) {
  const json record = json::parse(line, nullptr, false);
  if (!record.is_object()) return "unreadable record in the alert log: " + line;
  const std::string kind = text_of(record, "kind");
  if (kind == "alert") {
    return "alert     " + text_of(record, "indicator") + " " + text_of(record, "state") + ": " +
           text_of(record, "message");
  }
  if (kind == "decision") return describe_decision(record);
  if (kind == "outcome") {
    if (text_of(record, "result") == "unknown") return std::nullopt;
    return "outcome   of decision " + text_of(record, "id") + ": " + text_of(record, "result");
  }
  if (kind == "actuation") {
    const std::string status = text_of(record, "status");
    if (status == "applied" || status == "unchanged") return std::nullopt;
    return "actuation " + status + ": " + text_of(record, "reason");
  }
  return kind + std::string(kind.size() < 10 ? 10 - kind.size() : 1, ' ') +
         text_of(record, "message");
}

}  // namespace rocktune::bench
