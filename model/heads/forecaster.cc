#include "model/heads/forecaster.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rocktune {
namespace {

constexpr double kForecasterGapSeconds = 10;  // more is a gap
constexpr std::int64_t kMostBlindSteps = 5;   // of 2 s: as long a hole as score/ bridges
constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
// Drift is judged by the heads of 30 s.
constexpr std::size_t kDriftHorizon = 1;

std::size_t ring_place(std::int64_t place) {
  return static_cast<std::size_t>(place) % Forecaster::kSlots;
}

std::int64_t steps(std::size_t horizon) {
  return static_cast<std::int64_t>(kHeadHorizons.at(horizon) / Forecaster::kGridSeconds);
}

// `values` are those at kHeadHorizons.
double between_horizons(double horizon, const std::array<double, kHeadHorizons.size()>& values) {
  if (!(horizon > kHeadHorizons.front())) return values.front();
  for (std::size_t i = 1; i < kHeadHorizons.size(); ++i) {
    if (horizon > kHeadHorizons.at(i)) continue;
    if (horizon == kHeadHorizons.at(i)) return values.at(i);
    const double share = std::log(horizon / kHeadHorizons.at(i - 1)) /
                         std::log(kHeadHorizons.at(i) / kHeadHorizons.at(i - 1));
    return (1 - share) * values.at(i - 1) + share * values.at(i);
  }
  return values.back();
}

}  // namespace

void Forecaster::load(const LearntIndicator& prior) {
  learnt_ = is_sound(prior) ? prior : LearntIndicator();
}

void Forecaster::clear() {
  for (Slot& slot : slots_) slot.place = -1;
  place_ = -1;
  onset_place_ = -1000;
  known_place_ = hole_place_ = -1;
  origin_.reset();
  has_moment_ = false;
  drift_.clear();
}

void Forecaster::update(Nanoseconds tick, const Moment* moment, const Episodes& episodes) {
  if (origin_) {
    const double passed = seconds_between(now_, tick);
    if (!(passed >= 0) || passed > kForecasterGapSeconds) clear();
  }
  if (!origin_) origin_ = tick;
  now_ = tick;
  const auto place =
      static_cast<std::int64_t>(std::floor(seconds_between(*origin_, tick) / kGridSeconds));
  const bool first = place > place_;
  if (first) advance_to(place);
  if (episodes.onset_now()) {
    onset_place_ = place_;
    ++learnt_.onsets;
  }
  has_moment_ = moment != nullptr;
  if (!has_moment_) return;
  if (first) add_reading(learnt_.moments, moment->inputs);
  look(*moment);
  if (first) keep(*moment, episodes.holds());
  keep_largest();
}

// All steps up to the newest are complete: what they were waited for is known now.
void Forecaster::advance_to(std::int64_t place) {
  for (; place_ < place; ++place_) {
    if (place_ < 0) continue;
    for (std::size_t horizon = 0; horizon < kHeadHorizons.size(); ++horizon) resolve(horizon);
    Slot& next = slots_.at(ring_place(place_ + 1));
    next.place = place_ + 1;
    next.known = false;
    next.largest.fill(kNoValue);
  }
}

void Forecaster::look(const Moment& moment) {
  inputs_ = standardise(learnt_.moments, moment.inputs);
  physical_ = moment.physical;
  values_ = moment.values;
  for (std::size_t i = 0; i < log_odds_.size(); ++i) {
    log_odds_.at(i) = event_log_odds(learnt_.events.at(i), inputs_, physical_.at(i));
  }
}

void Forecaster::keep(const Moment& moment, bool holds) {
  if (known_place_ >= 0 && place_ - known_place_ > kMostBlindSteps) hole_place_ = place_ - 1;
  known_place_ = place_;
  Slot& slot = slots_.at(ring_place(place_));
  slot.place = place_;
  slot.known = true;
  slot.holds = holds;
  slot.inputs = pack(inputs_);
  for (std::size_t i = 0; i < physical_.size(); ++i) {
    slot.physical.at(i) = static_cast<float>(physical_.at(i));
  }
  for (std::size_t i = 0; i < kMostHeadValues; ++i) {
    slot.now.at(i) = static_cast<float>(moment.values.at(i).value_or(kNoValue));
  }
  slot.largest.fill(kNoValue);
  learnt_.seconds += static_cast<std::uint64_t>(kGridSeconds);
}

void Forecaster::keep_largest() {
  Slot& slot = slots_.at(ring_place(place_));
  if (slot.place != place_) return;
  for (std::size_t i = 0; i < kMostHeadValues; ++i) {
    if (!values_.at(i) || !std::isfinite(*values_.at(i))) continue;
    slot.largest.at(i) = std::fmax(slot.largest.at(i), static_cast<float>(*values_.at(i)));
  }
}

void Forecaster::resolve(std::size_t horizon) {
  // The slot is the first reading of its step, and this step is complete.
  const std::int64_t then = place_ - steps(horizon) + 1;
  if (then < 0) return;
  const Slot& slot = slots_.at(ring_place(then));
  if (slot.place != then || !slot.known) return;
  const bool came = onset_place_ >= then && onset_place_ <= place_;
  const bool blind = hole_place_ > then || place_ - known_place_ > kMostBlindSteps;
  if (blind && !came) return;  // what came in that time is not known
  const HeadVector inputs = unpack(slot.inputs);
  resolve_values(slot, inputs, horizon);
  if (slot.holds) return;
  HeadWeights& head = learnt_.events.at(horizon);
  const double physical = static_cast<double>(slot.physical.at(horizon));
  if (horizon == kDriftHorizon &&
      drift_.add(probability_of(event_log_odds(head, inputs, physical)), came)) {
    note_drift();
  }
  learn_event(head, inputs, physical, came);
}

void Forecaster::resolve_values(const Slot& slot, const HeadVector& inputs, std::size_t horizon) {
  for (std::size_t i = 0; i < kMostHeadValues; ++i) {
    const float now = slot.now.at(i);
    if (!std::isfinite(now)) continue;
    const float largest = largest_until(i, slot.place, place_);
    auto& heads = learnt_.values.at(i).at(horizon);
    for (std::size_t q = 0; q < heads.size(); ++q) {
      learn_quantile(heads.at(q), inputs, static_cast<double>(now), static_cast<double>(largest),
                     kHeadQuantiles.at(q));
    }
  }
}

float Forecaster::largest_until(std::size_t value, std::int64_t first, std::int64_t last) const {
  float largest = kNoValue;
  for (std::int64_t place = first; place <= last; ++place) {
    const Slot& slot = slots_.at(ring_place(place));
    if (slot.place == place) largest = std::fmax(largest, slot.largest.at(value));
  }
  return largest;
}

void Forecaster::note_drift() {
  drifted_ = now_;
  fade(learnt_.moments);
  for (HeadWeights& head : learnt_.events) quicken(head);
  for (auto& of_value : learnt_.values) {
    for (auto& of_horizon : of_value) {
      for (HeadWeights& head : of_horizon) quicken(head);
    }
  }
}

double Forecaster::watched_seconds() const {
  return origin_ ? seconds_between(*origin_, now_) : 0;
}

std::optional<double> Forecaster::log_odds(double horizon) const {
  if (!has_moment_) return std::nullopt;
  return between_horizons(horizon, log_odds_);
}

std::optional<double> Forecaster::physical_log_odds(double horizon) const {
  if (!has_moment_) return std::nullopt;
  return between_horizons(horizon, physical_);
}

std::optional<std::array<double, kHeadQuantiles.size()>> Forecaster::value(std::size_t place,
                                                                           double horizon) const {
  if (!has_moment_ || !values_.at(place)) return std::nullopt;
  const auto& heads = learnt_.values.at(place).at(nearest_head_horizon(horizon));
  const double now = *values_.at(place);
  std::array<double, kHeadQuantiles.size()> out{};
  for (std::size_t q = 0; q < heads.size(); ++q) {
    out.at(q) = std::max(now, evaluate(heads.at(q), inputs_, now));  // the largest from now on
    if (q > 0) out.at(q) = std::max(out.at(q), out.at(q - 1));
  }
  return out;
}

HeadVector Forecaster::contributions(double horizon) const {
  const HeadWeights& head = learnt_.events.at(nearest_head_horizon(horizon));
  HeadVector out{};
  for (std::size_t i = 0; i < kHeadInputs; ++i) out.at(i) = head.weights.at(i) * inputs_.at(i);
  return out;
}

bool Forecaster::calibrated() const {
  const bool untrusted = drifted_ && seconds_between(*drifted_, now_) < kUntrustedSeconds;
  return learnt_.onsets >= kFewestOnsets && !untrusted;
}

}  // namespace rocktune
