// What `rocktune run` finds out before it becomes the command: each of these may fail with one
// clear error.
#pragma once

#include <optional>
#include <string>

#include "model/result.h"

namespace rocktune::tools {

// The file that running `command` would execute, as execvp finds it. kNotFound, or kPermission when
// it is there but cannot be executed.
Result<std::string> find_command(const std::string& command, const std::string& path_variable);

// librocktune_preload.so, for a rocktune that lies in `binary_directory`.
Result<std::string> find_preload(const std::string& binary_directory,
                                 const std::string& library_directory);

// The directory of the agents' sockets: what the user said, else $ROCKTUNE_AGENT_DIR, else
// /run/rocktune, or $XDG_RUNTIME_DIR/rocktune for others than root.
std::string default_agent_directory(bool root, const char* environment, const char* runtime);

// Makes the directory if it is not there, and checks that sockets can be made in it. Returns its
// absolute path.
Result<std::string> prepare_agent_directory(const std::string& directory);

// The new LD_PRELOAD: the library in front of what is there.
Result<std::string> preload_variable(const std::string& library, const char* before);

// A sentence if the preloaded agent cannot work in this executable; scripts, and programs that may
// load RocksDB later, are left alone.
std::optional<std::string> preload_warning(const std::string& executable);

}  // namespace rocktune::tools
