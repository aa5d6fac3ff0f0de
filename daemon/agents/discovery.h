// Discovery: which agents there are, from the names of the sockets in the agents' directory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::daemon {

struct AgentSocket {
  std::string path;
  std::int64_t pid = 0;  // from the name
  uid_t owner = 0;
  // Others: the agent began anew under the same name.
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const AgentSocket&) const = default;
};

// "agent.123.sock" -> 123; 0 for any other name.
std::int64_t pid_of_socket(std::string_view file_name);

// Makes the agents' directory where there is none; as root for agents of every user: mode 1777, as
// /tmp has it and the systemd unit makes it. One that is there stays as it is.
Result<void> make_agent_directory(const std::string& directory);

struct AgentList {
  std::vector<AgentSocket> sockets;       // by path
  std::map<uid_t, std::size_t> too_many;  // users with more than kMostSocketsOfUser: how many they
                                          // have; the last by path are left out
};

// The sockets in `directory`. One that does not exist (yet) has none.
Result<AgentList> list_agents(const std::string& directory);

// What changed between two looks.
struct AgentChanges {
  std::vector<AgentSocket> appeared;
  std::vector<AgentSocket> vanished;
};
AgentChanges compare_agents(const std::map<std::string, AgentSocket>& before,
                            const std::vector<AgentSocket>& now);

}  // namespace rocktune::daemon
