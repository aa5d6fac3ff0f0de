#include "scenario/engine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "prior/prior.h"
#include "scenario/device/spec.h"

namespace rocktune::scenario {
namespace {

// RocksDB's auto-tuned limiter works between its rate and a twentieth of it (util/rate_limiter.cc).
// On a disk of unknown speed this is the rate that it may give at most: more than compaction
// threads of one database were seen to produce (policy/guard_limits.h).
constexpr std::int64_t kUnknownDeviceRate = std::int64_t{1} << 30;
// The daemon's default for rate_limit_min (model/objective.h); scaled like every other rate.
constexpr double kLeastRate = 10.0 * (1 << 20);
constexpr double kLeastScaledRate = 64.0 * (1 << 10);

// rocktuned's name for what matters first: one of its own, or of the limit's kind.
std::string priority(const Objective& objective) {
  for (const LatencyLimit& limit : objective.limits) {
    if (limit.metric == objective.first) return is_read(limit.operation) ? "read_p99" : "write_p99";
  }
  return objective.first;
}

// What the device writes at most, where that is known.
std::optional<std::int64_t> known_write_rate(const Scenario& scenario) {
  const auto spec = parse_device_spec(scenario.device, scenario.scale);
  if (!spec || spec->kind == DeviceKind::kReal) return std::nullopt;
  return std::llround(spec->profile.write_bytes_per_second);
}

// Published sizes and rates (policy/peers/).
constexpr double kSilkLeastRate = 10e6;
constexpr double kAdocLeastMemtable = 64.0 * (1 << 20), kAdocMostMemtable = 512.0 * (1 << 20);
constexpr double kLeastParam = 65536;  // what a policy takes as a size or a rate

// What ADOC's largest memtables take beyond those that are configured.
std::int64_t adoc_memory(const Scenario& scenario, const ScenarioDatabase& database) {
  const HostConfiguration& c = database.configuration;
  const std::int64_t largest = std::llround(kAdocMostMemtable / scenario.scale);
  return std::max<std::int64_t>(0, largest - c.write_buffer_bytes) * c.max_write_buffer_number *
         static_cast<std::int64_t>(database.workload.families.size());
}

double least_rate(const Scenario& scenario) {
  return std::max(kLeastScaledRate, kLeastRate / scenario.scale);
}

std::int64_t memory_max(const std::string& policy, const Scenario& scenario,
                        const ScenarioDatabase& database) {
  const bool wants_more = policy == "adoc" && !scenario.objective.memory_bytes;
  return memory_share(scenario, database) + (wants_more ? adoc_memory(scenario, database) : 0);
}

}  // namespace

std::int64_t tightest_p99_us(const Objective& objective, bool reads) {
  std::int64_t tightest = 0;
  for (const LatencyLimit& limit : objective.limits) {
    if (limit.percentile != "p99_us" || is_read(limit.operation) != reads) continue;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(limit.limit).count();
    if (tightest == 0 || us < tightest) tightest = us;
  }
  return tightest;
}

PolicyParams peer_params(const std::string& policy, const Scenario& scenario) {
  const auto device = known_write_rate(scenario);
  auto scaled = [&](double bytes) { return std::max(kLeastParam, bytes / scenario.scale); };
  PolicyParams params;
  if (policy == "rocksdb-auto-tuned" || policy == "write-amp-limiter") {
    params["rate_limit_max_bytes_per_second"] =
        static_cast<double>(device.value_or(kUnknownDeviceRate));
  }
  if (policy == "write-amp-limiter") params["scale"] = scenario.scale;
  if (policy == "silk") {
    params["least_bytes_per_second"] = scaled(kSilkLeastRate);
    if (device) params["device_bytes_per_second"] = static_cast<double>(*device);
  }
  if (policy == "adoc") {
    params["memtable_min_bytes"] = scaled(kAdocLeastMemtable);
    params["memtable_max_bytes"] = scaled(kAdocMostMemtable);
  }
  return params;
}

EngineConfig engine_config(const std::string& policy, const Scenario& scenario,
                           const ScenarioDatabase& database, std::int64_t cpus) {
  EngineConfig config;
  config.policy = policy;
  config.policy_params = peer_params(policy, scenario);
  const std::int64_t read = tightest_p99_us(scenario.objective, true);
  const std::int64_t write = tightest_p99_us(scenario.objective, false);
  if (read > 0) config.objective.read_p99_seconds = static_cast<double>(read) / 1e6;
  if (write > 0) config.objective.write_p99_seconds = static_cast<double>(write) / 1e6;
  for (const Priority one : kPriorities) {
    if (to_string(one) == priority(scenario.objective)) config.objective.first = one;
  }
  config.budget.jobs_max = jobs_share(scenario, cpus);
  config.budget.rate_limit_min = BytesPerSecond{std::round(least_rate(scenario))};
  config.budget.device_share = scenario.objective.device_share.value_or(config.budget.device_share);
  if (scenario.objective.memory_bytes || policy == "adoc") {
    config.budget.memory_max = Bytes{memory_max(policy, scenario, database)};
  }
  return config;
}

Result<std::vector<EngineConfig>> engine_configs(const std::string& policy,
                                                 const Scenario& scenario, std::int64_t cpus) {
  const auto prior = choose_prior(std::string(kBuiltinPrior));
  if (!prior) return tl::unexpected(prior.error());
  std::vector<EngineConfig> engines;
  for (const ScenarioDatabase& database : scenario.databases) {
    engines.push_back(engine_config(policy, scenario, database, cpus));
    engines.back().prior = *prior;
  }
  return engines;
}

Result<std::int64_t> device_write_rate(const Scenario& scenario) {
  const auto spec = parse_device_spec(scenario.device, scenario.scale);
  if (!spec) return tl::unexpected(spec.error());
  if (spec->kind == DeviceKind::kReal) return kUnknownDeviceRate;
  return std::llround(spec->profile.write_bytes_per_second);
}

std::int64_t memtable_bytes(const ScenarioDatabase& database) {
  const HostConfiguration& c = database.configuration;
  return c.write_buffer_bytes * c.max_write_buffer_number *
         static_cast<std::int64_t>(database.workload.families.size());
}

std::int64_t memory_share(const Scenario& scenario, const ScenarioDatabase& database) {
  const auto databases = static_cast<std::int64_t>(scenario.databases.size());
  const std::int64_t found = database.configuration.block_cache_bytes + memtable_bytes(database);
  return std::max(scenario.objective.memory_bytes.value_or(0) / databases, found);
}

std::int64_t jobs_share(const Scenario& scenario, std::int64_t cpus) {
  const auto databases = static_cast<std::int64_t>(scenario.databases.size());
  const std::int64_t jobs = scenario.objective.jobs ? *scenario.objective.jobs / databases : cpus;
  return std::max<std::int64_t>(2, jobs);
}

}  // namespace rocktune::scenario
