#include "policy/idle_buffers.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/wishes.h"

namespace rocktune {
namespace {

constexpr double kIdleEvaluationSeconds = 60;
constexpr double kUnwantedSeconds = 300;
// What comes back has to be worth more than what went was said to save: keys that are overwritten
// may have doubled that, and are dropped in the buffers now.
constexpr double kReturnMargin = 2;
constexpr double kNoFlush = 1;  // bytes/s, of a mean that decays
// Reads that are to have back what was taken while there were none, and by how much a cache has to
// grow by it in one step.
constexpr double kReadsAgainSeconds = 10, kLeastReclaimed = 0.05;
constexpr double kStalledLatelySeconds = 60;

// By half, or to what was found.
std::int64_t one_step_back(const KnobReading& size) {
  const std::int64_t to = std::max(size.found, size.value / 2);
  return to < least_write_buffer(size) ? size.found : to;
}

bool buffers_may_grow(const KnobReadings& knobs) {
  return std::any_of(knobs.begin(), knobs.end(), [](const KnobReading& one) {
    return one.name == knob::kWriteBufferSize && one.changeable;
  });
}

}  // namespace

const KnobReading* cache_of(const Situation& situation) {
  return situation.features.knobs.find(knob::kCacheCapacity, std::string_view());
}

// Buffers that are ours and larger than found; nearly always there are none.
void IdleBuffers::follow_knobs(const KnobReadings& knobs) {
  if (knobs == knobs_) return;
  knobs_ = knobs;
  grown_.clear();
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const KnobReading& size = knobs[i];
    const bool grown = size.changeable && is_raised(size);
    if (grown && size.name == knob::kWriteBufferSize) grown_.push_back(i);
  }
}

// What merging costs more at that size, and what reads are spared by the memory as cache.
std::optional<IdleBuffers::Less> IdleBuffers::less(const Situation& situation,
                                                   const Level0Merges& merges,
                                                   const CacheWorth& worth, const KnobReading& size,
                                                   std::int64_t to) {
  const KnobReading* number =
      situation.features.knobs.find(knob::kWriteBuffers, size.column_family);
  const Level0Merging* writes = merges.of(size.column_family, 0);
  Less out;
  out.to = to;
  if (number == nullptr || writes == nullptr || out.to <= 0) return std::nullopt;
  const auto before = static_cast<double>(size.value), after = static_cast<double>(out.to);
  // Where half of a buffer is never filled half of it costs nothing.
  const double saved = writes->never_fills ? 0 : merges.saved_by_larger_buffers(*writes);
  out.costs = 2 * saved * (before / after - 1);
  const double bytes = (before - after) * static_cast<double>(number->value);
  const KnobReading* cache = situation.features.knobs.find(knob::kCacheCapacity, {});
  const double now = cache != nullptr ? static_cast<double>(cache->value) : 0;
  out.saves = worth.lost(situation, now + bytes, now).value_or(0);
  out.unused = writes->flushed < kNoFlush;
  out.known = writes->known;
  return out;
}

std::string IdleBuffers::why(const Less& half, Wanted wanted) {
  if (wanted == Wanted::kByReaders) {
    return "they took of the cache while nobody read, and now somebody reads";
  }
  if (wanted == Wanted::kByReadersAsFound) return std::string(kLentBefore);
  const std::string so_long = "for " + text::duration(kUnwantedSeconds);
  if (half.unused) {
    return "nothing was flushed " + so_long +
           ": larger buffers save nothing, and the memory may be of use elsewhere";
  }
  return so_long + " half of the buffers would have been enough: they save " +
         text::rate(half.costs) + " of compaction, and as cache the memory saves " +
         text::rate(half.saves) + " of reads";
}

// Column families take turns, so that one that is held holds up no other.
std::optional<Proposal> IdleBuffers::propose_one(const Situation& situation,
                                                 const std::vector<Due>& due, Wanted wanted) {
  if (due.empty()) return std::nullopt;
  const auto& [size, half] = due[turn_++ % due.size()];
  for (Unwanted& one : unwanted_) {
    if (one.column_family == size->column_family) one.held.reset();
  }
  const Features& f = situation.features;
  if (situation.memory_short) {
    Proposal out = propose(*size, half.to, "buffers.memory");
    out.reason = short_memory_text(situation) + ": write buffers that were made larger go back";
    out.expected = expect_less_pressure(situation, kIdleEvaluationSeconds);
    out.evidence = memory_evidence(f);
    return out;
  }
  Proposal out = propose(*size, half.to, "buffers.idle");
  out.reason = why(half, wanted);
  out.expected = {"memtable_ratio", true, situation.memtable_ratio.value_or(0),
                  kIdleEvaluationSeconds};
  out.evidence = miss_evidence(f);
  return out;
}

std::optional<Proposal> IdleBuffers::decide(const Situation& situation, const Level0Merges& merges,
                                            const CacheWorth& worth, Wanted wanted) {
  const Features& f = situation.features;
  follow_knobs(f.knobs);
  const bool cache_wants_it =
      !situation.memory_low && cache_is_short(f, situation.mean_read_misses, situation.mean_reads);
  const bool others_want_it = f.shared && f.shared->memory_max_bytes;
  const bool writers_near_limits = situation.trouble || situation.piling || situation.wasteful ||
                                   situation.near_limit || !f.l0_ratio;
  const bool host_lacks_it = situation.memory_short && !situation.stalled;
  std::vector<Unwanted> grown;
  std::vector<Due> due;
  for (const std::size_t i : grown_) {
    const KnobReading& size = f.knobs[i];
    const std::optional<Less> half = less(situation, merges, worth, size, one_step_back(size));
    if (!half) continue;
    const auto same = [&size](const Unwanted& one) {
      return one.column_family == size.column_family;
    };
    const auto before = std::find_if(unwanted_.begin(), unwanted_.end(), same);
    grown.push_back(before != unwanted_.end() ? *before : Unwanted{size.column_family, {}});
    const bool better_elsewhere = (cache_wants_it && half->saves > kReturnMargin * half->costs) ||
                                  (others_want_it && half->unused);
    const bool unwanted = half->known && better_elsewhere && !writers_near_limits;
    const bool long_enough = grown.back().held.update(unwanted, situation.now) >= kUnwantedSeconds;
    if (long_enough || host_lacks_it || wanted != Wanted::kWhereWorthMore)
      due.push_back({&size, *half});
  }
  unwanted_ = std::move(grown);
  return propose_one(situation, due, wanted);
}

void LentCache::inherit(const Situation& situation) {
  const KnobReading* cache = cache_of(situation);
  if (looked_ || cache == nullptr) return;
  looked_ = true;
  if (!is_lowered(*cache) || !cache->changeable) return;
  before_ = cache->found;
  is_inherited_ = true;
}

bool LentCache::is_wanted(const Situation& situation) {
  const bool read =
      !lent_at_ || situation.unread_seconds < seconds_between(*lent_at_, situation.now);
  const double reads = reads_again_.update(situation.read_lately && read, situation.now);
  const KnobReading* cache = cache_of(situation);
  if (!before_ || cache == nullptr) return false;
  if (cache->owner == KnobOwner::kManual || cache->value >= *before_) before_.reset();
  if (situation.stalled) stalled_at_ = situation.now;
  // Between two of its stalls a database is as far behind as in them.
  const bool writers_need_it = within(stalled_at_, situation.now, kStalledLatelySeconds) ||
                               (situation.trouble && situation.near_limit);
  return before_ && reads >= kReadsAgainSeconds &&
         situation.objective.first == Priority::kReadP99 && !writers_need_it;
}

LentCache::Due LentCache::due(const Situation& situation) {
  const Features& f = situation.features;
  const KnobReading& cache = *cache_of(situation);
  const auto size = static_cast<double>(cache.value), before = static_cast<double>(*before_);
  const double free = std::max(0.0, left_of_budget(f, situation.budget));
  // What it had back and has not filled yet is not free, though the host still has it.
  const double unfilled = std::max(0.0, size - f.cache_usage_bytes.value_or(size));
  const double spare = std::max(0.0, spare_memory(f, situation.memory_free) - unfilled);
  const double to = std::min(before, size + std::min(free, spare));
  const bool matters = to >= (1 + kLeastReclaimed) * size || to >= before;
  Due out;
  // Where the budget would let it, it is a matter of time until the host has it to spare.
  const bool may_yet = free >= kLeastReclaimed * size;
  out.can_take = cache.changeable && !situation.memory_low && (matters || !may_yet);
  // Somebody else's word holds it, as a pin does, or it alone is frozen: nobody is to wait for it.
  if (waits_at_ != cache.value) {
    waits_at_ = cache.value;
    waits_.reset();
  }
  const bool frozen = !cache.changeable && buffers_may_grow(f.knobs);
  const double waited = waits_.update(frozen || (out.can_take && matters), situation.now);
  if (waited > kReturnOfferedSeconds) before_.reset();
  if (before_ && out.can_take && matters) out.cache = static_cast<std::int64_t>(to);
  return out;
}

}  // namespace rocktune
