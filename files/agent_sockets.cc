#include "files/agent_sockets.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "files/peer_process.h"
#include "files/words.h"

namespace rocktune {

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

Result<AgentList> list_agents(const std::string& directory, std::int64_t pid) {
  namespace fs = std::filesystem;
  AgentList list;
  std::vector<AgentSocket>& sockets = list.sockets;
  std::error_code error;
  fs::directory_iterator it(directory, error);
  if (error == std::errc::no_such_file_or_directory) return list;
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::int64_t in_name = pid_of_socket(it->path().filename().string());
    struct stat info{};
    if (in_name == 0 || (pid > 0 && in_name != pid)) continue;
    if (::lstat(it->path().c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) continue;
    sockets.push_back({it->path().string(), in_name, info.st_uid,
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

}  // namespace rocktune
