// A run cut into the seconds that all scoring works on (score/timeline.h), as its samples come.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

// Scores that are only ever compared with these thresholds, which rise: of each second the highest
// one that is reached is kept, in a byte.
class ReachedThresholds {
 public:
  explicit ReachedThresholds(std::vector<double> thresholds);
  void keep(std::size_t second, const std::optional<double>& score);
  // Each score as the threshold that it reaches; below the lowest, where it reaches none.
  [[nodiscard]] Scores scores() const;

 private:
  static constexpr std::uint8_t kNone = 0;  // no score; 1: no threshold reached; 2: the lowest, ...
  std::vector<double> thresholds_;
  std::vector<std::uint8_t> reached_;
};

}  // namespace rocktune::score
