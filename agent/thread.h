// Starts the agent's threads: named, and with every signal blocked, since the handlers of the
// host's signals must not run on them.
#pragma once

#include <functional>
#include <thread>

namespace rocktune::agent {

// `name` has at most 15 characters. Throws when there is no thread to be had.
std::thread start_thread(const char* name, std::function<void()> run);

}  // namespace rocktune::agent
