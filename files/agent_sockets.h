// Which agents there are, from the names of the sockets in the agents' directory. Thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune {

// So that nobody crowds out the others: sockets of one user that are looked at. Root and this
// process's own user are not limited.
constexpr std::size_t kMostSocketsOfUser = 64;

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

struct AgentList {
  std::vector<AgentSocket> sockets;       // by path
  std::map<uid_t, std::size_t> too_many;  // users with more than kMostSocketsOfUser: how many they
                                          // have; the last by path are left out
};

// The sockets in `directory`; of one process where `pid` is above 0. A directory that does not
// exist (yet) has none; one that cannot be read is kIo. Links and files are no sockets.
Result<AgentList> list_agents(const std::string& directory, std::int64_t pid = 0);

}  // namespace rocktune
