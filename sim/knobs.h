// The knobs that the plant has: told as an agent would, and set. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/sample.h"
#include "sim/parameters.h"

namespace rocktune::sim {

// As column family `index` is called in samples of the plant.
std::string family_name(std::size_t index);

// All of them, in a fixed order. `found`: before anybody changed anything.
std::vector<KnobReading> read_knobs(const PlantOptions& now, const PlantOptions& found);

// Whether there is such a knob; `column_family` as in the reading.
bool set_knob(PlantOptions& options, std::string_view knob, std::string_view column_family,
              std::int64_t value);

}  // namespace rocktune::sim
