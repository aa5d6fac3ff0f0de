#include "daemon/cache_note.h"

#include <algorithm>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::daemon {
namespace {

constexpr double kLastsSeconds = 300;  // a burst is no lack
constexpr double kGapSeconds = 60;

const KnobReading* turned_cache(const Features& f) {
  const KnobReading* cache = f.knobs.find(knob::kCacheCapacity, "");
  const bool turned = cache != nullptr && cache->changeable && cache->owner != KnobOwner::kManual;
  return turned ? cache : nullptr;
}

}  // namespace

// By a budget that nobody has set, and not by what the host has.
bool CacheNote::lacks_memory(const Features& f, const Budget& budget) const {
  const KnobReading* cache = turned_cache(f);
  const bool has_budget = budget.memory_max || (f.shared && f.shared->memory_max_bytes);
  const Value misses = misses_.mean(kWindowSeconds), reads = reads_.mean(kWindowSeconds);
  if (cache == nullptr || has_budget || !cache_is_short(f, misses, reads)) return false;
  const double least = (kLeastCacheGrowth - 1) * static_cast<double>(cache->value);
  return left_of_budget(f, budget) < least && spare_memory(f, free_memory(f)) >= least;
}

void CacheNote::look(const Features& f, const Budget& budget) {
  const Nanoseconds now = f.at.tick;
  misses_.note(now, read_misses_.look(f));
  reads_.note(now, reads_and_seeks(f));
  hits_.note(now, f.cache_hit_ratio);
  if (last_ && seconds_between(*last_, now) > kGapSeconds) since_.reset();
  last_ = now;
  text_.clear();
  if (!lacks_memory(f, budget)) return since_.reset();
  if (!since_) since_ = now;
  const double lasts = seconds_between(*since_, now);
  if (lasts < kLastsSeconds) return;
  text_ = "the full cache of " + text::bytes(static_cast<double>(turned_cache(f)->value)) +
          " has missed " + text::percent(1 - hits_.mean(kWindowSeconds).value_or(1)) +
          " of the block reads for " + text::duration(lasts) + ", and reads wait for " +
          text::amount(*misses_.mean(kWindowSeconds)) +
          "/s; budget.memory_max is unset: nothing is added";
}

}  // namespace rocktune::daemon
