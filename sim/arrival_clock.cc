#include "sim/arrival_clock.h"

#include <algorithm>

namespace rocktune::sim {
namespace {

// Points nearer than that are one: it bounds how many there are.
constexpr double kPointSeconds = 0.05;
constexpr double kNoOperation = 1e-3;  // operations

}  // namespace

void ArrivalClock::arrive(double until_seconds, double operations) {
  const double arrived = points_.back().operations + operations;
  if (points_.size() > 2 && until_seconds - points_[points_.size() - 2].seconds < kPointSeconds) {
    points_.back() = {until_seconds, arrived};
    return;
  }
  points_.push_back({until_seconds, arrived});
}

void ArrivalClock::done(double operations) {
  done_ = std::min(done_ + operations, points_.back().operations);
  while (points_.size() > 2 && points_[1].operations <= done_) points_.pop_front();
}

double ArrivalClock::wait_seconds(double now_seconds) const {
  if (points_.size() < 2 || points_.back().operations - done_ < kNoOperation) return 0;
  const Point& from = points_[0];
  const Point& to = points_[1];
  const double arrived = to.operations - from.operations;
  const double share = arrived > 0 ? std::clamp((done_ - from.operations) / arrived, 0.0, 1.0) : 1;
  return std::max(now_seconds - (from.seconds + share * (to.seconds - from.seconds)), 0.0);
}

void ArrivalClock::clear(double now_seconds) {
  points_.assign(1, {now_seconds, 0});
  done_ = 0;
}

}  // namespace rocktune::sim
