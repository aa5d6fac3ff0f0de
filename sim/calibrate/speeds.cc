#include "sim/calibrate/speeds.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rocktune::sim {
namespace {

constexpr int kSpeedRounds = 6;
constexpr double kSameSpeed = 0.03;
// As a logarithm: a speed that comes out further off than this was not found.
constexpr double kFoundSpeed = 0.3;
constexpr double kLargestTurn = 3;  // of one round

constexpr std::array kSpeeds = {&Laws::flush_bytes_per_second, &Laws::l0_bytes_per_second,
                                &Laws::deep_bytes_per_second};
constexpr std::array kSeenSpeeds = {&Seen::flush_speed, &Seen::l0_speed, &Seen::deep_speed};
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

// Where the limiter may have hidden how fast they are.
void forget_limited(const PlantOptions& options, const Laws& seen_laws, Seen& seen) {
  if (!(options.rate_limit > 0)) return;
  const Laws usual;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    if (seen_laws.*kSpeeds.at(i) <= usual.*kSpeeds.at(i)) seen.*kSeenSpeeds.at(i) = false;
  }
}

// One round: how far each speed that was seen is from coming out as recorded. 1: it does, or no
// such job ended.
Speeds turns(const SimulationInput& run, const Laws& recorded) {
  const Speeds simulated = speeds_of(repeat(run, 0));
  Speeds out;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    const bool told = run.seen.*kSeenSpeeds.at(i) && simulated.at(i) > 0;
    out.at(i) = told ? recorded.*kSpeeds.at(i) / simulated.at(i) : 1;
  }
  return out;
}

// Turns the speeds until the run comes out as recorded; those that do not are as recorded.
void find_speeds_alone(SimulationInput& run, const Laws& recorded) {
  Speeds wanted{};
  for (int round = 0; round <= kSpeedRounds; ++round) {
    wanted = turns(run, recorded);
    const bool same = std::all_of(wanted.begin(), wanted.end(),
                                  [](double turn) { return std::abs(turn - 1) <= kSameSpeed; });
    if (same || round == kSpeedRounds) break;
    for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
      double& speed = run.laws.*kSpeeds.at(i);
      speed =
          std::min(speed * std::clamp(wanted.at(i), 1 / kLargestTurn, kLargestTurn), kFastestJob);
    }
    doubt_limited(run.options, run.laws);
  }
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    if (std::abs(std::log(wanted.at(i))) <= kFoundSpeed) continue;
    run.laws.*kSpeeds.at(i) = recorded.*kSpeeds.at(i);
    run.seen.*kSeenSpeeds.at(i) = false;
  }
}

}  // namespace

KnownLaws with_speeds_alone(SimulationInput run) {
  const Laws recorded = run.laws;
  forget_limited(run.options, recorded, run.seen);
  doubt_limited(run.options, run.laws);
  if (run.host.device) find_speeds_alone(run, recorded);
  return {run.laws, run.seen};
}

}  // namespace rocktune::sim
