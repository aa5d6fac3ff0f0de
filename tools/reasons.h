// Why processes that were started with the agent, or some of their databases, are not seen: the
// lines that the preloaded library left in agent.<pid>.why beside the place of the socket
// (docs/attach.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktune::tools {

// One sentence per reason: "process 4711: <reason>", as the file has it (not all of it may be
// printable). Those of processes that have ended are left out, and so is everything that is no
// plain file of the process's user or of root; of a file the first 16 KiB are read.
// `pid` above 0: of this process alone.
std::vector<std::string> unseen_processes(const std::string& directory, std::int64_t pid);

}  // namespace rocktune::tools
