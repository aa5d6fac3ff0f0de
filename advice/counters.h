// Counters of a sample as the numbers that evidence is made of. Internal to advice/.
#pragma once

#include "advice/tallies.h"
#include "model/sample.h"

namespace rocktune::advice {

inline Value number(const Counter& counter) {
  return counter ? Value(static_cast<double>(*counter)) : std::nullopt;
}

// Absent when either is, and when it ran backwards.
inline Value grown(const Counter& older, const Counter& newer) {
  if (!older || !newer || *newer < *older) return std::nullopt;
  return static_cast<double>(*newer - *older);
}

}  // namespace rocktune::advice
