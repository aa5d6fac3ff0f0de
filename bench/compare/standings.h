// `rocktune-bench standings`: what several comparisons say together, as Markdown on stdout.
#pragma once

#include <string>
#include <vector>

namespace rocktune::bench {

struct StandingsSettings {
  std::vector<std::string> directories;  // of `rocktune-bench compare`
  std::string policy = "headroom";       // whose losses are listed
};

// Returns the exit code: 0 done, 1 a directory has no comparison that can be read, or none
// has the policy.
int standings_command(const StandingsSettings& settings);

}  // namespace rocktune::bench
