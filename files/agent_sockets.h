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
// The directory may be open to all, and this is done at each poll: whoever fills it may not make
// that slow. Names that are read there, as many as an agent reads (agent/socket_file.cc); where
// there are more the running processes are gone through as well, of which nobody can have so many.
constexpr std::size_t kMostNamesRead = 4096;

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
  std::map<uid_t, std::size_t> too_many;  // users with more than kMostSocketsOfUser: how many of
                                          // theirs were found; the last by pid are left out
};

// The sockets in `directory`; of one process where `pid` is above 0. A directory that does not
// exist (yet) has none; one that cannot be read is kIo. Links and files are no sockets, and
// neither are names that no agent gives ("agent.007.sock").
Result<AgentList> list_agents(const std::string& directory, std::int64_t pid = 0);

}  // namespace rocktune
