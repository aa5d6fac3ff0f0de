// What the log says of the chosen policies when rocktuned starts or reloads its configuration.
#pragma once

#include <string>
#include <vector>

#include "daemon/config/config.h"

namespace rocktune::daemon {

// One sentence for each policy that is to act although it is there to be compared with.
std::vector<std::string> policy_notes(const Config& config);

}  // namespace rocktune::daemon
