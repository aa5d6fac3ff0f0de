#include "bench/compare/policies.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "model/text.h"
#include "policy/policy.h"
#include "policy/policy_choice.h"
#include "scenario/engine.h"

namespace rocktune::bench {
namespace {

std::string known_list() {
  std::string known;
  for (const std::string& one : known_policies()) known += (known.empty() ? "" : ", ") + one;
  return known + ", " + kStaticAt +
         "CONFIGURATION; with parameters, one of rocktuned's: NAME:param=value:param=value";
}

std::string configuration_of(const std::string& policy) {
  return is_static_at(policy) ? policy.substr(std::string(kStaticAt).size()) : "";
}

// "--policies: 'NAME'", for messages.
std::string given_as(const std::string& option, const std::string& name) {
  std::string text = option;
  return text.append(": '").append(name).append("'");
}

// A policy of rocktuned's, and what is given with it; of those that parse_policies() let pass.
PolicyChoice choice_of(const std::string& policy) {
  auto choice = parse_policy_choice(policy);
  return choice ? *std::move(choice) : PolicyChoice{policy, policy, {}};
}

// With parameters: as written, or in its shortest form, so that one choice has one name.
Result<std::string> checked_choice(const std::string& name, const std::string& option) {
  for (const char* ours : {kBestStatic, kNativeAutoTuned}) {  // which rocktuned does not know
    if (name.substr(0, name.find(':')) != ours) continue;
    return fail(ErrorCode::kInvalidArgument,
                given_as(option, name) + ": " + ours + " takes no parameters");
  }
  const auto choice = parse_policy_choice(name);
  if (!choice) return tl::unexpected(choice.error().within(option));
  if (choice->label == name) return choice_text(choice->name, choice->params);
  // A policy's name is part of its runs' file names, which no label is checked for.
  return fail(ErrorCode::kInvalidArgument,
              given_as(option, name) + ": takes NAME:param=value, no label");
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
    const auto loaded = scenario::load_configuration(configuration);
    if (!loaded) return tl::unexpected(loaded.error().within(given_as(option, name)));
    return {};
  }
  const std::vector<std::string> known = known_policies();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return fail(ErrorCode::kInvalidArgument,
              given_as(option, name) + " is not known; known: " + known_list());
}

Result<PolicySetup> native_setup(const scenario::Scenario& scenario) {
  const auto rate = scenario::device_write_rate(scenario);
  if (!rate) return tl::unexpected(rate.error());
  PolicySetup setup;
  for (const scenario::ScenarioDatabase& database : scenario.databases) {
    setup.options.push_back(option_of(scenario, database, "rate_limit", std::to_string(*rate)));
    setup.options.push_back(option_of(scenario, database, "auto_tuned_rate_limit", "true"));
  }
  return setup;
}

EngineConfig config_of(const std::string& policy, const scenario::Scenario& scenario,
                       const scenario::ScenarioDatabase& database) {
  const PolicyChoice choice = choice_of(policy);
  return engine_of(scenario::engine_config(choice.name, scenario, database, machine_cpus()),
                   choice);
}

}  // namespace

std::int64_t machine_cpus() {
  return sysconf(_SC_NPROCESSORS_ONLN);
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
    if (!is_static_at(name) && name.find(':') != std::string::npos) {
      auto choice = checked_choice(name, option);
      if (!choice) return tl::unexpected(choice.error());
      name = *std::move(choice);
    } else if (auto known = check_policy(name, option); !known) {
      return tl::unexpected(known.error());
    }
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

Result<PolicySetup> policy_setup(const std::string& policy, const scenario::Scenario& scenario,
                                 const std::vector<std::string>& best_options) {
  if (policy == kStatic) return PolicySetup{};
  if (is_static_at(policy)) return PolicySetup{{}, {}, configuration_of(policy)};
  if (policy == kBestStatic) return PolicySetup{best_options, {}, {}};
  if (policy == kNativeAutoTuned) return native_setup(scenario);
  // Parameters that were given, and those of the scenario's size, may not go together.
  const EngineConfig engine = config_of(policy, scenario, scenario.databases.front());
  if (const auto made = make_policy(engine.policy, engine.policy_params); !made) {
    return tl::unexpected(made.error());
  }
  DaemonSettings daemon;
  daemon.sections = daemon_sections(policy, scenario);
  return PolicySetup{{}, daemon, {}};
}

DaemonSettings observing_daemon(const scenario::Scenario& scenario) {
  return {.mode = "observe", .sections = daemon_sections(kStatic, scenario)};
}

std::string daemon_sections(const std::string& policy, const scenario::Scenario& scenario) {
  const EngineConfig shared = config_of(policy, scenario, scenario.databases.front());
  std::ostringstream out;
  out << "defaults:\n  policy: " << shared.policy << "\n";
  if (!shared.policy_params.empty()) {
    out << "  policy_params:\n";
    for (const auto& [name, value] : shared.policy_params) {
      out << "    " << name << ": " << text::exact(value) << "\n";
    }
  }
  out << "  objective:\n    first: " << to_string(shared.objective.first) << "\n";
  for (const bool reads : {true, false}) {
    const std::int64_t limit = scenario::tightest_p99_us(scenario.objective, reads);
    if (limit > 0) out << (reads ? "    read_p99: " : "    write_p99: ") << limit << "us\n";
  }
  out << "  budget:\n    jobs_max: " << *shared.budget.jobs_max
      << "\n    rate_limit_min: " << std::llround(shared.budget.rate_limit_min.value) << "B/s\n";
  if (scenario.objective.device_share) {
    out << "    device_share: " << shared.budget.device_share << "\n";
  }
  if (!shared.budget.memory_max) return out.str();
  out << "targets:\n";
  for (const scenario::ScenarioDatabase& database : scenario.databases) {
    const EngineConfig own = config_of(policy, scenario, database);
    out << "  - path: \"/*/" << database.name
        << "\"\n    budget: {memory_max: " << own.budget.memory_max->value << "B}\n";
  }
  return out.str();
}

std::string option_of(const scenario::Scenario& scenario,
                      const scenario::ScenarioDatabase& database, const std::string& key,
                      const std::string& value) {
  const std::string option = key + "=" + value;
  return scenario.databases.size() == 1 ? option : database.name + ":" + option;
}

}  // namespace rocktune::bench
