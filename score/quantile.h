// Quantiles of a few values, and the scores of forecast quantiles. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace rocktune::score {

// The p-quantile (0 <= p <= 1), interpolated between order statistics (Hyndman and Fan's type 7,
// numpy's default); absent of nothing.
std::optional<double> quantile(std::vector<double> values, double p);

// How good forecasts of one quantile are: pinball loss (Koenker and Bassett 1978; in the value's
// unit, lower is better) and coverage (the share of values at or below their forecast, which should
// be p).
class QuantileScore {
 public:
  explicit QuantileScore(double p) : p_(p) {}
  void add(double forecast, double value);
  QuantileScore& operator+=(const QuantileScore& other);  // of the same p

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::optional<double> pinball() const;   // mean; absent without a forecast
  [[nodiscard]] std::optional<double> coverage() const;  // likewise

 private:
  double p_;
  double loss_ = 0;
  std::size_t count_ = 0, covered_ = 0;
};

}  // namespace rocktune::score
