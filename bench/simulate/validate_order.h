// `rocktune-bench validate-order`: the order of policies in the simulator against the order of
// their real runs, as text or JSON on stdout.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rocktune::bench {

struct ValidateOrderSettings {
  std::vector<std::string> directories;  // of `rocktune-bench compare`
  // The policy whose trace calibrates, or "scenario" for none; empty: the first that has one.
  std::string source;
  std::size_t seeds = 20;
  bool json = false;
};

// Returns the exit code: 0 done, 1 a directory cannot be read or simulated, 130 stopped.
int validate_order_command(const ValidateOrderSettings& settings);

}  // namespace rocktune::bench
