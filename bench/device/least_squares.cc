#include "bench/device/least_squares.h"

#include <Eigen/Dense>

namespace rocktune::bench {
namespace {

constexpr double kVariation = 1e-3;
constexpr double kLongestStep = 1;
constexpr double kLeastGain = 1e-7;
constexpr int kSteps = 200;
constexpr int kDampings = 8;  // tried for one step: damping rises by 4^8 = 65,536

Eigen::MatrixXd jacobian(const Residuals& residuals, const Eigen::VectorXd& at, Eigen::Index rows) {
  Eigen::MatrixXd out(rows, at.size());
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    Eigen::VectorXd above = at;
    Eigen::VectorXd below = at;
    above[i] += kVariation;
    below[i] -= kVariation;
    out.col(i) = (residuals(above) - residuals(below)) / (2 * kVariation);
  }
  return out;
}

}  // namespace

Eigen::VectorXd least_squares(const Residuals& residuals, const Eigen::VectorXd& guess) {
  Eigen::VectorXd best = guess;
  Eigen::VectorXd rest = residuals(best);
  double damping = 1e-2;
  for (int step = 0; step < kSteps; ++step) {
    const Eigen::MatrixXd slope = jacobian(residuals, best, rest.size());
    const Eigen::MatrixXd squared = slope.transpose() * slope;
    const Eigen::VectorXd gradient = slope.transpose() * rest;
    double gain = 0;
    for (int attempt = 0; attempt < kDampings && gain <= 0; ++attempt) {
      Eigen::MatrixXd damped = squared;
      damped.diagonal() *= 1 + damping;
      damped.diagonal().array() += 1e-9;  // a parameter without influence stays where it is
      const Eigen::VectorXd change =
          (-damped.ldlt().solve(gradient)).cwiseMax(-kLongestStep).cwiseMin(kLongestStep);
      const Eigen::VectorXd candidate = best + change;
      const Eigen::VectorXd left = residuals(candidate);
      if (left.squaredNorm() < rest.squaredNorm()) {
        gain = 1 - left.squaredNorm() / rest.squaredNorm();
        best = candidate;
        rest = left;
        damping *= 0.3;
      } else {
        damping *= 4;
      }
    }
    if (gain < kLeastGain) break;
  }
  return best;
}

}  // namespace rocktune::bench
