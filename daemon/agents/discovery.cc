#include "daemon/agents/discovery.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "daemon/trace_directory.h"

namespace rocktune::daemon {

Result<void> make_agent_directory(const std::string& directory, Log& log) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(directory, error);
  Result<void> made = ensure_directory(directory, "agent sockets", log);
  if (!made || is_there || ::geteuid() != 0) return made;
  if (::chmod(directory.c_str(), 01777) == 0) return {};
  return fail(ErrorCode::kIo, directory + ": " + std::strerror(errno));
}

AgentChanges compare_agents(const std::map<std::string, AgentSocket>& before,
                            const std::vector<AgentSocket>& now) {
  AgentChanges changes;
  std::map<std::string, AgentSocket> left = before;
  for (const AgentSocket& socket : now) {
    const auto known = left.find(socket.path);
    if (known == left.end()) {
      changes.appeared.push_back(socket);
      continue;
    }
    if (known->second == socket) {
      left.erase(known);
    } else {
      changes.appeared.push_back(socket);  // and the one before has vanished: it stays in `left`
    }
  }
  for (const auto& [path, socket] : left) changes.vanished.push_back(socket);
  return changes;
}

}  // namespace rocktune::daemon
