// The policies that can be compared, by name, and how each is set up for a run of a scenario: with
// options of RocksDB's own, with a rocktuned beside it, or neither. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/daemon.h"
#include "model/engine_config.h"
#include "model/result.h"
#include "scenario/scenario.h"

namespace rocktune::bench {

// Nobody turns anything: the options stay as the scenario opens them.
inline constexpr const char* kStatic = "static";
// The best options that a search of ours found, set at open (search.h).
inline constexpr const char* kBestStatic = "best-static";
// RocksDB's own auto-tuned rate limiter, set at open.
inline constexpr const char* kNativeAutoTuned = "native-auto-tuned";

// "static@ReadOpt-512MB": static too, but every database is loaded and opened with that built-in
// configuration instead of the scenario's own. What a tuner could come to at best, or so.
inline constexpr const char* kStaticAt = "static@";
bool is_static_at(const std::string& policy);

// static, best-static and native-auto-tuned, and every policy that rocktuned knows by name.
std::vector<std::string> known_policies();

// "static,headroom": each known, or static@ and a configuration, and given once. One of rocktuned's
// may have parameters (policy/policy_choice.h, without a label); it is called by its shortest form.
// What is wrong says which ones there are, and of which option it is.
Result<std::vector<std::string>> parse_policies(const std::string& list,
                                                const std::string& option = "--policies");

struct PolicySetup {
  std::vector<std::string> options;  // KEY=VALUE or DATABASE:KEY=VALUE, as `run --config`
  std::optional<DaemonSettings> daemon;
  std::string configuration;  // instead of the scenario's own; empty: that one
};

// `best_options`: what the search found; only best-static needs it.
Result<PolicySetup> policy_setup(const std::string& policy, const scenario::Scenario& scenario,
                                 const std::vector<std::string>& best_options);

// A rocktuned that only observes, and records what it sees.
DaemonSettings observing_daemon(const scenario::Scenario& scenario);

// The CPUs of this machine, which a run of a scenario may use.
std::int64_t machine_cpus();

// The daemon's `defaults:` for a policy of its own: the scenario's objective as far as rocktuned
// has words for it, and what the scenario lets a tuner spend.
std::string daemon_sections(const std::string& policy, const scenario::Scenario& scenario);

// One option of one of the scenario's databases, as `run --config` takes it.
std::string option_of(const scenario::Scenario& scenario,
                      const scenario::ScenarioDatabase& database, const std::string& key,
                      const std::string& value);

}  // namespace rocktune::bench
