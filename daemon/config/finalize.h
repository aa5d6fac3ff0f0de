// finalize(): RawConfig -> Config, or every error at once, each as
// `file:line:col: key: message` (or `environment NAME: key: message`).
#pragma once

#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "daemon/config/config.h"
#include "files/raw_config.h"

namespace rocktune::daemon {

using ConfigResult = tl::expected<Config, std::vector<std::string>>;

ConfigResult finalize(const RawConfig& raw);

// Every key that can be overridden, dotted: "daemon.mode".
std::set<std::string> config_keys();

}  // namespace rocktune::daemon
