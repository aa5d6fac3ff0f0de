// App: rocktuned as a process: signals, reload, sockets and the parts in their order of life.
#pragma once

#include "daemon/config/load.h"
#include "daemon/log.h"

namespace rocktune::daemon {

// Runs until SIGTERM or SIGINT; SIGHUP reloads, and reopens the logs; SIGUSR1
// only reopens them. The exit code: 0, or 1 when it could not start.
int run(const Config& config, const ConfigInputs& inputs, Log& log);

}  // namespace rocktune::daemon
