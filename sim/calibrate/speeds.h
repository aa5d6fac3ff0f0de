// How fast flushes and compactions would go on an idle machine, where samples only tell how fast
// they went beside everything else: the run is simulated until they come to the same. Pure.
#pragma once

#include "sim/ensemble.h"

namespace rocktune::sim {

// `run`: with its device, and with laws whose speeds are as they were seen in it. Returns the laws
// with the speeds alone: as seen, where the run had no device or no such job; no slower than usual
// where a limiter was set.
Laws with_speeds_alone(SimulationInput run);

// `seen` less what a limiter that was set at the begin may have hidden: speeds that were seen no
// faster than usual. `laws`: as seen.
Seen seen_beside_limiter(Seen seen, const PlantOptions& options, const Laws& laws);

}  // namespace rocktune::sim
