#include "daemon/agents/discovery.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "daemon/agents/peer_process.h"
#include "daemon/sources/text_file.h"
#include "daemon/trace_directory.h"

namespace rocktune::daemon {

std::int64_t pid_of_socket(std::string_view file_name) {
  constexpr std::string_view kPrefix = "agent.";
  constexpr std::string_view kSuffix = ".sock";
  if (file_name.size() <= kPrefix.size() + kSuffix.size() ||
      file_name.substr(0, kPrefix.size()) != kPrefix ||
      file_name.substr(file_name.size() - kSuffix.size()) != kSuffix) {
    return 0;
  }
  const auto pid = parse_unsigned(
      file_name.substr(kPrefix.size(), file_name.size() - kPrefix.size() - kSuffix.size()));
  return pid && *pid <= INT32_MAX ? static_cast<std::int64_t>(*pid) : 0;
}

Result<void> make_agent_directory(const std::string& directory) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(directory, error);
  Result<void> made = ensure_directory(directory, "agent sockets");
  if (!made || is_there || ::geteuid() != 0) return made;
  if (::chmod(directory.c_str(), 01777) == 0) return {};
  return fail(ErrorCode::kIo, directory + ": " + std::strerror(errno));
}

Result<AgentList> list_agents(const std::string& directory) {
  namespace fs = std::filesystem;
  AgentList list;
  std::vector<AgentSocket>& sockets = list.sockets;
  std::error_code error;
  fs::directory_iterator it(directory, error);
  if (error == std::errc::no_such_file_or_directory) return list;
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::int64_t pid = pid_of_socket(it->path().filename().string());
    struct stat info{};
    if (pid == 0 || ::lstat(it->path().c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) continue;
    sockets.push_back({it->path().string(), pid, info.st_uid,
                       static_cast<std::uint64_t>(info.st_ino),
                       info.st_ctim.tv_sec * std::int64_t{1'000'000'000} + info.st_ctim.tv_nsec});
  }
  if (error) return fail(ErrorCode::kIo, directory + ": " + error.message());
  std::sort(sockets.begin(), sockets.end(),
            [](const AgentSocket& a, const AgentSocket& b) { return a.path < b.path; });
  std::map<uid_t, std::size_t>& count = list.too_many;
  std::erase_if(sockets, [&](const AgentSocket& socket) {
    return !is_trusted(socket.owner) && ++count[socket.owner] > kMostSocketsOfUser;
  });
  std::erase_if(count, [](const auto& user) { return user.second <= kMostSocketsOfUser; });
  return list;
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
