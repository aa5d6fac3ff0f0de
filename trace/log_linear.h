// The buckets of the agent's histograms (agent/distribution.h, kFine) in about a byte each: they
// are known by their index, most lie beside each other, and counts are multiples of the weight that
// the agent's thinning gave them.
//
//   buckets = varint(unit) varint(index of the first) nibbles, the low one of a byte first
//   nibble  = 0         the end
//             1 to 13   count / unit of the next bucket
//             14 more   the same, 14 + more
//             15 more   1 + more buckets before the next one are empty
//   more    = nibbles of 3 bits, low bits first; 8 is added to each but the last
//
// Bucket i holds [i, i + 1) up to 127; from there on each doubling has 64 of the same width.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sample.h"

namespace rocktune::trace {

// Absent where there are none, where one is none of those buckets or empty, and where they do not
// rise.
std::optional<std::string> encode_log_linear(const std::vector<LatencyHistogram::Bucket>& buckets);

// Absent where it cannot be decoded.
std::optional<std::vector<LatencyHistogram::Bucket>> decode_log_linear(std::string_view encoded);

}  // namespace rocktune::trace
