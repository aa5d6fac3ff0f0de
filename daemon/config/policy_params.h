// The numbers of a policy, by name: `policy_params` of the defaults and of each target.
#pragma once

#include <string>

#include "files/section.h"
#include "model/engine_config.h"

namespace rocktune::daemon {

// Reads them into `engine`, whose policy is read already. What is given takes the place of all that
// was inherited. `path` is the section's own in the file ("targets[0]."), `origin` that of what is
// inherited.
void read_policy_params(Section& section, Reading& reading, const std::string& path,
                        const std::string& origin, EngineConfig& engine);

}  // namespace rocktune::daemon
