// Runs written by hand, one second after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "model/indicators.h"
#include "score/events.h"
#include "tests/support/catch.h"

namespace rocktune::score::test {

inline constexpr auto kBacklog = IndicatorKind::kCompactionBacklog;
inline constexpr std::size_t kBacklogPlace = 1;  // among score::kKinds

class Seconds {
 public:
  Seconds& quiet(std::size_t count) { return add(Condition::kQuiet, count); }
  Seconds& holds(std::size_t count) { return add(Condition::kHolds, count); }
  Seconds& unknown(std::size_t count) { return add(Condition::kUnknown, count); }
  operator const Conditions&() const { return conditions_; }  // NOLINT: reads as a list
  [[nodiscard]] std::size_t size() const { return conditions_.size(); }

 private:
  Seconds& add(Condition condition, std::size_t count) {
    conditions_.insert(conditions_.end(), count, condition);
    return *this;
  }
  Conditions conditions_;
};

// Zero, and 1 for `length` seconds from each of `at` on.
inline Scores pulses(std::size_t size, const std::vector<std::size_t>& at, std::size_t length = 1) {
  Scores scores(size, 0);
  for (const std::size_t second : at) {
    for (std::size_t i = second; i < second + length && i < size; ++i) scores[i] = 1;
  }
  return scores;
}

}  // namespace rocktune::score::test
