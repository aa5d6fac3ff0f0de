// Scores of forecast probabilities: Brier, Brier skill, log loss, reliability. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "score/timeline.h"

namespace rocktune::score {

inline constexpr std::size_t kReliabilityBins = 10;
// A certain forecast that fails would cost an infinite log loss.
inline constexpr double kLeastProbability = 1e-6;

struct ReliabilityBin {  // of [k/10, (k+1)/10), the last one with 1
  std::size_t count = 0;
  double forecast_sum = 0;
  std::size_t came = 0;
};

// Counts that add up over runs.
class ProbabilityScore {
 public:
  void add(double probability, bool came);
  ProbabilityScore& operator+=(const ProbabilityScore& other);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::optional<double> base_rate() const;
  // The mean of (probability - outcome)^2 (Brier 1950): 0 is perfect.
  [[nodiscard]] std::optional<double> brier() const;
  // 1 - Brier / that of always saying the base rate of these very seconds; absent when the outcome
  // was always the same.
  [[nodiscard]] std::optional<double> brier_skill() const;
  // In nats; probabilities are kept kLeastProbability away from 0 and 1.
  [[nodiscard]] std::optional<double> log_loss() const;
  [[nodiscard]] const std::array<ReliabilityBin, kReliabilityBins>& reliability() const {
    return bins_;
  }

 private:
  std::size_t count_ = 0, came_ = 0;
  double squares_ = 0, log_loss_ = 0;
  std::array<ReliabilityBin, kReliabilityBins> bins_{};
};

// Every second that is quiet and has a probability, against whether the condition holds in one of
// the `horizon` seconds after it. Seconds that less than that is known of (the run ends, or a hole
// begins) are left out, whether it came by then or not.
ProbabilityScore score_probabilities(const Scores& probabilities, const Conditions& conditions,
                                     std::size_t horizon);

}  // namespace rocktune::score
