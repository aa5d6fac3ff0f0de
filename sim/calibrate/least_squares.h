// Least squares of which no part is negative. Pure.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <array>
#include <cmath>

namespace rocktune::sim {

// What `matrix` (the sums of the products of N sources) and `target` (of their products with what
// is explained) come to for each source. Each adds to it or does not: where the best fit has one
// below 0, it is left out. `ridge`, as a share of each source's own sum, draws sources that always
// come together to equal parts.
template <int N>
Eigen::Matrix<double, N, 1> nonnegative_fit(const Eigen::Matrix<double, N, N>& sums,
                                            const Eigen::Matrix<double, N, 1>& target,
                                            double ridge = 0) {
  using Vector = Eigen::Matrix<double, N, 1>;
  using Matrix = Eigen::Matrix<double, N, N>;
  std::array<bool, N> used;
  for (int i = 0; i < N; ++i) used.at(i) = sums(i, i) > 0;
  while (true) {
    Matrix matrix = sums;
    Vector wanted = target;
    for (int i = 0; i < N; ++i) {
      if (used.at(i)) continue;
      matrix.row(i).setZero();
      matrix.col(i).setZero();
      matrix(i, i) = 1;
      wanted(i) = 0;
    }
    // Units differ by orders of magnitude: scaled, so that rounding counts alike for all.
    const Vector scale = matrix.diagonal().cwiseSqrt().cwiseInverse();
    Matrix scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
    scaled.diagonal().array() += ridge;
    const Vector fitted = scale.asDiagonal() * scaled.ldlt().solve(scale.asDiagonal() * wanted);
    int worst = -1;
    for (int i = 0; i < N; ++i) {
      const bool good = std::isfinite(fitted(i)) && fitted(i) >= 0;
      if (used.at(i) && !good && (worst < 0 || !(fitted(i) >= fitted(worst)))) worst = i;
    }
    if (worst < 0) return fitted;
    used.at(worst) = false;
  }
}

}  // namespace rocktune::sim
