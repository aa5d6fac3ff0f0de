// `rocktune-bench demo`: Mild-Pressure of source 000, scaled to a small machine, on an emulated
// NVMe; once as it is and once with rocktuned in act mode beside it.
#pragma once

#include <cstdint>

namespace rocktune::bench {

struct DemoSettings {
  double seconds = 0;  // of each of the two runs; 0: as the workload says
  double scale = 16;
  std::int64_t records = 0;  // above 0: instead of the workload's
  bool clean = false;        // remove everything at the end, the alert log and the trace too
};

// Returns the exit code: 0 when both runs were made, whatever they showed; 1 failed; 130 stopped.
int demo_command(const DemoSettings& settings);

}  // namespace rocktune::bench
