// Where a config comes from: the file, then the environment (ROCKTUNED_<SECTION>_<KEY>), then the
// command line; the later ones win. The same code serves start, --check-config and SIGHUP.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/config/finalize.h"

namespace rocktune::daemon {

struct ConfigInputs {
  std::string file;                                // empty: built-in defaults only
  std::map<std::string, std::string> environment;  // only names that begin with ROCKTUNED_ matter
  std::vector<Override> command_line;
  bool optional = false;  // where there is no such file: as if it were empty
};

inline constexpr std::string_view kDefaultConfigFile = "/etc/rocktune/rocktuned.yaml";

// Whether it is the built-in defaults for want of the file.
bool has_no_file(const ConfigInputs& inputs);
ConfigResult load_config(const ConfigInputs& inputs);
std::map<std::string, std::string> environment_variables();

// "daemon.poll_interval" -> "ROCKTUNED_DAEMON_POLL_INTERVAL"
std::string environment_name(const std::string& key);

// `key: value   # origin`, one line each, in the order of the config file.
std::string print_config(const Config& config);

}  // namespace rocktune::daemon
