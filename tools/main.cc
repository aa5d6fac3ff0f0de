// rocktune: the command-line tool.
#include "tools/cli.h"

int main(int argc, char** argv) {
  return rocktune::tools::run_cli(std::vector<std::string>(argv + 1, argv + argc));
}
