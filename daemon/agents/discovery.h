// Discovery: how the agents that there are (files/agent_sockets.h) change from look to look.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/log.h"
#include "files/agent_sockets.h"

namespace rocktune::daemon {

// Makes the agents' directory where there is none; as root for agents of every user: mode 1777, as
// /tmp has it and the systemd unit makes it. One that is there stays as it is.
Result<void> make_agent_directory(const std::string& directory, Log& log);

// What changed between two looks.
struct AgentChanges {
  std::vector<AgentSocket> appeared;
  std::vector<AgentSocket> vanished;
};
AgentChanges compare_agents(const std::map<std::string, AgentSocket>& before,
                            const std::vector<AgentSocket>& now);

}  // namespace rocktune::daemon
