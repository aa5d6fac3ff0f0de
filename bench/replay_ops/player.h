// Does the operations of a trace again on a database, each when it is due, on several threads, and
// measures them second by second: latency counts from when an operation was due, so that a stall is
// charged to each one that it delayed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "bench/host/database.h"
#include "bench/run/result.h"
#include "bench/run/runner.h"
#include "model/result.h"

namespace rocktune::bench {

struct ReplayPlan {
  std::string trace_file;
  scenario::Phase phase;  // its name and mix, for what is shown
  double speed = 1;
  std::int64_t threads = 1;
};

struct Replayed {
  PhaseResult phase;
  bool stopped = false;
  bool one_writer = false;      // all writes on one thread (routing.h)
  double recorded_seconds = 0;  // between the trace's begin and its last operation
  std::uint64_t operations = 0;
  std::uint64_t unknown = 0;  // records of a type that this RocksDB does not replay
  // Too many operations were late and waited, so that no more were read. Part of the latency of
  // those that came after, as that counts from the due time.
  double reader_waited_seconds = 0;
};

// An operation that fails ends the replay, with an Error.
Result<Replayed> replay_operations(Database& database, const ReplayPlan& plan,
                                   const std::atomic<bool>& stop, const SecondSeen& seen);

}  // namespace rocktune::bench
