#include "daemon/cache_note.h"

#include <algorithm>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::daemon {
namespace {

constexpr double kLastsSeconds = 300;  // a burst is no lack
// As the cache's loop has it (policy/cache_loop.cc): full, and a growth worth making.
constexpr double kLeastGrowth = 1.05;
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
  if (cache == nullptr || has_budget || !misses || !reads) return false;
  if (f.cache_fill_ratio.value_or(0) < kCacheFull || !misses_cost_reads(*misses, *reads))
    return false;
  const auto size = static_cast<double>(cache->value);
  const MemoryUse use = memory_use(f.knobs, f.column_families);
  const double room = memory_budget(budget, use) - use.total();
  return room < (kLeastGrowth - 1) * size &&
         spare_memory(f, free_memory(f)) >= (kLeastGrowth - 1) * size;
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
