// How the trace stores a cumulative latency histogram: as what was counted since the row before.
//
//   blob      = 'A' body | 'I' body          absolute, or an increment on the target's last row
//             | 'L' packed | 'M' packed      the same of the agent's buckets
//   body      = varint(sum) varint(n) n * bucket
//   bucket    = varint(zigzag(lower - upper of the bucket before, 0 at first)) varint(upper -
//   lower)
//               varint(count)
//   packed    = varint(sum) buckets          as in trace/log_linear.h
// varint is LEB128 (trace/varint.h); sum and counts of an 'I' or 'M' are increments. Every one of
// them thus is, by itself, the distribution of one interval. Exact for any histogram: where the
// newer one does not continue the older (reset, bucket gone, buckets out of order), the row is
// absolute. Schemas before 4 have 'A' and 'I' alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"
#include "model/sample.h"

namespace rocktune::trace {

std::string encode_histogram(const LatencyHistogram& histogram);

// nullopt when `newer` is not `older` with more counted.
std::optional<std::string> encode_increment(const LatencyHistogram& older,
                                            const LatencyHistogram& newer);

// Brings `total`, the last histogram of the same kind and target (absent if there was none), to the
// row's, and returns what was counted since: nothing where that cannot be told, since it began
// anew. After an error `total` is of no use.
Result<LatencyHistogram> add_histogram(std::string_view blob,
                                       std::optional<LatencyHistogram>& total);

}  // namespace rocktune::trace
