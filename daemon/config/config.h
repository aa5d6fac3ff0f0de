// Config: what rocktuned runs on, checked. Only finalize() (and load_config(), which calls it)
// makes one, so an invalid one cannot be represented. Plain values; safe to copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/section.h"
#include "model/clock.h"
#include "model/engine_config.h"
#include "model/units.h"
#include "policy/sharing.h"

namespace rocktune::daemon {

// observe: watch and warn. advise: decide too, apply nothing. act: apply what the guard allows.
enum class Mode { kObserve, kAdvise, kAct };
std::string_view to_string(Mode mode);

struct HttpListen {
  std::string address;  // numeric: "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool operator==(const HttpListen&) const = default;
};

// What holds for one database; the first rule whose pattern matches its path, else the defaults.
struct TargetRule {
  std::string path;  // a glob as of fnmatch(3); '*' also crosses '/'
  std::string name;  // as logs call it; empty: the database's path
  Mode mode = Mode::kAdvise;
  EngineConfig engine;
  std::vector<std::string> freeze;  // knobs that rocktune leaves alone
  bool all_events = false;          // in the trace, not only what is notable
  std::string device_stat;          // a /sys/block-style stat file to read instead of looking
  double weight = 1;                // against the others where budgets are shared
  bool operator==(const TargetRule&) const = default;
};

class Finalizer;

struct Config {
  class Key {
    friend class Finalizer;
    Key() = default;
  };
  explicit Config(Key) {}

  std::string name = "rocktuned";  // the holder of leases
  Mode mode = Mode::kAdvise;
  Nanoseconds poll_interval = std::chrono::milliseconds(500);
  std::string agent_dir = "/run/rocktune";
  std::string control_socket = "/run/rocktune/rocktuned.sock";
  std::string freeze_file = "/run/rocktune/freeze";  // while it is there nothing is changed

  std::string log_level = "info";
  std::string log_file = "stderr";  // or a path
  std::string alert_log_file = "/var/log/rocktune/alerts.jsonl";

  std::string trace_directory = "/var/lib/rocktune";
  Bytes trace_max_size = 2_GiB;                             // of all runs together
  Nanoseconds trace_max_age = std::chrono::hours(24 * 14);  // of a run, and of a sample
  std::string trace_events = "notable";                     // or "all"
  std::string model_prior = "builtin";                      // or "none", or a path
  std::string model_state_directory;                        // empty: what is learnt is not saved
  Nanoseconds model_save_interval = std::chrono::minutes(10);
  std::optional<HttpListen> http = HttpListen{"127.0.0.1", 9730};  // unset: off

  Nanoseconds lease_duration = std::chrono::seconds(15);
  std::string on_daemon_loss = "restore";  // or "keep"

  std::string proc_root = "/proc";
  std::string sys_root = "/sys";

  HostBudget shared;               // what those that share may take together
  std::string share_with = "own";  // users' databases: those of one user, or "all"

  EngineConfig engine;  // `defaults`, with model.prior
  std::vector<TargetRule> targets;

  std::vector<Setting> settings;  // every value with its origin

  // Which of `targets` holds for a database at `path`; unset: the defaults do.
  [[nodiscard]] std::optional<std::size_t> entry_for(const std::string& path) const;
  // The rule for it.
  [[nodiscard]] TargetRule rule_for(const std::string& path) const;
};

}  // namespace rocktune::daemon
