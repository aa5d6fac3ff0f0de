#include "daemon/cache_note.h"

#include <algorithm>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::daemon {
namespace {

constexpr double kLastsSeconds = 300;  // a burst is no lack
constexpr double kGapSeconds = 60;
constexpr double kHalfFull = 0.5;

const KnobReading* turned_cache(const Features& f) {
  const KnobReading* cache = f.knobs.find(knob::kCacheCapacity, "");
  const bool turned = cache != nullptr && cache->changeable && cache->owner != KnobOwner::kManual;
  return turned ? cache : nullptr;
}

// Write buffers that may take more than there is for them and the cache; empty: they do not.
std::string buffers_beyond_budget(const Features& f, const Budget& budget) {
  Value most;
  std::string of = "of budget.memory_max";
  if (budget.memory_max) most = static_cast<double>(budget.memory_max->value);
  const Counter slice = f.shared ? f.shared->memory_max_bytes : Counter();
  if (slice && static_cast<double>(*slice) < most.value_or(1e300)) {
    most = static_cast<double>(*slice);
    of = "that shared.memory_max has for it";
  }
  const double buffers = memory_use(f).write_buffers;
  if (!most || buffers <= *most) return {};
  return "write buffers may take " + text::bytes(buffers) +
         " (write_buffer_size x max_write_buffer_number of all column families), more than the " +
         text::bytes(*most) + " " + of + ": nothing is left for the cache";
}

}  // namespace

// By a budget that nobody has set, and not by what the host has.
bool CacheNote::lacks_memory(const Features& f, const Budget& budget) const {
  const bool has_budget = budget.memory_max || (f.shared && f.shared->memory_max_bytes);
  const Value misses = misses_.mean(kWindowSeconds), reads = reads_.mean(kWindowSeconds);
  if (has_budget || !cache_is_short(f, misses, reads)) return false;
  const double least = (kLeastCacheGrowth - 1) * static_cast<double>(turned_cache(f)->value);
  return left_of_budget(f, budget) < least && spare_memory(f, free_memory(f)) >= least;
}

// What is not known to be in it may be coming.
bool CacheNote::fills(const Features& f) {
  if (!f.cache_usage_bytes || !f.cache_capacity_bytes) return true;
  const double used = *f.cache_usage_bytes;
  if (!filled_at_ || used >= used_ + cache_fills_by(*f.cache_capacity_bytes)) {
    used_ = used;
    filled_at_ = f.at.tick;
  }
  used_ = std::min(used_, used);
  return seconds_between(*filled_at_, f.at.tick) < kCacheFillsSeconds;
}

CacheNote::Why CacheNote::judge(const Features& f, const Budget& budget) {
  const bool filling = fills(f);
  const double misses = misses_.mean(kWindowSeconds).value_or(0);
  const double reads = reads_.mean(kWindowSeconds).value_or(0);
  if (turned_cache(f) == nullptr || !misses_cost_reads(misses, reads)) return Why::kNothing;
  if (other_caches(f.knobs) > 0) return Why::kSeveral;
  if (lacks_memory(f, budget)) return Why::kNoBudget;
  const bool half_empty = f.cache_fill_ratio.value_or(1) < kHalfFull;
  return half_empty && !filling ? Why::kStaysEmpty : Why::kNothing;
}

std::string CacheNote::told(const Features& f, double lasts) const {
  const std::string size = text::bytes(static_cast<double>(turned_cache(f)->value));
  const std::string missed = text::amount(misses_.mean(kWindowSeconds).value_or(0)) + "/s";
  const std::string so_long = " for " + text::duration(lasts);
  if (why_ == Why::kSeveral) {
    const std::size_t others = other_caches(f.knobs);
    return "reads have waited for " + missed + " of misses" + so_long + ", and beside its " + size +
           " there " + (others == 1 ? "is 1 cache" : "are " + std::to_string(others) + " caches") +
           " of other column families: whose misses they are nobody can tell, and nothing is added";
  }
  if (why_ == Why::kStaysEmpty) {
    return "no more than " + text::percent(f.cache_fill_ratio.value_or(0)) + " of " + size +
           " has been used" + so_long + ", while reads wait for " + missed +
           " of misses: what they read does not stay in it, as blocks for which a shard of it is "
           "too small, or where ReadOptions::fill_cache is false";
  }
  return "the full cache of " + size + " has missed " +
         text::percent(1 - hits_.mean(kWindowSeconds).value_or(1)) + " of the block reads" +
         so_long + ", and reads wait for " + missed +
         "; budget.memory_max is unset: nothing is added";
}

void CacheNote::look(const Features& f, const Budget& budget) {
  const Nanoseconds now = f.at.tick;
  misses_.note(now, read_misses_.look(f));
  reads_.note(now, reads_and_seeks(f));
  hits_.note(now, f.cache_hit_ratio);
  const Why why = judge(f, budget);
  const bool unseen = last_ && seconds_between(*last_, now) > kGapSeconds;
  if (unseen || why != why_) since_.reset();
  last_ = now;
  why_ = why;
  text_ = turned_cache(f) != nullptr ? buffers_beyond_budget(f, budget) : "";
  if (why == Why::kNothing) return;
  if (!since_) since_ = now;
  const double lasts = seconds_between(*since_, now);
  if (lasts >= kLastsSeconds && text_.empty()) text_ = told(f, lasts);
}

}  // namespace rocktune::daemon
