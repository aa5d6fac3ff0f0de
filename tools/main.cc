// rocktune: the command-line tool.
#include <csignal>

#include "tools/cli.h"

int main(int argc, char** argv) {
  // A file size limit is a failed write, which says so and cleans up. A handler, not SIG_IGN, which
  // a program that `run` starts would inherit.
  std::signal(SIGXFSZ, [](int) {});
  return rocktune::tools::run_cli(std::vector<std::string>(argv + 1, argv + argc));
}
