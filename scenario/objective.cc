#include "scenario/objective.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rocktune::scenario {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> kPercentiles = {
    {{"p50", "p50_us"}, {"p95", "p95_us"}, {"p99", "p99_us"}, {"p999", "p999_us"}}};
constexpr std::array<const char*, 3> kOtherMetrics = {"throughput", "stall_seconds",
                                                      "write_amplification"};

void read_limits(MapReader& map, Objective& objective) {
  for (const std::string_view operation : kOperationNames) {
    for (const auto& [suffix, percentile] : kPercentiles) {
      LatencyLimit limit;
      limit.metric = std::string(operation) + "_" + suffix;
      limit.operation = *operation_named(operation);
      limit.percentile = percentile;
      if (map.duration(limit.metric, limit.limit)) objective.limits.push_back(std::move(limit));
    }
  }
}

void read_first(MapReader& map, Objective& objective) {
  if (!objective.limits.empty()) objective.first = objective.limits.front().metric;
  std::string first;
  if (!map.text("first", first)) return;
  const bool other =
      std::find(kOtherMetrics.begin(), kOtherMetrics.end(), first) != kOtherMetrics.end();
  const bool limited =
      std::any_of(objective.limits.begin(), objective.limits.end(),
                  [&](const LatencyLimit& limit) { return limit.metric == first; });
  if (!other && !limited) {
    map.problem("first", "'" + first +
                             "' is neither one of the limits given here nor throughput, "
                             "stall_seconds or write_amplification");
  }
  objective.first = first;
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

Objective read_objective(const YAML::Node& node, Problems& problems) {
  MapReader map(node, problems, "objective.");
  Objective objective;
  read_limits(map, objective);
  std::int64_t memory = 0;
  if (map.bytes("memory", memory, {1, std::int64_t{1} << 50})) objective.memory_bytes = memory;
  std::int64_t jobs = 0;
  if (map.integer("jobs", jobs, {1, 1024})) objective.jobs = jobs;
  double share = 0;
  if (map.number("device_share", share, {0.01, 1})) objective.device_share = share;
  read_first(map, objective);
  map.finish();
  return objective;
}

nlohmann::json objective_json(const Objective& objective) {
  nlohmann::json limits = nlohmann::json::array();
  for (const LatencyLimit& limit : objective.limits) {
    limits.push_back({{"metric", limit.metric},
                      {"operation", name_of(limit.operation)},
                      {"percentile", limit.percentile},
                      {"limit_us", static_cast<double>(limit.limit.count()) / 1e3}});
  }
  return {{"limits", std::move(limits)},
          {"memory_bytes", or_null(objective.memory_bytes)},
          {"jobs", or_null(objective.jobs)},
          {"device_share", or_null(objective.device_share)},
          {"first", objective.first}};
}

}  // namespace rocktune::scenario
