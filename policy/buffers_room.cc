// What there is for larger write buffers: of the budget, of the host, and of the cache.
#include <algorithm>

#include "model/knobs.h"
#include "policy/buffers_loop.h"
#include "policy/memory.h"

namespace rocktune {

bool BuffersLoop::has_made_room(const Situation& situation) const {
  const KnobReading* cache = cache_of(situation);
  return taken_ && cache != nullptr && cache->value < taken_->from;
}

// Memory that is short is nobody's to trade, and a wish that nobody has granted is none any more.
void BuffersLoop::forget_moot_trades(const Situation& situation) {
  if (situation.memory_short) return_.reset();
  const bool waits = taken_ && !has_made_room(situation);
  const bool moot = waits && seconds_between(taken_->wished, situation.now) > kReturnOfferedSeconds;
  if (situation.memory_short || moot) taken_.reset();
  if (situation.memory_short) lent_.forget();  // it comes back as any cache does
}

// What the host has to spare, and while memory is low only what the cache held and has given up,
// which the process may keep for itself; with `more` taken of it.
double BuffersLoop::free_bytes(const Situation& situation, double unused, double more) const {
  const KnobReading* cache = cache_of(situation);
  double given_up = 0;
  if (cache != nullptr && !situation.memory_short) {
    const auto size = static_cast<double>(cache->value);
    const double held = has_made_room(situation)
                            ? taken_->held
                            : std::min(size, situation.features.cache_usage_bytes.value_or(size));
    given_up = std::max(0.0, held - (size - more));
  }
  const double spare =
      situation.memory_low ? 0 : spare_memory(situation.features, situation.memory_free);
  return std::min(std::max(0.0, unused) + more, std::max(spare, given_up));
}

// Whether all that the cache can give is enough for the least growth: step by step, but no more
// than a quarter of one that is read. Of several caches nobody can tell what one of them is worth.
bool BuffersLoop::cache_can_give(const Situation& situation, const Doubling& doubling) const {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  if (cache == nullptr || other_caches(situation.features.knobs) > 0) return false;
  const auto size = static_cast<double>(cache->value);
  double most = size - static_cast<double>(least_cache(*cache, situation.features));
  if (situation.read_lately) {
    const double from = has_made_room(situation) ? static_cast<double>(taken_->from) : size;
    most = std::min(most, size - (1 - kLargestTrade) * from);
  }
  return most > 0 && free_bytes(situation, doubling.unused, most) >= doubling.least;
}

}  // namespace rocktune
