// From the wire's names to the model's fields. What the agent did not send stays absent; what it
// sent beyond them is ignored. Pure.
#pragma once

#include <vector>

#include "model/result.h"
#include "model/sample.h"
#include "wire/messages.h"

namespace rocktune::daemon {

// What one database may hold of rocktuned's memory, since an agent may be anybody's. Far above what
// real ones have: RocksDB's levels are 7 unless somebody asks for more, and a histogram with
// buckets of 3% (docs/wire.md) has some 2,000 of them at most.
inline constexpr std::size_t kMostColumnFamilies = 2048;
inline constexpr std::size_t kMostTextBytes = 512 << 10;  // names and reasons, all together
inline constexpr std::size_t kMostLevels = 64;            // of a column family
inline constexpr std::size_t kMostBuckets = 4096;         // of a histogram
inline constexpr std::size_t kMostOtherKnobs =
    256;  // beside the catalogue for the database and each family

// kProtocol where a sample has more than these: it is not to be taken.
Result<void> check_extent(const wire::Sample& sample);

DatabaseReading to_database_reading(const wire::Sample& sample);

// Not opened read-only, nor as a secondary.
bool is_writable(const wire::Database& database);
// Of one that is not: what limits it reaches, and what its files tell of stalls, stalls nobody.
void leave_out_stalls(DatabaseReading& reading);

// Those of the catalogue (model/knobs.h), and whatever somebody has changed: an agent offers many
// more, which nobody here turns.
std::vector<KnobReading> to_knob_readings(const wire::Sample& sample);

}  // namespace rocktune::daemon
