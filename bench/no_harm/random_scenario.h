// Scenarios by chance, adversarial on purpose: what would make a tuner do harm if anything does.
// Mixes of all operations, open and closed loop, up to four phases that jump in rate, mix and hot
// set; options of source 000's configurations and far from them, limiters from far too tight to
// none; devices that lose speed on the way; one database or two; limits that can be kept and limits
// that cannot. All on an emulated device, at a scale at which 10 s hold many flushes and
// compactions.
//
// Pure: the text depends on the three arguments alone.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

// YAML as `rocktune-bench compare -s FILE` reads it. `number` counts from 1, `seconds` (at least 1)
// is the length of a run.
std::string random_scenario(std::uint64_t seed, std::int64_t number, double seconds);

}  // namespace rocktune::bench
