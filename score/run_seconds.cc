#include "score/run_seconds.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "score/events.h"
#include "score/run.h"

namespace rocktune::score {
namespace {

// A gap is recorded up to this length: nothing is concluded across one that is longer than
// kLongestHoleSeconds, so that more would only take memory (a clock may jump by years).
constexpr std::size_t kLongestGapKept = kLongestHorizon + kQuietBeforeFresh;

}  // namespace

std::optional<std::size_t> SecondGrid::second_of(Nanoseconds tick) {
  if (!last_tick_) {
    last_tick_ = origin_ = tick;
    return 0;
  }
  if (tick <= *last_tick_) return std::nullopt;
  const double passed = seconds_between(*last_tick_, tick);
  if (passed > static_cast<double>(kLongestGapKept)) {  // what lies beyond is cut out
    origin_ += tick - *last_tick_ - std::chrono::seconds(kLongestGapKept);
  }
  last_tick_ = tick;
  return static_cast<std::size_t>(std::floor(seconds_between(origin_, tick) + 0.5));
}

void keep(Conditions& series, std::size_t second, const Indicator& indicator) {
  if (series.size() <= second) series.resize(second + 1, Condition::kUnknown);
  if (!indicator.valid && !indicator.event) return;
  const Condition now = indicator.event ? Condition::kHolds : Condition::kQuiet;
  series[second] = std::max(series[second], now);
}

void keep(Scores& series, std::size_t second, const std::optional<double>& score) {
  if (series.size() <= second) series.resize(second + 1, kNoScore);
  if (!score || !std::isfinite(*score)) return;
  series[second] = has_score(series[second]) ? std::max(series[second], *score) : *score;
}

ReachedThresholds::ReachedThresholds(std::vector<double> thresholds)
    : thresholds_(std::move(thresholds)) {
  assert(std::is_sorted(thresholds_.begin(), thresholds_.end()));
  assert(thresholds_.size() < std::numeric_limits<std::uint8_t>::max());
}

void ReachedThresholds::keep(std::size_t second, const std::optional<double>& score) {
  if (reached_.size() <= second) reached_.resize(second + 1, kNone);
  if (!score || !std::isfinite(*score)) return;
  const auto above = std::upper_bound(thresholds_.begin(), thresholds_.end(), *score);
  const auto reached = static_cast<std::uint8_t>(above - thresholds_.begin() + 1);
  reached_[second] = std::max(reached_[second], reached);
}

Scores ReachedThresholds::scores() const {
  std::vector<double> values = {kNoScore, -std::numeric_limits<double>::infinity()};
  values.insert(values.end(), thresholds_.begin(), thresholds_.end());
  Scores scores;
  scores.reserve(reached_.size());
  for (const std::uint8_t reached : reached_) scores.push_back(values[reached]);
  return scores;
}

}  // namespace rocktune::score
