#include "score/probability.h"

#include <algorithm>
#include <cmath>

namespace rocktune::score {
namespace {

// For each second the distance to the next one with `wanted`; the size of the series when none.
std::vector<std::size_t> distances(const Conditions& conditions, Condition wanted) {
  std::vector<std::size_t> out(conditions.size(), conditions.size());
  std::size_t distance = conditions.size();
  for (std::size_t i = conditions.size(); i-- > 0;) {
    out[i] = distance;
    if (conditions[i] == wanted) distance = 0;
    if (distance < conditions.size()) ++distance;
  }
  return out;
}

}  // namespace

void ProbabilityScore::add(double probability, bool came) {
  if (!has_score(probability)) return;
  const double p = std::clamp(probability, 0.0, 1.0);
  const double outcome = came ? 1 : 0;
  ++count_;
  came_ += came ? 1 : 0;
  squares_ += (p - outcome) * (p - outcome);
  const double kept = std::clamp(p, kLeastProbability, 1 - kLeastProbability);
  log_loss_ -= std::log(came ? kept : 1 - kept);
  const auto scaled = static_cast<std::size_t>(p * static_cast<double>(kReliabilityBins));
  ReliabilityBin& bin = bins_.at(std::min(scaled, kReliabilityBins - 1));
  ++bin.count;
  bin.forecast_sum += p;
  bin.came += came ? 1 : 0;
}

ProbabilityScore& ProbabilityScore::operator+=(const ProbabilityScore& other) {
  count_ += other.count_;
  came_ += other.came_;
  squares_ += other.squares_;
  log_loss_ += other.log_loss_;
  for (std::size_t i = 0; i < kReliabilityBins; ++i) {
    bins_.at(i).count += other.bins_.at(i).count;
    bins_.at(i).forecast_sum += other.bins_.at(i).forecast_sum;
    bins_.at(i).came += other.bins_.at(i).came;
  }
  return *this;
}

std::optional<double> ProbabilityScore::base_rate() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(came_) / static_cast<double>(count_);
}

std::optional<double> ProbabilityScore::brier() const {
  if (count_ == 0) return std::nullopt;
  return squares_ / static_cast<double>(count_);
}

std::optional<double> ProbabilityScore::brier_skill() const {
  if (came_ == 0 || came_ == count_) return std::nullopt;
  const double rate = *base_rate();
  return 1 - *brier() / (rate * (1 - rate));
}

std::optional<double> ProbabilityScore::log_loss() const {
  if (count_ == 0) return std::nullopt;
  return log_loss_ / static_cast<double>(count_);
}

ProbabilityScore score_probabilities(const Scores& probabilities, const Conditions& conditions,
                                     std::size_t horizon) {
  const auto to_event = distances(conditions, Condition::kHolds);
  const auto to_unknown = distances(conditions, Condition::kUnknown);
  ProbabilityScore score;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i] != Condition::kQuiet || !has_score(probabilities[i])) continue;
    // By time alone: with those that came, and without those that did not, the last horizon of a
    // run would be nothing but events.
    if (i + horizon >= conditions.size() || to_unknown[i] <= horizon) continue;
    score.add(probabilities[i], to_event[i] <= horizon);
  }
  return score;
}

}  // namespace rocktune::score
