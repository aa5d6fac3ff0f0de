// A process with one database of many column families, to measure what a poll of it costs and how
// much memory the agent takes: the database itself does nothing meanwhile.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

// Opens `path` with that many column families, each with files and a memtable, attaches the agent
// (ROCKTUNE_AGENT_MODE=off: as if it were not there), prints a line, and waits for SIGTERM. Returns
// the exit code.
int hold_families(const std::string& path, std::int64_t families);

}  // namespace rocktune::bench
