#include "sim/calibrate/speeds.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rocktune::sim {
namespace {

constexpr int kSpeedRounds = 6;
constexpr double kSameSpeed = 0.03;
constexpr double kLargestTurn = 3;  // of one round

constexpr std::array kSpeeds = {&Laws::flush_bytes_per_second, &Laws::l0_bytes_per_second,
                                &Laws::deep_bytes_per_second};
using Speeds = std::array<double, kSpeeds.size()>;

double over(double bytes, double seconds) {
  return bytes > 0 && seconds > 0 ? bytes / seconds : 0;
}

// In the order of kSpeeds; 0: no such job ended.
Speeds speeds_of(const Plant& plant) {
  FamilyTotals all;
  for (std::size_t i = 0; i < plant.families(); ++i) {
    const FamilyTotals& one = plant.family_totals(i);
    all.flush_seconds += one.flush_seconds;
    all.l0_seconds += one.l0_seconds;
    all.l0_input_bytes += one.l0_input_bytes;
    all.deep_seconds += one.deep_seconds;
  }
  const Totals& totals = plant.totals();
  return {over(totals.flush_bytes_written, all.flush_seconds),
          over(all.l0_input_bytes, all.l0_seconds),
          over(totals.compaction_bytes_read - all.l0_input_bytes, all.deep_seconds)};
}

// Jobs that may have waited for a limiter tell how fast that let them be. Where one was set at the
// begin they are not taken to be slower, or less alike, than others usually are.
void doubt_limited(const PlantOptions& options, Laws& laws) {
  if (!(options.rate_limit > 0)) return;
  const Laws usual;
  for (const auto speed : kSpeeds) laws.*speed = std::max(laws.*speed, usual.*speed);
  laws.job_spread = std::min(laws.job_spread, usual.job_spread);
}

constexpr std::array kSeenSpeeds = {&Seen::flush_speed, &Seen::l0_speed, &Seen::deep_speed};

}  // namespace

Seen seen_beside_limiter(Seen seen, const PlantOptions& options, const Laws& laws) {
  if (!(options.rate_limit > 0)) return seen;
  const Laws usual;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    if (laws.*kSpeeds.at(i) <= usual.*kSpeeds.at(i)) seen.*kSeenSpeeds.at(i) = false;
  }
  return seen;
}

Laws with_speeds_alone(SimulationInput run) {
  const Laws seen = run.laws;
  doubt_limited(run.options, run.laws);
  if (!run.host.device) return run.laws;
  for (int round = 0; round < kSpeedRounds; ++round) {
    const Speeds simulated = speeds_of(repeat(run, 0));
    bool same = true;
    for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
      if (!(simulated.at(i) > 0)) continue;
      const double turn = seen.*kSpeeds.at(i) / simulated.at(i);
      double& speed = run.laws.*kSpeeds.at(i);
      const double next =
          std::min(speed * std::clamp(turn, 1 / kLargestTurn, kLargestTurn), kFastestJob);
      same = same && std::abs(next / speed - 1) <= kSameSpeed;
      speed = next;
    }
    doubt_limited(run.options, run.laws);
    if (same) break;
  }
  return run.laws;
}

}  // namespace rocktune::sim
