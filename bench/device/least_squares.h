// Levenberg and Marquardt's method for a few parameters: the parameters at which the residuals'
// squares add up to the least, found from a first guess. Derivatives are taken numerically.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace rocktune::bench {

using Residuals = std::function<Eigen::VectorXd(const Eigen::VectorXd& parameters)>;

// Parameters are best given as logarithms of what they stand for: they are varied by 0.001, and one
// step changes none by more than 1. Stops when a step gains less than a ten millionth, after 200.
Eigen::VectorXd least_squares(const Residuals& residuals, const Eigen::VectorXd& guess);

}  // namespace rocktune::bench
