#include "files/agent_sockets.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "files/peer_process.h"
#include "files/words.h"

namespace rocktune {
namespace {

std::int64_t pid_of_process(std::string_view name) {
  const auto pid = parse_unsigned(name);
  return pid && *pid <= INT32_MAX ? static_cast<std::int64_t>(*pid) : 0;
}

// Adds what the names in a directory tell of; whether all were read. A directory that is not there
// has none.
Result<bool> read_pids(const std::string& directory, std::size_t most,
                       std::int64_t (*pid_in)(std::string_view), std::vector<std::int64_t>& pids) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (!entries && errno == ENOENT) return true;
  if (!entries) return fail(ErrorCode::kIo, directory + ": " + std::strerror(errno));
  for (std::size_t names = 0; names < most; ++names) {
    errno = 0;
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr && errno == 0) return true;
    if (entry == nullptr) return fail(ErrorCode::kIo, directory + ": " + std::strerror(errno));
    if (const std::int64_t pid = pid_in(entry->d_name); pid != 0) pids.push_back(pid);
  }
  return false;
}

// The processes that may have a socket in the directory, each once and in order.
Result<std::vector<std::int64_t>> possible_pids(const std::string& directory) {
  std::vector<std::int64_t> pids;
  const auto all = read_pids(directory, kMostNamesRead, pid_of_socket, pids);
  if (!all) return tl::unexpected(all.error());
  if (!*all) static_cast<void>(read_pids("/proc", SIZE_MAX, pid_of_process, pids));
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

std::optional<AgentSocket> look_at(const std::string& directory, std::int64_t pid) {
  const std::filesystem::path path =
      std::filesystem::path(directory) / ("agent." + std::to_string(pid) + ".sock");
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return std::nullopt;
  return AgentSocket{path.string(), pid, info.st_uid, static_cast<std::uint64_t>(info.st_ino),
                     info.st_ctim.tv_sec * std::int64_t{1'000'000'000} + info.st_ctim.tv_nsec};
}

}  // namespace

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
  auto pids = possible_pids(directory);
  if (!pids) return tl::unexpected(pids.error());
  if (pid > 0) *pids = {pid};
  AgentList list;
  std::map<uid_t, std::size_t>& count = list.too_many;
  for (const std::int64_t number : *pids) {
    auto socket = look_at(directory, number);
    if (!socket) continue;
    if (!is_trusted(socket->owner) && ++count[socket->owner] > kMostSocketsOfUser) continue;
    list.sockets.push_back(*std::move(socket));
  }
  std::sort(list.sockets.begin(), list.sockets.end(),
            [](const AgentSocket& a, const AgentSocket& b) { return a.path < b.path; });
  std::erase_if(count, [](const auto& user) { return user.second <= kMostSocketsOfUser; });
  return list;
}

}  // namespace rocktune
