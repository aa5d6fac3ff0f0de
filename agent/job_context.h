// What kind of background work the calling thread does now: told by RocksDB's listener callbacks,
// which run on the thread that does the work, and asked by the rate limiter on the same thread.
//
// Thread-safety: each thread has its own.
#pragma once

#include <cstdint>

namespace rocktune::agent {

enum class Job : std::uint8_t {
  kNone,  // no job of RocksDB that we were told of
  kFlush,
  kL0Compaction,    // reads level 0: what stands between the database and a stall
  kDeepCompaction,  // reads level 1 and below
};

Job current_job() noexcept;
void set_current_job(Job job) noexcept;

}  // namespace rocktune::agent
