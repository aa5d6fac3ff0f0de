// How a scenario fails: with one line, at once, from any thread.
#pragma once

#include <string>

namespace rocktune::stress {

// The directory of this run, which goes with the process; also ROCKTUNE_AGENT_DIR.
const std::string& make_root();
const std::string& root();
void remove_root() noexcept;

[[noreturn]] void fail(const std::string& what);
void check(bool good, const std::string& what);

// The agent's socket of a process.
std::string socket_of(int pid);

}  // namespace rocktune::stress
