// Ctrl-C, SIGTERM and a closed terminal ask a command to stop and to write what it has; a second
// one ends it at once.
#pragma once

#include <atomic>

namespace rocktune::bench {

// Set once a signal has come. Lock-free, hence safe to set in the handler.
std::atomic<bool>& stop_requested();
void install_stop_signals();

}  // namespace rocktune::bench
