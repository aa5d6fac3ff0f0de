// `rocktune-bench replay-speed`: how large a day's trace is, and how fast it is judged.
#pragma once

#include <string>

#include "bench/replay_speed/day.h"

namespace rocktune::bench {

struct ReplaySpeedSettings {
  DaySettings day;
  std::string keep;  // the trace stays in this directory; empty: in a temporary one, removed
  int repeats = 3;
  bool json = false;
};

// Returns the process's exit code: 0 done, whatever the figures say; 1 failed, 130 stopped.
int replay_speed_command(const ReplaySpeedSettings& settings);

}  // namespace rocktune::bench
