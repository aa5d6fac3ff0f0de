// A run cut into the seconds that all scoring works on (score/timeline.h), as its samples come.
// Pure.
#pragma once

#include <cstddef>
#include <optional>

#include "model/clock.h"
#include "model/indicators.h"
#include "score/timeline.h"

namespace rocktune::score {

// Which second of the run a sample belongs to.
class SecondGrid {
 public:
  // Absent for a tick that does not rise: such a sample is left out.
  std::optional<std::size_t> second_of(Nanoseconds tick);

 private:
  std::optional<Nanoseconds> last_tick_;
  Nanoseconds origin_{0};
};

// Puts what is known into its second; of several samples the condition holds when it holds in one,
// and the largest score counts.
void keep(Conditions& series, std::size_t second, const Indicator& indicator);
void keep(Scores& series, std::size_t second, const std::optional<double>& score);

}  // namespace rocktune::score
