// The block cache's loop: grows while misses cost device reads and memory allows, stops where a
// growth no longer pays (the knee), shrinks when memory runs short.
#include <algorithm>
#include <cmath>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/headroom.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kCacheEvaluationSeconds = 60;
constexpr double kLeastDeviceReads = 50;  // per second: below, the page cache serves the misses
constexpr double kNearlySlow = 0.5;       // of the reads' objective
constexpr double kShrinkFactor = 0.8;
// Until it is seen whether what was given up has gone back to the host: allocators keep some for
// seconds, others for good. Where the next step does not wait: available memory fell by so much.
constexpr double kShrinkShowsSeconds = 15, kStillFalling = 0.9;
// So many steps that freed less than this share of what they gave up, as the process's resident
// memory tells, are enough.
constexpr double kLeastFreed = 0.25;
constexpr int kMostInVain = 2;
constexpr double kJudgeAfterSeconds = 30;  // a grown cache has to fill first
// A full cache that misses so much less, and more than its misses move by themselves, needs no
// more time for its verdict: so many seconds tell, before as after.
constexpr double kClearGain = 0.05, kVerdictSeconds = 5;
// What was read last tells for so long; of reads' hits, which compactions hide, for less, but for
// the sample before where samples are further apart.
constexpr double kTellsSeconds = 15, kReadsTellSeconds = 8, kReadsTellSamples = 1.5;
// ...and if it never does, nor goes on filling, it was large enough
constexpr double kGiveUpSeconds = 300, kLongestFillSeconds = 4 * 3600;
// The working set has changed when there are so many times the misses of the knee, or of before a
// growth: no cache misses more because it is larger.
constexpr double kOtherWorkingSet = 1.25;
// ...or so many times fewer for so long; or it may have, unseen, after an hour, two, ... a day.
constexpr double kFewerSeconds = 30, kLongestKneeSeconds = 24 * 3600;
// What answers another load is no experiment, which has to be small enough to find a knee: two
// steps at once, as far as the guard lets one change go (docs/results.md, cache-outgrown).
constexpr double kOtherLoadSteps = 2, kMostAtOnce = 2;

}  // namespace

CacheLoop::HitRatio CacheLoop::last_of(const Trend& hit_ratio, Nanoseconds now,
                                       double longest_age) {
  const Value age = hit_ratio.age_seconds(now);
  if (!age || *age > longest_age) return {};
  return {hit_ratio.mean(kVerdictSeconds), hit_ratio.deviation(kVerdictSeconds).value_or(0)};
}

// By what reads hit; by all look-ups where that is known neither before nor after. Where it is
// known of one of them, it may be a compaction that is compared.
std::optional<CacheLoop::Verdict> CacheLoop::compare(bool any_look_ups) const {
  const bool by_reads =
      growth_->read_hits.mean && read_hit_ratio_.span_seconds() >= kVerdictSeconds;
  const bool hidden = !growth_->read_hits.mean && read_hit_ratio_.size() == 0;
  if (!by_reads && !hidden && !any_look_ups) return std::nullopt;
  const HitRatio& before = by_reads ? growth_->read_hits : growth_->hits;
  const Trend& after = by_reads ? read_hit_ratio_ : hit_ratio_;
  if (after.span_seconds() < kVerdictSeconds) return std::nullopt;
  const double misses = 1 - *before.mean, spared = *after.mean(10) - *before.mean;
  const double noise = std::max(before.deviation, after.deviation(10).value_or(0));
  Verdict out;
  out.gained_little = spared < params_.cache_knee_gain_ratio * misses;
  out.gained = spared >= std::max(kClearGain * misses, noise);
  out.more_misses = -spared > (kOtherWorkingSet - 1) * misses;
  out.other_load = out.more_misses && -spared > noise;
  return out;
}

void CacheLoop::judge_growth(const Situation& situation, double hit_ratio) {
  if (!growth_) return;
  const double age = seconds_between(growth_->tick, situation.now);
  const bool filled = situation.features.cache_fill_ratio.value_or(0) >= kCacheFull;
  const double used = situation.features.cache_usage_bytes.value_or(0);
  const double size = situation.features.cache_capacity_bytes.value_or(0);
  if (used > growth_->used && used >= growth_->used + cache_fills_by(size)) {
    growth_->used = used;
    growth_->filled_at = situation.now;
  }
  // One that still fills says nothing of its size, however long that takes.
  const bool fills = seconds_between(growth_->filled_at, situation.now) < kCacheFillsSeconds &&
                     age < kLongestFillSeconds;
  const bool due = age >= kJudgeAfterSeconds && (filled || (age >= kGiveUpSeconds && !fills));
  const std::optional<Verdict> verdict = compare(due);
  if (!verdict) return;
  // Back at what it was, it has the time to fill as it was, and says nothing of more than that.
  const bool back = growth_->returns && *capacity_ >= stood_at(situation.now);
  // What pays, or has too little for another load, goes on at once.
  const bool at_once = filled && (verdict->gained || verdict->other_load) && !back;
  if (!at_once && !due) return;
  if (verdict->other_load) other_load_at_ = situation.now;
  if (at_once && !growth_->returns) knee_seconds_ = kFirstKneeSeconds;
  // What was found is no experiment: up to there every miss may be for want of it.
  const bool beyond = capacity_ && found_ && *capacity_ > *found_ && !growth_->returns;
  // Nor is it one that may have been made for another load.
  if (!at_once && beyond && verdict->gained_little && !verdict->more_misses) {
    knee_ = Knee{hit_ratio, *capacity_, situation.now, knee_seconds_};
    knee_seconds_ = std::min(2 * knee_seconds_, kLongestKneeSeconds);
  }
  growth_.reset();
}

// Up to there a growth is none of which anybody has to learn whether it pays: the knee, or where it
// stood before it fell. 0: there is no such size. After the time of a first knee the load may be
// another one, unseen.
std::int64_t CacheLoop::stood_at(Nanoseconds now) const {
  if (knee_) return knee_->bytes;
  return fell_ && within(fell_->tick, now, kFirstKneeSeconds) ? fell_->from : 0;
}

void CacheLoop::follow_capacity(const Situation& situation, const KnobReading& reading) {
  const Nanoseconds now = situation.now;
  if (capacity_ && reading.value > *capacity_) {
    growth_.reset();
    // As it was last: the load may have changed, and the growth be for that. Where it has just been
    // seen to, what was before is half another load's: no growth can be judged by that.
    const HitRatio hits = last_of(hit_ratio_, now, kTellsSeconds);
    const bool returns = reading.value <= stood_at(now);
    const double reads_tell =
        std::max(kReadsTellSeconds, kReadsTellSamples * situation.features.interval_seconds);
    if (hits.mean && (returns || !within(other_load_at_, now, kVerdictSeconds))) {
      growth_ =
          Growth{now, *capacity_, hits, last_of(read_hit_ratio_, now, reads_tell), returns, 0, now};
    }
    hit_ratio_.clear();
    read_hit_ratio_.clear();
    if (fell_ && reading.value >= fell_->from) fell_.reset();
  }
  if (capacity_ && reading.value < *capacity_) {
    // What was not judged yet is learnt when it comes again.
    const std::int64_t from = growth_ && !growth_->returns ? growth_->from : *capacity_;
    growth_.reset();
    const bool falls_on = fell_ && within(fell_->tick, now, kFirstKneeSeconds);
    if (!falls_on || from > fell_->from) fell_ = Fall{now, from};
    note_shrunk(situation, reading);
  }
  capacity_ = reading.value;
}

void CacheLoop::observe(const Situation& situation, const KnobReading& reading) {
  const Features& f = situation.features;
  follow_capacity(situation, reading);
  found_ = reading.found;
  before_ = {f.process_rss_bytes, f.cache_usage_bytes};
  hit_ratio_.note(situation.now, f.cache_hit_ratio);
  read_hit_ratio_.note(situation.now, f.cache_read_hit_ratio);
  const Value hit_ratio = hit_ratio_.mean(10);
  if (!hit_ratio) return;
  judge_growth(situation, *hit_ratio);
  judge_knee(situation, *hit_ratio);
}

void CacheLoop::judge_knee(const Situation& situation, double hit_ratio) {
  if (!knee_) return;
  const double misses = 1 - hit_ratio, at_knee = 1 - knee_->hit_ratio;
  // A smaller cache misses more by itself, and so does one that is back, until it has filled.
  const bool filled = situation.features.cache_fill_ratio.value_or(0) >= kCacheFull;
  const bool as_then = *capacity_ >= knee_->bytes && !growth_ && filled;
  const double fewer = fewer_misses_.update(at_knee > kOtherWorkingSet * misses, situation.now);
  const bool other = (as_then && misses > kOtherWorkingSet * at_knee) || fewer >= kFewerSeconds;
  if (other || !within(knee_->tick, situation.now, knee_->seconds)) knee_.reset();
}

// What it gave up is seen in the process's memory only where it was used, and not at once.
void CacheLoop::note_shrunk(const Situation& situation, const KnobReading& reading) {
  const double given =
      before_.usage.value_or(static_cast<double>(*capacity_)) - static_cast<double>(reading.value);
  if (shrinks_.explains(situation.now) && !rest_.lasts(situation.now)) rest_.begin(situation.now);
  if (!situation.memory_short || given <= 0) return;
  if (!shrunk_) shrunk_ = Shrunk{situation.now, 0, before_.rss};
  shrunk_->tick = situation.now;
  shrunk_->bytes = std::max(shrunk_->bytes, given);
}

// Whether what the last step freed is known, or memory falls so fast that nobody can wait for it.
bool CacheLoop::shows_yet(const Situation& situation) {
  const Features& f = situation.features;
  const bool falls = lowest_available_ && f.memory_available_bytes &&
                     *f.memory_available_bytes < kStillFalling * *lowest_available_;
  if (falls) in_vain_ = 0;
  if (!shrunk_) return true;
  const bool waits = within(shrunk_->tick, situation.now, kShrinkShowsSeconds);
  if (waits && !falls) return false;
  // Where the process cannot be seen nobody can tell.
  const bool kept = shrunk_->rss && f.process_rss_bytes &&
                    *shrunk_->rss - *f.process_rss_bytes < kLeastFreed * shrunk_->bytes;
  if (!waits) in_vain_ = kept ? in_vain_ + 1 : 0;
  shrunk_.reset();
  return true;
}

std::optional<Proposal> CacheLoop::shrink(const Situation& situation, const KnobReading& reading) {
  if (!situation.memory_low) {
    in_vain_ = 0;
    shrunk_.reset();
    lowest_available_.reset();
  }
  if (!situation.memory_short || !shows_yet(situation) || in_vain_ >= kMostInVain) {
    return std::nullopt;
  }
  lowest_available_ = situation.features.memory_available_bytes;
  auto to = static_cast<std::int64_t>(kShrinkFactor * static_cast<double>(reading.value));
  to = std::max(to, least_cache(reading, situation.features));
  if (to >= reading.value) return std::nullopt;
  Proposal out = propose(reading, to, "cache.memory");
  out.reason = short_memory_text(situation);
  out.expected = expect_less_pressure(situation, kCacheEvaluationSeconds);
  out.evidence = memory_evidence(situation.features);
  return out;
}

// After one step; what it is already where there is none to make.
std::int64_t CacheLoop::next_size(const Situation& situation, const KnobReading& reading) const {
  const auto size = static_cast<double>(reading.value);
  const double most = size + left_of_budget(situation.features, situation.budget);
  const bool other_load = within(other_load_at_, situation.now, kVerdictSeconds);
  const double factor =
      other_load ? std::min(std::pow(params_.cache_growth_factor, kOtherLoadSteps), kMostAtOnce)
                 : params_.cache_growth_factor;
  double wanted = std::min(
      {size * factor, most, size + spare_memory(situation.features, situation.memory_free)});
  // What fell below the knee comes back to it.
  if (knee_) wanted = std::min(wanted, static_cast<double>(knee_->bytes));
  if (other_caches(situation.features.knobs) > 0) {
    wanted = std::min(wanted, static_cast<double>(reading.found));
  }
  // Less tells nothing of what more would gain.
  const bool matters = wanted >= kLeastCacheGrowth * size;
  return matters ? std::max(static_cast<std::int64_t>(wanted), reading.value) : reading.value;
}

std::optional<Proposal> CacheLoop::grow(const Situation& situation,
                                        const KnobReading& reading) const {
  const Features& f = situation.features;
  const Value hit_ratio = hit_ratio_.mean(10);
  const Value& misses = situation.mean_read_misses;
  if (!hit_ratio || !misses || hit_ratio_.span_seconds() < kVerdictSeconds) return std::nullopt;
  const bool too_small = cache_is_short(f, misses, situation.mean_reads) &&
                         f.device_read_iops.value_or(kLeastDeviceReads) >= kLeastDeviceReads;
  // Reads that near their objective do not wait for the last growth's verdict: the memory is meant
  // to be used.
  const double slow_us = kNearlySlow * situation.objective.read_p99_seconds * 1e6;
  const bool hurry = situation.read_p99_us.value_or(0) > slow_us && !situation.trouble;
  const bool waits = growth_.has_value() && !hurry;
  if (!too_small || waits) return std::nullopt;
  const bool may_take = f.memory_available_bytes && !situation.memory_low;
  if (!may_take || rest_.lasts(situation.now)) return std::nullopt;
  const std::int64_t to = next_size(situation, reading);
  if (to <= reading.value) return std::nullopt;
  Proposal out = propose(reading, to, "cache.miss");
  out.reason = text::percent(1 - *hit_ratio) +
               " of the block reads miss the full cache, and reads wait for " +
               text::amount(*misses) + "/s; " + text::bytes(*f.memory_available_bytes) +
               " of memory are available";
  // Where compactions hide what reads miss, the ratio of all look-ups, which is no higher.
  out.expected = {"cache_read_hit_ratio", false, read_hit_ratio_.mean(10).value_or(*hit_ratio),
                  kCacheEvaluationSeconds};
  out.evidence = miss_evidence(f);
  out.evidence.push_back({"cache_hit_ratio", *hit_ratio, std::nullopt});
  out.evidence.push_back({"memory_available_bytes", *f.memory_available_bytes, std::nullopt});
  return out;
}

std::optional<Proposal> CacheLoop::decide(const Situation& situation, bool memory_is_claimed) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kCacheCapacity);
  if (reading == nullptr) return std::nullopt;
  observe(situation, *reading);
  auto less = shrink(situation, *reading);
  shrinks_.note(less, situation.now);
  if (less) return less;
  return memory_is_claimed ? std::nullopt : grow(situation, *reading);
}

}  // namespace rocktune
