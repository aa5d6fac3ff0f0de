#include "policy/cache_worth.h"

#include <algorithm>
#include <cmath>

#include "model/knobs.h"

namespace rocktune {
namespace {

// Bytes that a device reads in the time of one miss, where it was not probed: drives' ratings give
// 5 to 7 KB (7.0 GB/s by 1.4 M IOPS, 7.0 by 1.0, 3.5 by 0.5).
constexpr double kMissBytes = 6144;
// After a change of the cache, until its misses are those of its new size; fewer readings than of
// five seconds say nothing, and where they come slowly there is as much time again.
constexpr double kShowsSeconds = 10, kReadingsSeconds = 5;
// What a cache misses while it warms up, or takes up another load, moves by itself. Steady: the
// last five seconds differ from the five before by less than this share.
constexpr double kSteadyMisses = 0.2, kSteadySeconds = 10;
constexpr double kPauseSeconds = 5, kPauseIntervals = 3;  // without reads
constexpr double kFullEnough = 0.9;
constexpr double kLeastElasticity = 0.02, kMostElasticity = 2;
// Usual. With favourites by Zipf's law (constant 0.99) over n keys of which the cache holds c it is
// 1 / ln(n / c) of the look-ups for data, 0.2 to 0.4; those for filters and indexes hardly miss.
constexpr double kUsualElasticity = 0.2, kUsualDeviation = 0.15;
// The mean of ten seconds is one of so many independent readings: compactions take seconds.
constexpr double kIndependentReadings = 3;
// No power law holds down to nothing: below this share of what the cache has now it is not asked.
constexpr double kLeastShare = 1.0 / 16;
constexpr double kDeviationSeconds = 15;  // two readings at least where they come each 12 s
// Changes of the cache by less than this, as a logarithm, tell nothing.
constexpr double kLeastChange = 0.05;
// What was learnt is known for so long, and holds while the misses of a read stay within this share
// of what they were.
constexpr double kKnownSeconds = 1800, kSameWorkingSet = 0.3;

double miss_bytes(const Objective& objective) {
  const auto& read = objective.device_capacities.read;
  return read ? std::max(kRatedRequestBytes, read->bytes_per_second / read->iops) : kMissBytes;
}

// One reading alone does not tell how far readings lie apart: as far as is usual.
double relative(const Value& deviation, double mean) {
  return deviation ? *deviation / mean : kUsualDeviation;
}

// What was measured beside what is usual, each by how sure it is.
double believable_elasticity(double measured, double deviation) {
  const double usual = kUsualDeviation * kUsualDeviation;
  const double weight = usual / (usual + deviation * deviation);
  return std::clamp(kUsualElasticity + weight * (measured - kUsualElasticity), kLeastElasticity,
                    kMostElasticity);
}

}  // namespace

bool CacheWorth::has_readings() const {
  return misses_per_read_.span_seconds() >= kReadingsSeconds;
}

void CacheWorth::learn(const Situation& situation, double bytes_now, double misses_now) {
  const double size = std::log(bytes_now / change_->bytes_before);
  // A grown cache has to fill before it says anything.
  const bool full = situation.features.cache_fill_ratio.value_or(0) >= kFullEnough;
  const double before = change_->misses_before;
  if (!full || !std::isfinite(size) || std::fabs(size) <= kLeastChange) return;
  if (before <= 0 || misses_now <= 0) return;
  const double measured = -std::log(misses_now / before) / size;
  const double noise =
      std::hypot(relative(change_->deviation, before),
                 relative(misses_per_read_.deviation(kDeviationSeconds), misses_now));
  const double deviation = noise / std::sqrt(kIndependentReadings) / std::fabs(size);
  elasticity_ = Elasticity{believable_elasticity(measured, deviation), misses_now, situation.now};
}

void CacheWorth::follow_cache(const Situation& situation) {
  const KnobReading* cache =
      situation.features.knobs.find(knob::kCacheCapacity, std::string_view());
  if (cache == nullptr) return;
  const Value misses = misses_per_read_.mean(10);
  const bool readings = misses && has_readings();
  if (cache_ && *cache_ != cache->value) {
    change_ = Change{situation.now, static_cast<double>(*cache_), readings ? *misses : 0,
                     misses_per_read_.deviation(kDeviationSeconds)};
    misses_per_read_.clear();
  }
  cache_ = cache->value;
  const bool other_load = readings && elasticity_ &&
                          std::fabs(*misses - elasticity_->misses_per_read) >
                              kSameWorkingSet * elasticity_->misses_per_read;
  if (other_load) elasticity_.reset();
  if (!change_) return;
  const double age = seconds_between(change_->tick, situation.now);
  const bool in_vain = change_->misses_before <= 0 || age >= 2 * kShowsSeconds;
  if (age < kShowsSeconds || (!readings && !in_vain)) return;
  if (readings) learn(situation, static_cast<double>(cache->value), *misses);
  change_.reset();
}

void CacheWorth::observe(const Situation& situation) {
  const Features& f = situation.features;
  follow_cache(situation);  // by the samples before this one: the cache may just have changed
  const Value& misses = situation.read_misses;
  const Value reads = reads_and_seeks(f);
  Value of_one;
  if (misses && reads && *reads >= kLeastOperationsPerSecond) of_one = *misses / *reads;
  // Who comes back after a pause finds another cache than he left: what it missed before it says
  // nothing of what it misses now.
  const double pause = std::max(kPauseSeconds, kPauseIntervals * f.interval_seconds);
  if (of_one && misses_per_read_.age_seconds(situation.now) >= pause) misses_per_read_.clear();
  misses_per_read_.note(situation.now, of_one);
  const bool not_full = f.cache_fill_ratio && *f.cache_fill_ratio < kFullEnough;
  if (!not_full) fills_from_.reset();
  // One that still fills has not been used for as long as it is going to be.
  const double used = f.cache_usage_bytes.value_or(0), size = f.cache_capacity_bytes.value_or(0);
  if (fills_from_) fills_from_ = std::min(*fills_from_, used);
  if (not_full && (!fills_from_ || used >= *fills_from_ + cache_fills_by(size))) {
    fills_from_ = used;
    not_full_.reset();
  }
  not_full_seconds_ = not_full ? std::max(not_full_.update(true, situation.now), 1e-3)
                               : not_full_.update(false, situation.now);
}

bool CacheWorth::known(const Situation& situation) const {
  if (!situation.read_lately) return true;
  return elasticity_ && situation.mean_read_misses &&
         within(elasticity_->tick, situation.now, kKnownSeconds);
}

std::optional<double> CacheWorth::lost(const Situation& situation, double from, double to) const {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  // Nor is memory worth anything to a cache that somebody else holds where it is.
  const bool ours = cache != nullptr && cache->owner != KnobOwner::kManual && cache->value > 0;
  const double misses = situation.mean_read_misses.value_or(0);
  if (!ours || misses <= 0 || !situation.read_lately) return 0;
  // What a cache has not filled in a minute it does not need; until then nobody can tell.
  if (not_full_seconds_ >= kCacheFillsSeconds) return 0;
  if (not_full_seconds_ > 0) return std::nullopt;
  const double elasticity = elasticity_ ? elasticity_->value : kUsualElasticity;
  const auto size = static_cast<double>(cache->value);
  const auto misses_of = [&](double bytes) {
    return misses * std::pow(size / std::max(bytes, kLeastShare * size), elasticity);
  };
  return (misses_of(to) - misses_of(from)) * miss_bytes(situation.objective);
}

bool CacheWorth::steady() const {
  const Value all = misses_per_read_.mean(kSteadySeconds),
              half = misses_per_read_.mean(kSteadySeconds / 2);
  // The mean of all is that of both halves.
  return all && half && *all > 0 && misses_per_read_.span_seconds() >= kSteadySeconds - 1 &&
         2 * std::fabs(*half - *all) <= kSteadyMisses * *all;
}

bool CacheWorth::judges_less(const Situation& situation) const {
  return change_ && situation.read_lately && static_cast<double>(*cache_) < change_->bytes_before;
}

}  // namespace rocktune
