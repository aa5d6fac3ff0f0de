#include "bench/compare/policies.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

#include "bench/device/target_device.h"
#include "policy/policy.h"

namespace rocktune::bench {
namespace {

// RocksDB's auto-tuned limiter works between its rate and a twentieth of it (util/rate_limiter.cc).
// On a disk of unknown speed this is the rate that it may give at most: more than compaction
// threads of one database were seen to produce (policy/guard_limits.h).
constexpr std::int64_t kUnknownDeviceRate = std::int64_t{1} << 30;
// The daemon's default for rate_limit_min (model/objective.h); scaled like every other rate.
constexpr double kLeastRate = 10.0 * (1 << 20);
constexpr double kLeastScaledRate = 64.0 * (1 << 10);

std::string known_list() {
  std::string known;
  for (const std::string& one : known_policies()) known += (known.empty() ? "" : ", ") + one;
  return known + ", " + kStaticAt + "CONFIGURATION";
}

std::string configuration_of(const std::string& policy) {
  return is_static_at(policy) ? policy.substr(std::string(kStaticAt).size()) : "";
}

// "--policies: 'NAME'", for messages.
std::string given_as(const std::string& option, const std::string& name) {
  std::string text = option;
  return text.append(": '").append(name).append("'");
}

Result<void> check_policy(const std::string& name, const std::string& option) {
  if (is_static_at(name)) {
    const std::string configuration = configuration_of(name);
    // A policy's name is part of its runs' file names, which no path can be.
    if (configuration.find('/') != std::string::npos ||
        configuration.find(".yaml") != std::string::npos) {
      return fail(ErrorCode::kInvalidArgument,
                  given_as(option, name) + ": takes a built-in configuration's name, not a file");
    }
    const auto loaded = load_configuration(configuration);
    if (!loaded) return tl::unexpected(loaded.error().within(given_as(option, name)));
    return {};
  }
  const std::vector<std::string> known = known_policies();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return fail(ErrorCode::kInvalidArgument,
              given_as(option, name) + " is not known; known: " + known_list());
}

// Whether rocktuned's `read_p99` is about this operation, or its `write_p99`.
bool is_read(Operation operation) {
  switch (operation) {
    case Operation::kRead:
    case Operation::kScan:
    case Operation::kReadMissing:
      return true;
    case Operation::kUpdate:
    case Operation::kReadModifyWrite:  // waits for the write
    case Operation::kInsert:
    case Operation::kDelete:
      break;
  }
  return false;
}

// The tightest P99 limit on any of these operations, in microseconds; 0: none is stated.
std::int64_t tightest_p99_us(const Objective& objective, bool reads) {
  std::int64_t tightest = 0;
  for (const LatencyLimit& limit : objective.limits) {
    if (limit.percentile != "p99_us" || is_read(limit.operation) != reads) continue;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(limit.limit).count();
    if (tightest == 0 || us < tightest) tightest = us;
  }
  return tightest;
}

// rocktuned's name for what matters first: one of its own, or of the limit's kind.
std::string priority(const Objective& objective) {
  for (const LatencyLimit& limit : objective.limits) {
    if (limit.metric == objective.first) return is_read(limit.operation) ? "read_p99" : "write_p99";
  }
  return objective.first;
}

Result<PolicySetup> native_setup(const Scenario& scenario) {
  const auto rate = device_write_rate(scenario);
  if (!rate) return tl::unexpected(rate.error());
  PolicySetup setup;
  for (const ScenarioDatabase& database : scenario.databases) {
    setup.options.push_back(option_of(scenario, database, "rate_limit", std::to_string(*rate)));
    setup.options.push_back(option_of(scenario, database, "auto_tuned_rate_limit", "true"));
  }
  return setup;
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
  const std::int64_t found = database.configuration.block_cache_bytes + memtable_bytes(database);
  if (scenario.objective.memory_bytes) return std::max(memory_share(scenario, database), found);
  return found + (policy == "adoc" ? adoc_memory(scenario, database) : 0);
}

}  // namespace

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

bool is_static_at(const std::string& policy) {
  return policy.starts_with(kStaticAt);
}

std::vector<std::string> known_policies() {
  std::vector<std::string> known = {kStatic, kBestStatic, kNativeAutoTuned};
  for (const std::string& name : policy_names()) {
    if (name != kStatic) known.push_back(name);
  }
  return known;
}

Result<std::vector<std::string>> parse_policies(const std::string& list,
                                                const std::string& option) {
  std::vector<std::string> policies;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    if (auto known = check_policy(name, option); !known) return tl::unexpected(known.error());
    if (std::find(policies.begin(), policies.end(), name) != policies.end()) {
      return fail(ErrorCode::kInvalidArgument, given_as(option, name) + " is given twice");
    }
    policies.push_back(name);
  }
  if (policies.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                option + ": give one or more, separated by commas; known: " + known_list());
  }
  return policies;
}

Result<PolicySetup> policy_setup(const std::string& policy, const Scenario& scenario,
                                 const std::vector<std::string>& best_options) {
  if (policy == kStatic) return PolicySetup{};
  if (is_static_at(policy)) return PolicySetup{{}, {}, configuration_of(policy)};
  if (policy == kBestStatic) return PolicySetup{best_options, {}, {}};
  if (policy == kNativeAutoTuned) return native_setup(scenario);
  DaemonSettings daemon;
  daemon.sections = daemon_sections(policy, scenario);
  return PolicySetup{{}, daemon, {}};
}

DaemonSettings observing_daemon(const Scenario& scenario) {
  return {.mode = "observe", .sections = daemon_sections(kStatic, scenario)};
}

EngineConfig engine_config(const std::string& policy, const Scenario& scenario,
                           const ScenarioDatabase& database) {
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
  config.budget.jobs_max = jobs_share(scenario);
  config.budget.rate_limit_min = BytesPerSecond{std::round(least_rate(scenario))};
  config.budget.device_share = scenario.objective.device_share.value_or(config.budget.device_share);
  if (scenario.objective.memory_bytes || policy == "adoc") {
    config.budget.memory_max = Bytes{memory_max(policy, scenario, database)};
  }
  return config;
}

std::string daemon_sections(const std::string& policy, const Scenario& scenario) {
  std::ostringstream out;
  out << "defaults:\n  policy: " << policy << "\n";
  if (const PolicyParams params = peer_params(policy, scenario); !params.empty()) {
    out << "  policy_params:\n";
    for (const auto& [name, value] : params) {
      out << "    " << name << ": " << std::fixed << std::setprecision(1) << value << "\n";
    }
    out << std::defaultfloat;
  }
  const std::int64_t read = tightest_p99_us(scenario.objective, true);
  const std::int64_t write = tightest_p99_us(scenario.objective, false);
  out << "  objective:\n    first: " << priority(scenario.objective) << "\n";
  if (read > 0) out << "    read_p99: " << read << "us\n";
  if (write > 0) out << "    write_p99: " << write << "us\n";
  out << "  budget:\n    jobs_max: " << jobs_share(scenario)
      << "\n    rate_limit_min: " << std::llround(least_rate(scenario)) << "B/s\n";
  if (scenario.objective.device_share) {
    out << "    device_share: " << *scenario.objective.device_share << "\n";
  }
  if (!scenario.objective.memory_bytes && policy != "adoc") return out.str();
  out << "targets:\n";
  for (const ScenarioDatabase& database : scenario.databases) {
    out << "  - path: \"/*/" << database.name
        << "\"\n    budget: {memory_max: " << memory_max(policy, scenario, database) << "B}\n";
  }
  return out.str();
}

std::string option_of(const Scenario& scenario, const ScenarioDatabase& database,
                      const std::string& key, const std::string& value) {
  const std::string option = key + "=" + value;
  return scenario.databases.size() == 1 ? option : database.name + ":" + option;
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
  if (scenario.objective.memory_bytes) return *scenario.objective.memory_bytes / databases;
  return database.configuration.block_cache_bytes + memtable_bytes(database);
}

std::int64_t jobs_share(const Scenario& scenario) {
  const auto databases = static_cast<std::int64_t>(scenario.databases.size());
  const std::int64_t jobs = scenario.objective.jobs ? *scenario.objective.jobs / databases
                                                    : sysconf(_SC_NPROCESSORS_ONLN);
  return std::max<std::int64_t>(2, jobs);
}

}  // namespace rocktune::bench
