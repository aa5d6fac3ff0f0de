// Databases that ran on one device, to be simulated on one. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/ensemble.h"

namespace rocktune::sim {

// Indices into `inputs`, each once, in order: those whose device has the same name are together,
// in the order of the first of them; one whose device is not known is alone.
std::vector<std::vector<std::size_t>> on_one_device(std::span<const SimulationInput> inputs);

// Those of them, begun together: whoever was recorded from a later moment on is asked for nothing
// until then.
std::vector<SimulationInput> begun_together(std::span<const SimulationInput> inputs,
                                            std::span<const std::size_t> indices);

}  // namespace rocktune::sim
