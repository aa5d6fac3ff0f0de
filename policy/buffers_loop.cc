#include "policy/buffers_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kBuffersEvaluationSeconds = 60;
// How long writes have to press before memory moves, and nothing may press before it goes back.
constexpr double kPressedSeconds = 3, kIdleSeconds = 300;
// What is saved has to be this many times what the cache loses by it: reads wait for a miss, nobody
// for a merge. Where throughput or write amplification comes first a byte is a byte.
constexpr double kTradeMargin = 1.25;
double trade_margin(Priority first) {
  const bool bytes_count = first == Priority::kThroughput || first == Priority::kWriteAmplification;
  return bytes_count ? 1 : kTradeMargin;
}
constexpr double kLeastCacheShare = 0.25;  // of what was found
constexpr double kLargestTrade = 0.25;     // of the cache, in one step
constexpr double kBuffersMostShare = 0.5;  // of the memory budget
// Bytes that a device reads in the time of one miss, where it was not probed: drives' ratings give
// 5 to 7 KB (7.0 GB/s by 1.4 M IOPS, 7.0 by 1.0, 3.5 by 0.5).
constexpr double kMissBytes = 6144;
constexpr double kProbeSeconds = 10;
constexpr double kReadingsSeconds = 5;  // fewer of them say nothing
// What a cache misses while it warms up, or takes up another load, moves by itself: no time for a
// probe. Steady: the last five seconds differ from the five before by less than this share.
constexpr double kSteadyMisses = 0.2, kSteadySeconds = 10;
constexpr double kFullEnough = 0.9, kNotFullSeconds = 60;
// Buffers that do not grow although there is room are held by somebody else's word: rest so long.
constexpr double kHeldUpSeconds = 15, kBuffersRestSeconds = 600;
// Between two steps of the buffers, or while nothing presses for a moment, the cache does not take
// what was made free for them.
constexpr double kClaimLastsSeconds = 15;
constexpr double kReturnOfferedSeconds = 60;  // as long as a rollback
constexpr double kLeastElasticity = 0.02, kMostElasticity = 2;
// Usual. With favourites by Zipf's law (constant 0.99) over n keys of which the cache holds c it is
// 1 / ln(n / c) of the look-ups for data, 0.2 to 0.4; those for filters and indexes hardly miss.
constexpr double kUsualElasticity = 0.2, kUsualDeviation = 0.15;
// The mean of ten seconds is one of so many independent readings: compactions take seconds.
constexpr double kIndependentReadings = 3;
// What was learnt of the cache holds for so long, and while the misses of a read stay within this
// share of what they were.
constexpr double kElasticityHoldsSeconds = 1800, kSameWorkingSet = 0.3;

double miss_bytes(const Objective& objective) {
  const auto& read = objective.device_capacities.read;
  return read ? std::max(kRatedRequestBytes, read->bytes_per_second / read->iops) : kMissBytes;
}

// What was measured beside what is usual, each by how sure it is.
double believable_elasticity(double measured, double deviation) {
  const double usual = kUsualDeviation * kUsualDeviation;
  const double weight = usual / (usual + deviation * deviation);
  return std::clamp(kUsualElasticity + weight * (measured - kUsualElasticity), kLeastElasticity,
                    kMostElasticity);
}

}  // namespace

void BuffersLoop::forget_other_working_set(const Situation& situation,
                                           const Value& misses_per_read) {
  if (!elasticity_) return;
  const double learnt = elasticity_->misses_per_read;
  const bool other = misses_per_read && misses_per_read_.span_seconds() >= kReadingsSeconds &&
                     std::fabs(*misses_per_read - learnt) > kSameWorkingSet * learnt;
  const bool old = seconds_between(elasticity_->tick, situation.now) > kElasticityHoldsSeconds;
  if (other || old) elasticity_.reset();
}

void BuffersLoop::learn_elasticity(const Situation& situation) {
  const KnobReading* cache =
      situation.features.knobs.find(knob::kCacheCapacity, std::string_view());
  if (cache == nullptr) return;
  const Value misses = misses_per_read_.mean(10);
  const bool readings = misses_per_read_.span_seconds() >= kReadingsSeconds;
  if (cache_ && *cache_ != cache->value && misses) {
    change_ = Change{situation.now, static_cast<double>(*cache_), readings ? *misses : 0,
                     misses_per_read_.deviation(10).value_or(0)};
    misses_per_read_.clear();
  }
  cache_ = cache->value;
  forget_other_working_set(situation, misses);
  if (!change_ || seconds_between(change_->tick, situation.now) < kProbeSeconds) return;
  const double ratio = static_cast<double>(cache->value) / change_->bytes_before;
  // A grown cache has to fill before it says anything.
  const bool full = situation.features.cache_fill_ratio.value_or(0) >= kFullEnough;
  const double before = change_->misses_before, after = readings ? misses.value_or(0) : 0;
  const bool moved = ratio > 0 && std::isfinite(ratio) && std::fabs(std::log(ratio)) > 0.05;
  if (full && moved && before > 0 && after > 0) {
    const double measured = -std::log(after / before) / std::log(ratio);
    const double noise =
        std::hypot(change_->deviation / before, misses_per_read_.deviation(10).value_or(0) / after);
    const double deviation = noise / std::sqrt(kIndependentReadings) / std::fabs(std::log(ratio));
    elasticity_ = Elasticity{believable_elasticity(measured, deviation), after, situation.now};
  }
  change_.reset();
}

void BuffersLoop::observe(const Situation& situation) {
  const Features& f = situation.features;
  learn_elasticity(situation);  // of the samples before this one: the cache may just have changed
  hit_ratio_.note(situation.now, f.cache_hit_ratio);
  const Value misses = read_misses_.look(f), reads = reads_and_seeks(f);
  if (!reads || is_read(f)) read_at_ = situation.now;
  misses_.note(situation.now, misses);
  Value of_one;
  if (misses && is_read(f)) of_one = *misses / *reads;
  misses_per_read_.note(situation.now, of_one);
  const bool not_full = f.cache_fill_ratio && *f.cache_fill_ratio < kFullEnough;
  not_full_seconds_ = not_full ? std::max(not_full_.update(true, situation.now), 1e-3)
                               : not_full_.update(false, situation.now);
}

std::optional<BuffersLoop::Family> BuffersLoop::busiest(const Situation& situation,
                                                        const Level0Merges& merges) {
  std::optional<Family> out;
  const Features& f = situation.features;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* writes = merges.of(family.name, place++);
    if (writes == nullptr || family.leveled_compaction == 0) continue;
    if (out && writes->flushed <= out->writes.flushed) continue;
    const KnobReading* size = f.knobs.find(knob::kWriteBufferSize, family.name);
    const KnobReading* number = f.knobs.find(knob::kWriteBuffers, family.name);
    if (size == nullptr || number == nullptr || size->value <= 0) continue;
    if (!size->changeable || size->owner == KnobOwner::kManual) continue;
    out = Family{size, number, *writes};
  }
  return out;
}

std::optional<double> BuffersLoop::lost(const Situation& situation, double bytes) const {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  const Value misses = misses_.mean(10);
  if (cache == nullptr || misses.value_or(0) <= 0 || !read_lately(situation)) return 0;
  // What a cache has not filled in a minute it does not need; until then nobody can tell.
  if (not_full_seconds_ >= kNotFullSeconds) return 0;
  if (not_full_seconds_ > 0) return std::nullopt;
  const double elasticity = elasticity_ ? elasticity_->value : kUsualElasticity;
  return *misses * elasticity * bytes / static_cast<double>(cache->value) *
         miss_bytes(situation.objective);
}

bool BuffersLoop::read_lately(const Situation& situation) const {
  return within(read_at_, situation.now, kReadLatelySeconds);
}

// What the cache is worth. Where nobody reads it is worth nothing.
bool BuffersLoop::worth_is_known(const Situation& situation) const {
  return elasticity_ || !read_lately(situation);
}

bool BuffersLoop::misses_are_steady() const {
  const Value all = misses_per_read_.mean(kSteadySeconds),
              half = misses_per_read_.mean(kSteadySeconds / 2);
  // The mean of all is that of both halves.
  return all && half && *all > 0 && misses_per_read_.span_seconds() >= kSteadySeconds - 1 &&
         2 * std::fabs(*half - *all) <= kSteadyMisses * *all;
}

// The cache gets back what a probe took, where its verdict is that it is worth more there.
std::optional<Proposal> BuffersLoop::end_trade(const Situation& situation) {
  const KnobReading* cache =
      situation.features.knobs.find(knob::kCacheCapacity, std::string_view());
  const std::int64_t before = *std::exchange(taken_from_, std::nullopt);
  if (cache == nullptr || cache->value >= before) return std::nullopt;
  resting_since_ = situation.now;
  return_ = Return{before, cache->value, situation.now};
  return offer_return(situation);
}

std::optional<Proposal> BuffersLoop::offer_return(const Situation& situation) {
  const KnobReading* cache =
      situation.features.knobs.find(knob::kCacheCapacity, std::string_view());
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

// To the least size that may be set, where they were found with smaller ones.
double BuffersLoop::least_growth(const Family& family) {
  const KnobReading& size = *family.size;
  const std::int64_t least = std::max(find_knob(knob::kWriteBufferSize)->min, size.min);
  return static_cast<double>(std::max<std::int64_t>(0, least - size.value)) *
         static_cast<double>(family.number->value);
}

// What doubling the buffers of this family would take and save; absent where it is not worth it, or
// nobody can tell.
std::optional<BuffersLoop::Doubling> BuffersLoop::doubling(const Situation& situation,
                                                           const Family& family) const {
  const Features& f = situation.features;
  const auto size = static_cast<double>(family.size->value);
  const auto number = static_cast<double>(family.number->value);
  const MemoryUse use = memory_use(f.knobs, f.column_families);
  const double budget = memory_budget(situation.budget, use);
  Doubling out;
  out.least = least_growth(family);
  out.wanted =
      std::min(std::max(size * number, out.least), kBuffersMostShare * budget - use.write_buffers);
  if (!worth_doubling(family.writes, f)) return std::nullopt;
  if (out.wanted < std::max(size / 8, out.least)) return std::nullopt;
  out.free = std::max(0.0, budget - use.total());
  out.saves = family.writes.saved_by_doubling() * std::min(1.0, out.wanted / (size * number));
  // Free memory is worth as much: the cache could have it.
  const std::optional<double> costs = lost(situation, out.wanted);
  if (!costs || out.saves < trade_margin(situation.objective.first) * *costs) return std::nullopt;
  out.costs = *costs;
  return out;
}

Proposal BuffersLoop::grown(const Situation& situation, const Family& family,
                            const Doubling& doubling) const {
  const double more =
      std::min(doubling.free, doubling.wanted) / static_cast<double>(family.number->value);
  const double to = static_cast<double>(family.size->value) + more;
  Proposal out = propose(*family.size, static_cast<std::int64_t>(to), "buffers.writes");
  out.reason = "compactions of level 0 read " + text::rate(family.writes.saved_by_doubling()) +
               " of the next level again and again: larger buffers save " +
               text::rate(doubling.saves) + ", as cache the memory is worth " +
               text::rate(doubling.costs);
  out.expected = expect_fewer_writes(situation, kBuffersEvaluationSeconds);
  out.evidence = {{"flush_bytes_per_second", family.writes.flushed, std::nullopt},
                  {"cache_hit_ratio", hit_ratio_.mean(10).value_or(0), std::nullopt}};
  return out;
}

// Where what the cache is worth is not known, a probe first.
std::optional<Proposal> BuffersLoop::make_room(const Situation& situation,
                                               const Doubling& doubling) {
  const bool known = worth_is_known(situation);
  if (!known && !misses_are_steady()) return std::nullopt;
  auto out = known
                 ? take_from_cache(situation, doubling.wanted - doubling.free, "cache.trade",
                                   "as write buffers the memory saves " +
                                       text::rate(doubling.saves) + " of compaction, as cache " +
                                       text::rate(doubling.costs) + " of reads")
                 : take_from_cache(situation, 1e18, "cache.probe",
                                   "larger write buffers would save " + text::rate(doubling.saves) +
                                       " of compaction: what is this part of the cache worth?");
  if (out && !taken_from_) taken_from_ = out->from;
  return out;
}

std::optional<Proposal> BuffersLoop::grow(const Situation& situation, const Family& family) {
  const std::optional<Doubling> worth = doubling(situation, family);
  // What was taken and is not wanted after all. A probe that could not tell (the cache did not
  // fill) is no reason to keep it, either.
  const bool landed = taken_from_ && cache_ && *cache_ < *taken_from_;
  if (landed && (!worth || !worth_is_known(situation))) {
    if (auto back = end_trade(situation)) return back;
  }
  if (!worth || !situation.features.memory_available_bytes) return std::nullopt;
  const bool has_room = worth->free >= std::max(worth->wanted / 2, worth->least);
  // Less cache is slower reads at once, for fewer bytes later: not where reads come first, unless
  // writers wait.
  const bool spares_reads = situation.objective.first == Priority::kReadP99 && !situation.stalled;
  if (!has_room && spares_reads) return std::nullopt;
  if (!has_room) {
    auto room = make_room(situation, *worth);
    claims_ = room.has_value();
    return room;
  }
  claims_ = true;
  taken_from_.reset();
  return grown(situation, family, *worth);
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

// Back only where the cache can use it, and writes would not ask for it again.
std::optional<Proposal> BuffersLoop::give_idle_back(const Situation& situation,
                                                    const std::optional<Family>& family,
                                                    bool writes_press) {
  const Features& f = situation.features;
  const bool reads_want_it =
      f.cache_fill_ratio.value_or(0) >= 0.95 &&
      misses_cost_reads(misses_.mean(10).value_or(0), reads_and_seeks(f).value_or(0));
  const auto half = [](const Family& of) {
    return static_cast<double>(of.size->value) * static_cast<double>(of.number->value) / 2;
  };
  // Buffers of half the size would save twice as much by doubling again.
  const bool writes_little = !family || 2 * family->writes.saved_by_doubling() <
                                            lost(situation, half(*family)).value_or(0);
  const bool idle = situation.comfortable && !writes_press && reads_want_it && writes_little;
  if (idle_.update(idle, situation.now) < kIdleSeconds) return std::nullopt;
  auto back = give_back(situation);
  if (back) idle_.reset();
  return back;
}

std::optional<Proposal> BuffersLoop::decide(const Situation& situation,
                                            const Level0Merges& merges) {
  auto wish = look_and_decide(situation, merges);
  if (claims_) claimed_ = situation.now;
  claims_ = !resting_since_ && within(claimed_, situation.now, kClaimLastsSeconds);
  return wish;
}

std::optional<Proposal> BuffersLoop::look_and_decide(const Situation& situation,
                                                     const Level0Merges& merges) {
  observe(situation);
  // What the cache's last change did is not known yet: nothing moves meanwhile.
  claims_ = change_ && static_cast<double>(cache_.value_or(0)) < change_->bytes_before;
  if (return_) {
    if (auto back = offer_return(situation)) return back;
  }
  const bool writes_press =
      situation.trouble || situation.piling || situation.pressed || situation.wasteful;
  const bool presses = writes_press || situation.device_loaded;
  const double pressed = pressed_.update(presses, situation.now);
  const std::optional<Family> family = busiest(situation, merges);
  if (!within(resting_since_, situation.now, kBuffersRestSeconds)) resting_since_.reset();
  if (pressed >= kPressedSeconds && family && !change_ && !resting_since_) {
    auto wish = grow(situation, *family);
    const bool same = wish && wish->knob == knob::kWriteBufferSize && wish->from == last_from_;
    last_from_ = wish ? wish->from : 0;
    if (held_up_.update(same, situation.now) >= kHeldUpSeconds) {
      claims_ = false;
      resting_since_ = situation.now;
      held_up_.reset();
      return std::nullopt;
    }
    if (wish) return wish;
  }
  // Nothing presses any more: the question that the probe asked is moot.
  const bool over = !presses && !within(claimed_, situation.now, kClaimLastsSeconds);
  if (taken_from_ && !change_ && over) {
    if (auto back = end_trade(situation)) return back;
  }
  return give_idle_back(situation, family, writes_press);
}

}  // namespace rocktune
