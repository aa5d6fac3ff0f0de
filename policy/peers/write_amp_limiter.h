// write-amp-limiter: TiKV's rate limiter (tikv/rocksdb, utilities/rate_limiters/
// write_amp_based_rate_limiter.cc; who asks it to pace up: db/column_family.cc). Once a second, for
// compactions alone:
//
//   rate = max(mean of what they wrote, write amplification x recent flushes)
//        + padding(rate) + rate x delta
//
// where means are of 300 s, recent ones of 30 s, the amplification (compactions / flushes, at least
// 1) and the flushes are reckoned with at least 8 MiB/s of flushes, and padding is a tenth and, for
// small rates, more. delta grows by 1% a tick while 99.5% of the rate are used, to 6%, else it
// falls by 1%; it is 150% when writes stall, level 0 has 0.8 x its slowdown trigger or pending
// bytes are half of the soft limit. Within 10 MiB/s and the largest rate less recent flushes. It
// starts at half of the largest rate. One compaction is served like another: the agent's limiter is
// told so (rate_limiter_l0_weight 1, rate_limiter_limit_flushes 0).
//
// Departures:
// - Of the agent's limiter level 0's compactions together weigh as much as the deeper ones
// together,
//   whatever their number; there they stand in one queue.
// - There flushes pass beside the limit. Here they count against the limiter's rate, so that the
//   limiter is given what they write on top: their mean, or what they wrote since the last tick
//   where that is more, since a burst of theirs would take from compactions what they do not share
//   there.
// - Both tune only when a compaction asks, and then take a sample for each second since the last
//   time, idle ones included: the mean of them all. Here only seconds that were read count.
// - There the windows are full of zeros at first. Here a window's mean is of what there is: the
//   original's first minutes are not what it does the rest of its life.
// - `scale` divides every amount of bytes above, for databases that are scaled down.
#pragma once

#include <memory>

#include "policy/policy.h"

namespace rocktune::peers {

inline constexpr std::string_view kWriteAmpLimiter = "write-amp-limiter";

struct WriteAmpLimiterParams {
  double rate_limit_max_bytes_per_second = 0;  // 0: see largest_rate()
  double scale = 1;
};

std::unique_ptr<Policy> make_write_amp_limiter(const WriteAmpLimiterParams& params);

}  // namespace rocktune::peers
