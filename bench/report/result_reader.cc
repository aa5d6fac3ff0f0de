#include "bench/report/result_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rocktune::bench::report {
namespace {

using nlohmann::json;

const json* find(const json& document, const std::string& path) {
  const json::json_pointer pointer(path);
  return document.contains(pointer) ? &document.at(pointer) : nullptr;
}

// Where others did so many, and by its share a kind would have done so many: none of it at all is
// no chance (one in 150).
constexpr double kLeastBeside = 100, kLeastExpected = 5;

std::optional<bool> is_above_any(const json& second, const json& phase,
                                 const std::vector<LatencyLimit>& limits) {
  std::optional<bool> any;
  for (const LatencyLimit& limit : limits) {
    if (const auto above = second_is_above(second, phase, limit))
      any = any.value_or(false) || *above;
  }
  return any;
}

struct Second {
  double start = 0;
  double length = 0;
  bool above = false;
};

// Those seconds of a database that tell.
std::vector<Second> seconds_of(const json& database, const std::vector<LatencyLimit>& limits) {
  std::vector<Second> all;
  for (const json& phase : array_at(database, "/phases")) {
    for (const json& second : array_at(phase, "/per_second")) {
      const auto start = number_at(second, "/start_seconds");
      const auto length = number_at(second, "/seconds");
      const auto above = is_above_any(second, phase, limits);
      if (start && length && above) all.push_back({*start, *length, *above});
    }
  }
  return all;
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

std::optional<bool> second_is_above(const json& second, const json& phase,
                                    const LatencyLimit& limit) {
  const auto latency = number_at(second, "/operations/" + limit.operation + "/" + limit.percentile);
  if (latency) return *latency > limit.limit_us;
  const double share = number_at(phase, "/proportions/" + limit.operation).value_or(0);
  const auto others = number_at(second, "/operations_done");
  if (!(share > 0) || !others) return std::nullopt;
  const bool starved = *others >= kLeastBeside && share * *others >= kLeastExpected * (1 - share);
  return *others == 0 || starved ? std::optional(true) : std::nullopt;
}

std::optional<double> seconds_above(const json& result, const std::vector<LatencyLimit>& limits) {
  // The first database's seconds; those of others that began within half a second of one of them
  // are the same seconds, as all are sampled at the same moments but for some milliseconds.
  constexpr double kSameSecond = 0.5;
  std::vector<Second> all;
  for (const DatabaseResult& database : databases_of(result)) {
    const std::size_t of_others = all.size();
    for (const Second& second : seconds_of(*database.document, limits)) {
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(of_others);
      const auto same = std::find_if(all.begin(), end, [&](const Second& one) {
        return std::abs(one.start - second.start) < kSameSecond;
      });
      if (same == end) {
        all.push_back(second);
      } else {
        same->above = same->above || second.above;
      }
    }
  }
  if (all.empty()) return std::nullopt;
  double above = 0;
  for (const Second& second : all) above += second.above ? second.length : 0;
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
