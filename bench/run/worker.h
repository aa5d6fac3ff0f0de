// One thread of a phase: draws operations, waits until each is due, times it.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/host/database.h"
#include "bench/run/operations.h"
#include "bench/run/records.h"
#include "bench/workload/generator.h"
#include "bench/workload/workload.h"

namespace rocktune::bench {

struct WorkerPlan {
  rocksdb::DB& db;
  const Workload& workload;
  const Phase& phase;
  const ScrambledZipfian& zipfian;
  const ValuePool& values;
  const std::atomic<bool>& stop;
  std::int64_t thread = 0;
  std::uint64_t seed = 0;
  Nanoseconds start{0};
  Nanoseconds end{0};
};

struct WorkerDone {
  rocksdb::Status status;  // of the first operation that failed
  std::uint64_t never_started = 0;
};

// Blocks until the phase ends; `latencies` may be read meanwhile.
WorkerDone run_worker(const WorkerPlan& plan, LiveLatencies& latencies);

}  // namespace rocktune::bench
