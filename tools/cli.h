// The command line of rocktune: parses it, runs the chosen subcommand, returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace rocktune::tools {

// `arguments` without the program's name.
int run_cli(const std::vector<std::string>& arguments);

// `run` passes everything after its own options on, untouched, so its arguments are split before
// they are parsed: at "--", or at the first word that is no option of `run`.
struct SplitArguments {
  std::vector<std::string> own;
  std::vector<std::string> command;
};
SplitArguments split_run(const std::vector<std::string>& arguments);

}  // namespace rocktune::tools
