// cockroach-l0: CockroachDB's admission control for level 0 (cockroachdb/cockroach,
// pkg/util/admission/io_load_listener.go), as far as RocksDB can be made to do it. Every 15 s, with
// C the bytes that compactions took out of level 0 in an interval, smoothed (a half of each new
// one), and the score twice the number of level 0's runs over 20:
//
//   score     below 0.5    0.5 to 1     1 to 2       2 and above
//   admitted  everything   2C to C      C to C / 2   C / 2         bytes in the next interval,
//                                                                  smoothed the same way
//
// (io_load_listener.go doubles a score that is 1 at 20 sublevels; these bands are of the double.)
// From 0.5 to 1 at least an even part of what all compactions write, over the levels that they move
// bytes out of: level 0 may not have its turn yet.
// While something is limited level0_slowdown_writes_trigger stands at a quarter of 20, where the
// score is 0.5, so that RocksDB delays writes at all, and delayed_write_rate is what is admitted;
// when all is admitted both are returned to what was found.
//
// Departures:
// - The smoothing begins with the first interval, not with zero; the original's first minute is not
//   what it does the rest of its life.
// - Bytes that were ingested into level 0 do not count in C; the original adds BytesIngested to
//   those that were flushed. They are not in a sample.
// - Of several column families the one with most files gives the score; a Pebble has one tree.
//
// What cannot be expressed:
// - Who waits: there work queues by priority and tenant and is admitted by its bytes; here every
//   writer is delayed alike, and only while level 0 has 5 files or more.
// - RocksDB moves the delayed rate down and up by itself between two ticks, and starts again from
//   ours only when ours changes. It counts the bytes of batches, not those that reach level 0.
// - Flush tokens (a share of the peak rate of flushes, by their utilisation) and disk bandwidth
//   tokens for elastic work: how busy the flush loop is is not in a sample.
// - Every file of level 0 counts as a run of its own; Pebble's sublevels may have
//   several, and small ones count less (5 MiB each at least, l0MinimumSizePerSubLevel).
#pragma once

#include <memory>

#include "policy/policy.h"

namespace rocktune::peers {

inline constexpr std::string_view kCockroachL0 = "cockroach-l0";

struct CockroachL0Params {
  double l0_threshold_files = 20;  // l0SubLevelCountOverloadThreshold
};

std::unique_ptr<Policy> make_cockroach_l0(const CockroachL0Params& params);

}  // namespace rocktune::peers
