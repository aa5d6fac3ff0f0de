// Ctrl-C, SIGTERM and a closed terminal ask a long command to end in order; a second one ends it at
// once. One that is ignored stays so (nohup).
#pragma once

namespace rocktune::tools {

inline constexpr int kStopped = 130;  // exit code: 128 + SIGINT, as shells have it

void take_stop_signals();
bool stop_requested();  // from any thread

}  // namespace rocktune::tools
