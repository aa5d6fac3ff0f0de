// From a recorded sample to the plant: the options that the database had and the state that it was
// in. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/sample.h"
#include "sim/parameters.h"
#include "sim/plant.h"

namespace rocktune::sim {

// Where the knobs stand: where they stood in that sample, or where they were found before rocktune
// changed them, which is where another policy would have begun.
enum class KnobsAt { kRecorded, kFound };

// `rocksdb_version`: "7.8.3", as recorded; some rules changed with it. Column families whose levels
// or limits were not read, or whose compaction is not leveled, are refused by name (kUnsupported):
// a simulation that left them out would say too little of their database.
Result<PlantOptions> plant_options(const Sample& sample, std::string_view rocksdb_version,
                                   KnobsAt knobs = KnobsAt::kRecorded);

// The rules that changed with RocksDB's versions.
void follow_version(std::string_view rocksdb_version, PlantOptions& options);

// The state at that sample, one for each family; for samples that plant_options() takes. Files of
// L0 count as equally large. Running jobs are not taken over: they begin anew.
std::vector<FamilyState> family_states(const Sample& sample, const Laws& laws);

// Bytes/s, 0 while writes are not delayed.
std::uint64_t delayed_rate(const Sample& sample);

}  // namespace rocktune::sim
