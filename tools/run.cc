// rocktune run: becomes COMMAND, with the agent preloaded. Exit code, signals and standard streams
// are the command's own, since there is no process in between.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string_view>
#include <system_error>

#include "tools/command.h"
#include "tools/run_plan.h"
#include "tools/version.h"
#include "wire/agent_settings.h"

namespace rocktune::tools {
namespace {

// As env(1) and the shells have it: the exit code is the command's, but for these.
constexpr int kCannotExecute = 126;
constexpr int kNoSuchCommand = 127;

struct RunOptions {
  std::string agent_directory;
  std::string mode;
  std::vector<std::string> command;
};

Result<std::string> own_directory() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(ErrorCode::kIo, "/proc/self/exe cannot be read: " + error.message());
  return self.parent_path().string();
}

// With a word that it does not know the agent is off, and the program would run unseen.
Result<void> check_settings(const RunOptions& options) {
  const auto settings = wire::read_agent_settings([&](const char* name) -> const char* {
    const bool given = !options.mode.empty() && std::string_view(name) == wire::kAgentMode;
    return given ? options.mode.c_str() : std::getenv(name);
  });
  if (settings.problem.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, settings.problem);
}

Result<void> prepare_environment(const RunOptions& options) {
  const auto binaries = own_directory();
  if (!binaries) return tl::unexpected(binaries.error());
  const auto library = find_preload(*binaries, kLibraryDirectory);
  if (!library) return tl::unexpected(library.error());
  const auto preload = preload_variable(*library, std::getenv("LD_PRELOAD"));
  if (!preload) return tl::unexpected(preload.error());
  const std::string wanted =
      !options.agent_directory.empty()
          ? options.agent_directory
          : default_agent_directory(::geteuid() == 0, std::getenv("ROCKTUNE_AGENT_DIR"),
                                    std::getenv("XDG_RUNTIME_DIR"));
  const auto directory = prepare_agent_directory(wanted);
  if (!directory) return tl::unexpected(directory.error());
  ::setenv("LD_PRELOAD", preload->c_str(), 1);
  ::setenv("ROCKTUNE_AGENT_DIR", directory->c_str(), 1);
  if (!options.mode.empty()) ::setenv(wire::kAgentMode, options.mode.c_str(), 1);
  return {};
}

int run(const RunOptions& options) {
  if (options.command.empty()) {
    return report_error({ErrorCode::kInvalidArgument,
                         "run: no command; write: rocktune run -- COMMAND [ARGUMENTS...]"},
                        kUsage);
  }
  if (auto known = check_settings(options); !known) {
    return report_error(known.error().within("run"), kUsage);
  }
  const char* path = std::getenv("PATH");
  const auto executable =
      find_command(options.command[0], path != nullptr ? path : "/bin:/usr/bin");
  if (!executable) {
    const bool missing = executable.error().code == ErrorCode::kNotFound;
    return report_error(executable.error().within("run"),
                        missing ? kNoSuchCommand : kCannotExecute);
  }
  if (auto done = prepare_environment(options); !done) {
    return report_error(done.error().within("run"));
  }
  if (const auto warning = preload_warning(*executable)) {
    std::cerr << "rocktune: warning: " << *warning << std::endl;
  }
  std::vector<std::string> words = options.command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(executable->c_str(), arguments.data());
  if (errno == ENOEXEC) ::execvp(arguments[0], arguments.data());  // a script without "#!"
  return report_error(
      {ErrorCode::kIo, "run: " + *executable + ": " + std::generic_category().message(errno)},
      kCannotExecute);
}

}  // namespace

void add_run(CLI::App& root, Action& chosen, const std::vector<std::string>& command) {
  CLI::App* app = root.add_subcommand(
      "run", "start a program with the agent in it: rocktune run [OPTIONS] -- COMMAND...");
  auto options = std::make_shared<RunOptions>();
  app->add_option("--agent-dir", options->agent_directory,
                  "directory of the agent's socket; made if missing (default: "
                  "$ROCKTUNE_AGENT_DIR, else /run/rocktune, or $XDG_RUNTIME_DIR/rocktune when not "
                  "root)")
      ->type_name("DIR");
  app->add_option("--mode", options->mode, "rw: rocktuned may change options; ro: it may only read")
      ->check(CLI::IsMember({"rw", "ro"}))
      ->type_name("MODE");
  app->footer(
      "Example: rocktune run --mode ro -- db_bench --benchmarks=readrandom --duration=60\n"
      "The program must use RocksDB as a shared library. Exit code: the program's own; 127 if "
      "there "
      "is no such\nprogram, 126 if it cannot be executed, 1 if the agent cannot be set up, 2 for "
      "wrong usage.");
  app->callback([options, command, &chosen] {
    options->command = command;
    chosen = [options] { return run(*options); };
  });
}

}  // namespace rocktune::tools
