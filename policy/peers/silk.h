// silk: SILK (Balmau et al., USENIX ATC 2019; theoanab/SILK-USENIXATC2019, tools/db_bench_tool.cc
// and db/db_impl_compaction_flush.cc). Compactions get what the clients leave of the device: rate =
// device bandwidth - client bandwidth, at least 10 MB/s, changed when it moves by at least 10 MB/s.
// Client bandwidth is operations/s times the size of a value. While clients take more than 75% of
// the device compactions pause, but for those out of level 0. Flushes never wait and compactions
// out of level 0 go first.
//
// Departures:
// - "Flushes never wait" and the weight of level 0 are what the paper aims at, and more than the
//   repository does: there flushes ask the limiter, too (IO_HIGH, db/flush_job.cc), and all
//   compactions alike (IO_LOW, db/compaction_job.cc); its order is that of the thread pools.
// - The original measures every 10 ms; here it is every poll.
// - Its device bandwidth is a constant that was measured before (200 MB/s); here the parameter, or
//   the probed write bandwidth, or learnt from the device's load. Before it is known the rate does
//   not move.
// - A compaction that runs cannot be paused or preempted from outside, nor one chosen by level. The
//   agent's limiter lets level 0 have 16 parts in 17 instead, and the pause is the least rate - but
//   while level 0 holds 4 files or more (when the original schedules a compaction of it in spite of
//   the pause) the rate stays what the clients leave, for level 0 to use.
// - "Flushes and level 0 first" is a matter of the agent's limiter: where the host has brought one
//   of its own, rate_limiter_limit_flushes and rate_limiter_l0_weight are not there to be set. That
//   limiter's own priorities hold then (RocksDB's serves flushes before compactions, and every
//   compaction alike), and the rate is all that is turned.
// - The size of a value is the mean of what was written lately.
#pragma once

#include <memory>

#include "policy/policy.h"

namespace rocktune::peers {

inline constexpr std::string_view kSilk = "silk";

struct SilkParams {
  double device_bytes_per_second = 0;    // 0: probed, or learnt
  double least_bytes_per_second = 10e6;  // of compactions; a smaller move of the rate is left
};

std::unique_ptr<Policy> make_silk(const SilkParams& params);

}  // namespace rocktune::peers
