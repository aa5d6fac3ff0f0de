// Databases that ran on one device at one time, to be simulated on one. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/ensemble.h"

namespace rocktune::sim {

// Indices into `inputs`, each once, in order: those whose device has the same name are together
// where the times that are simulated overlap, directly or by others between them; groups in the
// order of the first of each. One whose device is not known is alone.
std::vector<std::vector<std::size_t>> on_one_device(std::span<const SimulationInput> inputs);

}  // namespace rocktune::sim
