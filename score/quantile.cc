#include "score/quantile.h"

#include <algorithm>
#include <cmath>

namespace rocktune::score {

std::optional<double> quantile(std::vector<double> values, double p) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double rank = std::clamp(p, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (rank - std::floor(rank)) * (values[above] - values[below]);
}

void QuantileScore::add(double forecast, double value) {
  if (!std::isfinite(forecast) || !std::isfinite(value)) return;
  const double above = value - forecast;
  loss_ += above >= 0 ? p_ * above : (p_ - 1) * above;
  ++count_;
  if (value <= forecast) ++covered_;
}

QuantileScore& QuantileScore::operator+=(const QuantileScore& other) {
  loss_ += other.loss_;
  count_ += other.count_;
  covered_ += other.covered_;
  return *this;
}

std::optional<double> QuantileScore::pinball() const {
  if (count_ == 0) return std::nullopt;
  return loss_ / static_cast<double>(count_);
}

std::optional<double> QuantileScore::coverage() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(covered_) / static_cast<double>(count_);
}

}  // namespace rocktune::score
