// Who asks the rate limiter for bytes, in the classes that it tells apart.
#pragma once

#include <rocksdb/env.h>

#include <cstddef>
#include <cstdint>

#include "agent/job_context.h"

namespace rocktune::agent {

enum class Traffic : std::uint8_t {
  kFlush,
  kUser,            // the host's own reads and writes, where it gave them Env::IO_USER
  kL0Compaction,    // what stands between the database and a write stall
  kDeepCompaction,  // also a compaction that we were not told of
  kOther,
};
inline constexpr std::size_t kTrafficClasses = 5;

// The job decides where it is known: RocksDB raises flushes and compactions alike to IO_USER while
// writes are stalled (FlushJob and CompactionJob::GetRateLimiterPriority), and the level-0
// compaction that would end the stall must still go before the others. Else the priority does.
constexpr Traffic traffic_of(Job job, rocksdb::Env::IOPriority priority) noexcept {
  switch (job) {
    case Job::kFlush:
      return Traffic::kFlush;
    case Job::kL0Compaction:
      return Traffic::kL0Compaction;
    case Job::kDeepCompaction:
      return Traffic::kDeepCompaction;
    case Job::kNone:
      break;
  }
  switch (priority) {
    case rocksdb::Env::IO_LOW:
      return Traffic::kDeepCompaction;
    case rocksdb::Env::IO_HIGH:
      return Traffic::kFlush;  // also the flushes of a recovery
    case rocksdb::Env::IO_USER:
      return Traffic::kUser;
    default:
      return Traffic::kOther;
  }
}

}  // namespace rocktune::agent
