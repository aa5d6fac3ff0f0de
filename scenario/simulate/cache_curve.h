// How often reads of a workload's phase miss the block cache: an LRU cache is run over accesses
// that the workload itself draws, both thinned out alike where they are large (spatial sampling by
// hash: Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015). Pure; some tens
// of milliseconds, for a cache of gigabytes a second.
#pragma once

#include <cstdint>

#include "scenario/workload/workload.h"

namespace rocktune::scenario {

// The share of look-ups of data blocks that miss once the cache is warm, in [0, 1]; 0
// where all data fit. Blocks and cache in bytes; a record takes the workload's mean value and key.
double simulated_miss_ratio(const Workload& workload, const Phase& phase, std::int64_t block_bytes,
                            std::int64_t cache_bytes);

// Key and value, mean over the distribution.
double mean_record_bytes(const Sizes& value_size);

}  // namespace rocktune::scenario
