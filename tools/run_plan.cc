#include "tools/run_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "tools/elf.h"

namespace rocktune::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "librocktune_preload.so";
// The longest name in the directory is "/agent.<pid>.sock", with a pid of up to 4194304; a Unix
// socket's path has at most 107 bytes.
constexpr std::size_t kLongestDirectory = 107 - std::string_view("/agent.4194304.sock").size();

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_executable(const std::string& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_command(const std::string& command, const std::string& path_variable) {
  if (command.find('/') != std::string::npos) {
    if (is_executable(command)) return command;
    if (is_file(command)) return fail(ErrorCode::kPermission, command + ": not executable");
    return fail(ErrorCode::kNotFound, command + ": no such program");
  }
  bool found = false;
  std::size_t begin = 0;
  while (!command.empty() && begin <= path_variable.size()) {
    const std::size_t end = std::min(path_variable.find(':', begin), path_variable.size());
    const std::string directory = path_variable.substr(begin, end - begin);
    std::string candidate = (directory.empty() ? "." : directory) + "/" + command;
    if (is_executable(candidate)) return candidate;
    found = found || is_file(candidate);
    begin = end + 1;
  }
  if (found) return fail(ErrorCode::kPermission, command + ": found in PATH, but not executable");
  return fail(ErrorCode::kNotFound, command + ": no such program in PATH");
}

Result<std::string> find_preload(const std::string& binary_directory,
                                 const std::string& library_directory) {
  const fs::path beside = fs::path(binary_directory).parent_path() / "lib";
  std::string tried;
  for (const fs::path& directory : {beside, beside / "x86_64-linux-gnu",
                                    beside / "aarch64-linux-gnu", fs::path(library_directory)}) {
    std::string candidate = (directory / kLibrary).string();
    if (is_file(candidate)) return candidate;
    tried += (tried.empty() ? "" : ", ") + directory.string();
  }
  return fail(ErrorCode::kNotFound, std::string(kLibrary) + " is not installed (looked in " +
                                        tried +
                                        "); install rocktune, or in its clone `./dev build "
                                        "installed`");
}

std::string default_agent_directory(bool root, const char* environment, const char* runtime) {
  if (environment != nullptr && *environment != '\0') return environment;
  if (!root && runtime != nullptr && *runtime != '\0') return std::string(runtime) + "/rocktune";
  return "/run/rocktune";
}

Result<std::string> prepare_agent_directory(const std::string& directory) {
  const std::string context = "agent directory " + directory;
  const std::string advice = "; name another one with --agent-dir";
  std::error_code error;
  std::string absolute = fs::absolute(directory, error).lexically_normal().string();
  if (directory.empty() || error) {
    return fail(ErrorCode::kInvalidArgument, context + ": no usable path" + advice);
  }
  if (absolute.size() > kLongestDirectory) {
    return fail(ErrorCode::kInvalidArgument,
                context + ": longer than " + std::to_string(kLongestDirectory) +
                    " bytes, which is too long for a socket's path" + advice);
  }
  const bool existed = fs::exists(absolute, error);
  if (!existed) fs::create_directories(absolute, error);
  if (error) {
    return fail(ErrorCode::kIo, context + ": cannot be made: " + error.message() + advice);
  }
  // Others may look, but put nothing there; the sockets themselves have mode 0600.
  if (!existed) fs::permissions(absolute, fs::perms(0755), error);
  if (!fs::is_directory(absolute, error)) {
    return fail(ErrorCode::kInvalidArgument, context + ": is no directory" + advice);
  }
  if (::access(absolute.c_str(), W_OK | X_OK) != 0) {
    return fail(ErrorCode::kPermission, context + ": you may not write there" + advice);
  }
  return absolute;
}

Result<std::string> preload_variable(const std::string& library, const char* before) {
  if (library.find_first_of(" :") != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument,
                library +
                    ": LD_PRELOAD takes no path with a space or colon; install rocktune "
                    "elsewhere");
  }
  return before != nullptr && *before != '\0' ? library + ":" + before : library;
}

std::optional<std::string> preload_warning(const std::string& executable) {
  const auto info = read_elf(executable);
  if (!info) return std::nullopt;
  if (!info->dynamic) {
    return executable +
           " is statically linked: no agent can be preloaded into it; link "
           "rocktune's agent into the program instead";
  }
  const auto linked = linked_to_rocksdb(executable, *info);
  if (linked == std::optional(false) && contains_rocksdb(executable)) {
    return executable +
           " has RocksDB built in, not linked to librocksdb.so: the preloaded agent "
           "will not see it; link rocktune's agent into the program instead";
  }
  return std::nullopt;
}

}  // namespace rocktune::tools
