#include "policy/buffers_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kBuffersEvaluationSeconds = 30;
// How long writes have to press before memory moves, and nothing may press before it goes back.
constexpr double kPressedSeconds = 3, kIdleSeconds = 300;
// What is saved has to be this many times what the cache loses by it: reads wait for a miss, nobody
// for a merge.
constexpr double kTradeMargin = 1.25;
constexpr double kLeastCacheShare = 0.25;  // of what was found
constexpr double kLargestTrade = 0.25;     // of the cache, in one step
constexpr double kBuffersMostShare = 0.5;  // of the memory budget
// A miss costs a block of 4 KiB and as much again for the request itself: what a device does in
// IOPS it does not do in bytes.
constexpr double kMissBytes = 8192;
constexpr double kSlopeAfterSeconds = 10;
constexpr double kFullEnough = 0.9, kNotFullSeconds = 60;
// Buffers that do not grow although there is room are held by somebody else's word: rest so long.
constexpr double kHeldUpSeconds = 15, kBuffersRestSeconds = 600;
constexpr double kReturnOfferedSeconds = 60;  // as long as a rollback
constexpr double kNoAmplification = 1;        // the least that there is
constexpr double kLeastSlope = 0.005, kMostSlope = 0.5;
// What was learnt of the cache holds for so long, and while the hit ratio stays within this.
constexpr double kSlopeHoldsSeconds = 1800, kSameWorkingSet = 0.05;

}  // namespace

void BuffersLoop::learn_slope(const Situation& situation) {
  const KnobReading* cache =
      find_reading(situation.features.knobs, knob::kCacheCapacity, std::string_view());
  if (cache == nullptr) return;
  const Value hits = hit_ratio_.mean(10);
  if (cache_ && *cache_ != cache->value && hits) {
    change_ = Change{situation.now, static_cast<double>(*cache_), *hits};
    hit_ratio_.clear();
  }
  cache_ = cache->value;
  if (slope_ && hits &&
      (seconds_between(slope_->tick, situation.now) > kSlopeHoldsSeconds ||
       std::fabs(*hits - slope_->hit_ratio) > kSameWorkingSet)) {
    slope_.reset();
  }
  if (!change_ || seconds_between(change_->tick, situation.now) < kSlopeAfterSeconds) return;
  const double ratio = static_cast<double>(cache->value) / change_->bytes_before;
  // A grown cache has to fill before it says anything.
  const bool full = situation.features.cache_fill_ratio.value_or(0) >= kFullEnough;
  if (hits && full && ratio > 0 && std::fabs(std::log(ratio)) > 0.05) {
    const double slope = (*hits - change_->hit_ratio_before) / std::log(ratio);
    slope_ = Slope{std::clamp(slope, kLeastSlope, kMostSlope), *hits, situation.now};
  }
  change_.reset();
}

void BuffersLoop::observe(const Situation& situation) {
  const Features& f = situation.features;
  if (f.cache_hit_ratio) hit_ratio_.add(situation.now, *f.cache_hit_ratio);
  if (f.cache_hit_ratio && f.cache_misses_per_second && *f.cache_hit_ratio < 1) {
    lookups_.add(situation.now, *f.cache_misses_per_second / (1 - *f.cache_hit_ratio));
  }
  hit_ratio_.expire(situation.now);
  lookups_.expire(situation.now);
  learn_slope(situation);
  const bool not_full = f.cache_fill_ratio && *f.cache_fill_ratio < kFullEnough;
  not_full_seconds_ = not_full ? std::max(not_full_.update(true, situation.now), 1e-3)
                               : not_full_.update(false, situation.now);
}

std::optional<BuffersLoop::Family> BuffersLoop::busiest(const Situation& situation,
                                                        const Level0Merges& merges) {
  std::optional<Family> out;
  const Features& f = situation.features;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* writes = merges.of(family.name);
    if (writes == nullptr || family.leveled_compaction == 0) continue;
    if (out && writes->flushed <= out->writes.flushed) continue;
    const KnobReading* size = find_reading(f.knobs, knob::kWriteBufferSize, family.name);
    const KnobReading* number = find_reading(f.knobs, knob::kWriteBuffers, family.name);
    if (size == nullptr || number == nullptr || size->value <= 0) continue;
    if (!size->changeable || size->owner == KnobOwner::kManual) continue;
    out = Family{size, number, *writes};
  }
  return out;
}

std::optional<double> BuffersLoop::lost(const Situation& situation, double bytes) const {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  const Value hits = hit_ratio_.mean(10), lookups = lookups_.mean(10);
  if (cache == nullptr || !hits || !lookups) return 0;
  // What a cache has not filled in a minute it does not need; until then nobody can tell.
  if (not_full_seconds_ >= kNotFullSeconds) return 0;
  if (not_full_seconds_ > 0) return std::nullopt;
  const double slope = slope_ ? slope_->value : kLeastSlope;
  return *lookups * slope * bytes / static_cast<double>(cache->value) * kMissBytes;
}

// The cache gets back what a probe took, where its verdict is that it is worth more there.
std::optional<Proposal> BuffersLoop::end_trade(const Situation& situation) {
  const KnobReading* cache =
      find_reading(situation.features.knobs, knob::kCacheCapacity, std::string_view());
  const std::int64_t before = *std::exchange(taken_from_, std::nullopt);
  resting_since_ = situation.now;
  if (cache == nullptr || cache->value >= before) return std::nullopt;
  return_ = Return{before, cache->value, situation.now};
  return offer_return(situation);
}

std::optional<Proposal> BuffersLoop::offer_return(const Situation& situation) {
  const KnobReading* cache =
      find_reading(situation.features.knobs, knob::kCacheCapacity, std::string_view());
  const bool over = seconds_between(return_->since, situation.now) > kReturnOfferedSeconds;
  // Smaller than the probe left it: somebody else needs the memory.
  if (over ||
      (cache != nullptr && (cache->value >= return_->to || cache->value < return_->stands))) {
    return_.reset();
    return std::nullopt;
  }
  if (cache == nullptr || !cache->changeable) return std::nullopt;
  Proposal out = propose(*cache, return_->to, "cache.returned");
  out.reason = "the memory taken from the cache saves more there";
  const double hits = hit_ratio_.mean(10).value_or(0);
  out.expected = {"cache_hit_ratio", false, hits, kBuffersEvaluationSeconds};
  out.evidence = {{"cache_hit_ratio", hits, std::nullopt}};
  return out;
}

std::vector<Proposal> BuffersLoop::grow(const Situation& situation, const Family& family) {
  const Features& f = situation.features;
  const auto size = static_cast<double>(family.size->value);
  const auto number = static_cast<double>(family.number->value);
  const double saved = family.writes.saved_by_doubling();
  const MemoryUse use = memory_use(f.knobs, f.column_families);
  const double budget = memory_budget(situation.budget, use);
  const double room = kBuffersMostShare * budget - use.write_buffers;
  const double wanted = std::min(size * number, room);
  const bool wants = worth_doubling(family.writes, f) && wanted >= size / 8;
  const double free = budget - use.total();
  // Free memory is worth as much: the cache could have it.
  const std::optional<double> lost_by_cache = lost(situation, wanted);
  const double gains = saved * wanted / (size * number);
  const bool worth = wants && lost_by_cache && gains >= kTradeMargin * *lost_by_cache;
  // What was taken and is not wanted after all. A probe that could not tell (the cache did not
  // fill) is no reason to keep it, either.
  const bool landed = taken_from_ && cache_ && *cache_ < *taken_from_;
  if (landed && (!worth || !slope_)) {
    if (auto back = end_trade(situation)) return {*std::move(back)};
  }
  if (!worth || !f.memory_available_bytes) return {};
  // Less cache is slower reads at once, for fewer bytes later: not where reads come first, unless
  // writers wait.
  const bool has_room = free >= wanted / 2;
  const bool spares_reads = situation.objective.first == Priority::kReadP99 && !situation.stalled;
  if (!has_room && spares_reads) return {};
  const double costs = *lost_by_cache;
  claims_ = true;
  std::vector<Proposal> out;
  if (has_room) {
    taken_from_.reset();
    const double more = std::min(free, wanted) / number;
    Proposal grown =
        propose(*family.size, static_cast<std::int64_t>(size + more), "buffers.writes");
    grown.reason = "compactions of level 0 read " + text::rate(saved) +
                   " of the next level again and again: larger buffers save " + text::rate(gains) +
                   ", as cache the memory is worth " + text::rate(costs);
    grown.expected = {"write_amplification", true,
                      situation.write_amplification.value_or(kNoAmplification),
                      kBuffersEvaluationSeconds};
    grown.evidence = {{"flush_bytes_per_second", family.writes.flushed, std::nullopt},
                      {"cache_hit_ratio", hit_ratio_.mean(10).value_or(0), std::nullopt}};
    out.push_back(std::move(grown));
    return out;
  }
  const double missing = wanted - std::max(0.0, free);
  auto room_made =
      slope_ ? take_from_cache(situation, missing, "cache.trade",
                               "as write buffers the memory saves " + text::rate(gains) +
                                   " of compaction, as cache " + text::rate(costs) + " of reads")
             : take_from_cache(situation, 1e18, "cache.probe",
                               "larger write buffers would save " + text::rate(gains) +
                                   " of compaction: what is this part of the cache worth?");
  if (room_made && !taken_from_) taken_from_ = room_made->from;
  if (room_made) out.push_back(*std::move(room_made));
  return out;
}

std::optional<Proposal> BuffersLoop::take_from_cache(const Situation& situation, double bytes,
                                                     std::string_view rule, std::string reason) {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  if (cache == nullptr) return std::nullopt;
  const auto capacity = static_cast<double>(cache->value);
  const double least = kLeastCacheShare * static_cast<double>(cache->found);
  const double to = std::max(least, capacity - std::min(bytes, kLargestTrade * capacity));
  if (to >= capacity) return std::nullopt;
  Proposal out = propose(*cache, static_cast<std::int64_t>(to), rule);
  const double hits = hit_ratio_.mean(10).value_or(0);
  out.reason = std::move(reason);
  out.expected = {"cache_hit_ratio", false, hits, kBuffersEvaluationSeconds};
  out.evidence = {{"cache_hit_ratio", hits, std::nullopt}};
  return out;
}

std::optional<Proposal> BuffersLoop::give_back(const Situation& situation) {
  const Features& f = situation.features;
  for (const KnobReading& size : f.knobs) {
    if (size.name != knob::kWriteBufferSize || size.value <= size.found) continue;
    if (size.owner != KnobOwner::kRocktune || !size.changeable) continue;
    Proposal out = propose(size, std::max(size.found, size.value / 2), "buffers.idle");
    out.reason = "writes have not needed the larger buffers for " + text::duration(kIdleSeconds) +
                 ", and reads miss the cache";
    out.expected = {"memtable_ratio", true, situation.memtable_ratio.value_or(0),
                    kBuffersEvaluationSeconds};
    return out;
  }
  return std::nullopt;
}

std::vector<Proposal> BuffersLoop::decide(const Situation& situation, const Level0Merges& merges) {
  observe(situation);
  // What the cache's last change did is not known yet: nothing moves meanwhile.
  claims_ = change_ && static_cast<double>(cache_.value_or(0)) < change_->bytes_before;
  if (return_) {
    if (auto back = offer_return(situation)) return {*std::move(back)};
  }
  const bool presses =
      situation.trouble || situation.piling || situation.pressed || situation.wasteful;
  const double pressed = pressed_.update(presses, situation.now);
  const std::optional<Family> family = busiest(situation, merges);
  if (resting_since_ && seconds_between(*resting_since_, situation.now) >= kBuffersRestSeconds) {
    resting_since_.reset();
  }
  if (pressed >= kPressedSeconds && family && !change_ && !resting_since_) {
    std::vector<Proposal> wishes = grow(situation, *family);
    const bool same =
        !wishes.empty() && wishes[0].knob == knob::kWriteBufferSize && wishes[0].from == last_from_;
    last_from_ = wishes.empty() ? 0 : wishes[0].from;
    if (held_up_.update(same, situation.now) < kHeldUpSeconds) return wishes;
    claims_ = false;
    resting_since_ = situation.now;
    held_up_.reset();
    return {};
  }
  // Nothing presses any more: the question that the probe asked is moot.
  if (taken_from_ && !change_ && !presses) {
    if (auto back = end_trade(situation)) return {*std::move(back)};
  }
  // Back only where the cache can use it, and writes would not ask for it again.
  const Features& f = situation.features;
  const bool reads_want_it = f.cache_hit_ratio.value_or(1) < 0.95 &&
                             f.cache_fill_ratio.value_or(0) >= 0.95 &&
                             f.cache_misses_per_second.value_or(0) >= 100;
  const bool writes_little =
      !family || family->writes.saved_by_doubling() <
                     lost(situation, static_cast<double>(family->size->value) *
                                         static_cast<double>(family->number->value))
                         .value_or(0);
  const bool idle = situation.comfortable && !presses && reads_want_it && writes_little;
  if (idle_.update(idle, situation.now) < kIdleSeconds) return {};
  if (auto back = give_back(situation)) {
    idle_.reset();
    return {*std::move(back)};
  }
  return {};
}

}  // namespace rocktune
