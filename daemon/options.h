// The command line of rocktuned.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/config/load.h"

namespace rocktune::daemon {

struct Options {
  ConfigInputs inputs;
  bool config_named = false;  // --config or --check-config was given
  bool check = false;         // --check-config
  bool print = false;         // --print-config
};

// The options, or the exit code after help, version or a usage error was printed (0 or 2).
std::variant<Options, int> parse_options(int argc, const char* const* argv);

}  // namespace rocktune::daemon
