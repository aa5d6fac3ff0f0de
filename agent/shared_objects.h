// What the agent remembers about objects that databases may share: limiters and caches.
//
// Kept by object and not by database: two databases that share a cache agree on what its capacity
// was found to be, and a host's limiter that survives a close and reopen is not taken as found at a
// value that rocktune set. Holds no object alive. When the last group that asked for an object's
// state leaves, and nothing is changed there, what is remembered goes, and the weak reference to
// the object with it.
//
// Thread-safety: all functions. To be called on the host's threads, all but is_ours() and
// own_limiter(): the others may give a weak reference back.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/table.h>

#include <memory>
#include <string_view>

#include "agent/knob.h"
#include "agent/knob_state.h"

namespace rocktune::agent {

class FairRateLimiter;
class HostsRate;

// A null object gets a state of its own.
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter);
// Of another of the limiter's settings than its rate.
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter,
                                    std::string_view setting);
// Of a limiter whose state has been asked for.
std::shared_ptr<HostsRate> hosts_rate_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter);
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::Cache>& cache);
std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::TableFactory>& factory);

// The group ends: it is through with the states of its knobs. Once for each group.
void leave_states(const KnobGroup& group) noexcept;

// Limiters that prepare() added, as opposed to the host's own.
void remember_as_ours(const std::shared_ptr<FairRateLimiter>& limiter);
bool is_ours(const std::shared_ptr<rocksdb::RateLimiter>& limiter);
// The same object, if it is ours; else null.
std::shared_ptr<FairRateLimiter> own_limiter(const std::shared_ptr<rocksdb::RateLimiter>& limiter);

}  // namespace rocktune::agent
