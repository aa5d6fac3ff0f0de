#include "bench/report/result_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace rocktune::bench::report {
namespace {

using nlohmann::json;

const json* find(const json& document, const std::string& path) {
  const json::json_pointer pointer(path);
  return document.contains(pointer) ? &document.at(pointer) : nullptr;
}

// Whether one second of one database was above a limit; nothing when it does not tell.
std::optional<bool> is_above(const json& second, const json& phase, const LatencyLimit& limit) {
  const auto latency = number_at(second, "/operations/" + limit.operation + "/" + limit.percentile);
  if (latency) return *latency > limit.limit_us;
  const auto share = number_at(phase, "/proportions/" + limit.operation);
  const auto done = number_at(second, "/operations_done");
  if (share.value_or(0) > 0 && done == 0.0) return true;
  return std::nullopt;
}

struct Second {
  double length = 0;
  bool above = false;
};

// By the whole second since the run's start, so that databases beside each other share them.
using Seconds = std::map<std::int64_t, Second>;

void add_phase(const json& phase, const std::vector<LatencyLimit>& limits, Seconds& seconds) {
  for (const json& second : array_at(phase, "/per_second")) {
    const auto start = number_at(second, "/start_seconds");
    const auto length = number_at(second, "/seconds");
    if (!start || !length) continue;
    for (const LatencyLimit& limit : limits) {
      const auto above = is_above(second, phase, limit);
      if (!above) continue;
      Second& whole = seconds[std::llround(*start)];
      whole.length = std::max(whole.length, *length);
      whole.above = whole.above || *above;
    }
  }
}

}  // namespace

std::optional<double> number_at(const json& document, const std::string& path) {
  const json* found = find(document, path);
  return found != nullptr && found->is_number() ? std::optional(found->get<double>())
                                                : std::nullopt;
}

std::string text_at(const json& document, const std::string& path) {
  const json* found = find(document, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

const json& array_at(const json& document, const std::string& path) {
  static const json kEmpty = json::array();
  const json* found = find(document, path);
  return found != nullptr && found->is_array() ? *found : kEmpty;
}

const json& value_at(const json& document, const std::string& path) {
  static const json kNull;
  const json* found = find(document, path);
  return found != nullptr ? *found : kNull;
}

const json& object_at(const json& document, const std::string& path) {
  static const json kEmpty = json::object();
  const json* found = find(document, path);
  return found != nullptr && found->is_object() ? *found : kEmpty;
}

std::vector<DatabaseResult> databases_of(const json& result) {
  std::vector<DatabaseResult> all;
  for (const json& database : array_at(result, "/databases")) {
    all.push_back({text_at(database, "/name"), &database});
  }
  if (all.empty() && result.is_object() && result.contains("total")) all.push_back({"", &result});
  if (all.size() == 1) all.front().name.clear();  // nobody to tell it from
  return all;
}

std::vector<LatencyLimit> latency_limits(const json& result) {
  std::vector<LatencyLimit> limits;
  for (const json& limit : array_at(result, "/objective/limits")) {
    const auto limit_us = number_at(limit, "/limit_us");
    if (!limit_us) continue;
    limits.push_back({text_at(limit, "/metric"), text_at(limit, "/operation"),
                      text_at(limit, "/percentile"), *limit_us});
  }
  return limits;
}

std::optional<double> seconds_above(const json& result, const std::vector<LatencyLimit>& limits) {
  Seconds seconds;
  for (const DatabaseResult& database : databases_of(result)) {
    for (const json& phase : array_at(*database.document, "/phases")) {
      add_phase(phase, limits, seconds);
    }
  }
  if (seconds.empty()) return std::nullopt;
  double above = 0;
  for (const auto& [start, second] : seconds) above += second.above ? second.length : 0;
  return above;
}

std::string device_text(const json& result) {
  std::string label = text_at(result, "/device/label");
  if (label.empty()) label = text_at(result, "/label");
  std::string name = text_at(result, "/device/name");
  if (name == "none") name.clear();  // the real device
  return label.empty() || name.empty() ? label + name : label + " " + name;
}

}  // namespace rocktune::bench::report
