// rocktune replay-ops: becomes `rocktune-bench replay-ops`, which has the RocksDB that it takes.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "tools/command.h"

namespace rocktune::tools {
namespace {

int replay_ops(const std::vector<std::string>& passed_on) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "rocktune-bench").string();
  std::vector<std::string> words = {program, "replay-ops"};
  words.insert(words.end(), passed_on.begin(), passed_on.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return report_error({ErrorCode::kNotFound,
                       "replay-ops: " + program + ": " + std::generic_category().message(errno) +
                           "; it is installed beside rocktune, and brings its own RocksDB"});
}

}  // namespace

void add_replay_ops(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand(
      "replay-ops",
      "do recorded operations again, with each policy live: rocktune-bench replay-ops");
  app->prefix_command();
  app->set_help_flag();  // the program's own
  app->callback([app, &chosen] {
    chosen = [passed_on = app->remaining()] { return replay_ops(passed_on); };
  });
}

}  // namespace rocktune::tools
