// How fast flushes and compactions would go on an idle machine, where samples only tell how fast
// they went beside everything else: the run is simulated until they come to the same. Pure.
#pragma once

#include "sim/ensemble.h"

namespace rocktune::sim {

struct KnownLaws {
  Laws laws;
  Seen seen;
};

// `run`: with its device, and with laws whose speeds are as they were seen in it. Returns the laws
// with the speeds alone: as seen, where the run had no device or no such job; no slower than usual
// where a limiter was set. No longer seen are speeds that the limiter may have hidden (no faster
// than usual), and those with which no simulation comes to what was recorded, which stay as
// recorded.
KnownLaws with_speeds_alone(SimulationInput run);

}  // namespace rocktune::sim
