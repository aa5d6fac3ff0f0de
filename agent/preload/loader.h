// Loads the agent into the process when its first database is opened, if that is safe.
#pragma once

#include "agent/preload/api.h"

namespace rocktune::preload {

// The agent, once it was loaded; nullptr before and when it cannot be.
const Api* api();

// The same at an open: tries to load it at the first one. `real_open` is the function of RocksDB
// that is about to be called; a failure is told by say_why().
const Api* api_for(const void* real_open);

}  // namespace rocktune::preload
