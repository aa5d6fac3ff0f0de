// rocksdb-auto-tuned: RocksDB's auto-tuned rate limiter (util/rate_limiter.cc, `auto_tuned`) as a
// policy over whatever limiter the database has. It sees the demand for background writes only,
// never the device or a latency.
//
// Every 100 refills of 100 ms it looks at the share of refill intervals in which the limiter was
// drained (somebody waited): above 90% the rate goes up by 5%, below 50% down by 5%, and at 0% to
// a twentieth of the largest rate; always between that and the largest rate. It starts at half of
// it. Flushes wait for the rate as well, though before compactions, and one compaction is served
// like another: the agent's limiter is told so (rate_limiter_limit_flushes 1,
// rate_limiter_l0_weight 1); a host's own is what it is.
//
// Departures:
// - On the agent's limiter level 0's compactions together weigh as much as all deeper ones,
//   whatever their number; there they stand in one queue.
// - Drained intervals are counted inside the limiter only. From outside there is the share of the
//   rate that was used, which is the share of drained intervals where background writes either run
//   into the limit or rest; that is taken. Writes that never reach the limit look busier to this
//   policy than they are to RocksDB's own.
#pragma once

#include <memory>

#include "policy/policy.h"

namespace rocktune::peers {

inline constexpr std::string_view kAutoTuned = "rocksdb-auto-tuned";

struct AutoTunedParams {
  double rate_limit_max_bytes_per_second = 0;  // 0: see largest_rate()
};

std::unique_ptr<Policy> make_auto_tuned(const AutoTunedParams& params);

}  // namespace rocktune::peers
