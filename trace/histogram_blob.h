// How the trace stores a cumulative latency histogram: as what was counted since the row before.
//
//   blob      = 'A' body | 'I' body          absolute, or an increment on the target's last row
//   body      = varint(sum) varint(n) n * bucket
//   bucket    = varint(zigzag(lower - upper of the bucket before, 0 at first)) varint(upper -
//   lower)
//               varint(count)
// varint is LEB128 (7 bits a byte, low bits first); sum and counts of an 'I' are increments. Every
// 'I' thus is, by itself, the distribution of one interval. Exact for any histogram: where the
// newer one does not continue the older (reset, bucket gone, buckets out of order), the row is
// absolute.
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

// `older` is the last histogram of the same kind and target, nullptr if there was none.
Result<LatencyHistogram> decode_histogram(std::string_view blob, const LatencyHistogram* older);

}  // namespace rocktune::trace
