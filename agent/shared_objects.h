// What the agent remembers about objects that databases may share: limiters and caches.
//
// Kept by object and not by database, for as long as the object lives: two databases that share a
// cache agree on what its capacity was found to be, and a host's limiter that survives a close and
// reopen is not taken as found at a value that rocktune set. Holds no object alive.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/table.h>

#include <memory>
#include <string_view>

#include "agent/knob_state.h"

namespace rocktune::agent {

class FairRateLimiter;

// A null object gets a state of its own.
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter);
// Of another of the limiter's settings than its rate.
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter,
                                    std::string_view setting);
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::Cache>& cache);
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::TableFactory>& factory);

// Limiters that prepare() added, as opposed to the host's own.
void remember_as_ours(const std::shared_ptr<FairRateLimiter>& limiter);
bool is_ours(const std::shared_ptr<rocksdb::RateLimiter>& limiter);
// The same object, if it is ours; else null.
std::shared_ptr<FairRateLimiter> own_limiter(const std::shared_ptr<rocksdb::RateLimiter>& limiter);

}  // namespace rocktune::agent
