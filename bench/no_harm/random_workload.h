// The workload of one database of a random scenario. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "bench/no_harm/dice.h"

namespace rocktune::bench {

// The lines of a workload's map, not indented. `write_buffer_bytes`: of the database that it is
// for, since the files of a backlog are made of it.
std::string random_workload(Dice& dice, double seconds, std::int64_t most_threads,
                            std::int64_t write_buffer_bytes);

}  // namespace rocktune::bench
