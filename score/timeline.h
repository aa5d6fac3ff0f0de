// The grid that all scoring works on: one entry per second of a run. Pure.
//
// A run is one database of one trace. Second k covers the samples whose tick lies nearest to k
// seconds after the run's first one, so that polls of 1 s with jitter fall into one second each.
// Several samples in a second: the condition holds when it holds in one of them, and the largest
// score counts. A hole of at most kLongestHoleSeconds (missed polls, an agent that did not answer,
// a poll interval above 1 s) repeats the second before it; a longer one is kUnknown, and nothing
// is concluded across it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace rocktune::score {

enum class Condition : std::uint8_t { kUnknown, kQuiet, kHolds };

using Conditions = std::vector<Condition>;  // one per second
using Scores = std::vector<double>;         // one per second; kNoScore: nothing could be said

inline constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
inline bool has_score(double score) {
  return score == score;
}

// As long as model/ trusts trends over missed polls (kLongestGapPolls), in seconds.
inline constexpr std::size_t kLongestHoleSeconds = 10;

// Repeats what stands before each short hole. Nothing stands before a hole at the beginning.
void fill_holes(Conditions& conditions);
void fill_holes(Scores& scores);

// The seconds whose condition is known: what rates are "per hour" of.
std::size_t known_seconds(const Conditions& conditions);

}  // namespace rocktune::score
