// What the log says of the chosen policies, and of settings that do nothing or overrule each other,
// when rocktuned starts or reloads its configuration, and what --check-config says.
#pragma once

#include <string>
#include <vector>

#include "daemon/config/config.h"

namespace rocktune::daemon {

// A sentence for each policy that is to act although it is there to be compared with, for a silk
// that is not told what its device can do, for an adoc that may take no memory, for a share of a
// device that nobody has measured, for a pin that is above the budget, and for pins that the mode
// does not set.
std::vector<std::string> policy_notes(const Config& config);

}  // namespace rocktune::daemon
