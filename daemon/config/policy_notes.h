// What the log says of the chosen policies, and of settings that do nothing, when rocktuned starts
// or reloads its configuration.
#pragma once

#include <string>
#include <vector>

#include "daemon/config/config.h"

namespace rocktune::daemon {

// A sentence for each policy that is to act although it is there to be compared with, for a silk
// that is not told what its device can do, and for a share of a device that nobody has measured.
std::vector<std::string> policy_notes(const Config& config);

}  // namespace rocktune::daemon
