#include "model/heads/learnt.h"

#include <algorithm>
#include <cmath>

namespace rocktune {

std::size_t nearest_head_horizon(double seconds) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < kHeadHorizons.size(); ++i) {
    if (std::abs(kHeadHorizons.at(i) - seconds) < std::abs(kHeadHorizons.at(best) - seconds)) {
      best = i;
    }
  }
  return best;
}

bool is_sound(const LearntIndicator& learnt) {
  if (!is_sound(learnt.moments) || !std::isfinite(learnt.threshold_log_odds)) return false;
  const auto sound = [](const HeadWeights& head) { return is_sound(head); };
  if (!std::all_of(learnt.events.begin(), learnt.events.end(), sound)) return false;
  for (const auto& of_value : learnt.values) {
    for (const auto& of_horizon : of_value) {
      if (!std::all_of(of_horizon.begin(), of_horizon.end(), sound)) return false;
    }
  }
  return true;
}

bool is_sound(const Learnt& learnt) {
  return std::all_of(learnt.indicators.begin(), learnt.indicators.end(),
                     [](const LearntIndicator& one) { return is_sound(one); });
}

}  // namespace rocktune
