#include "policy/buffers_loop.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/level_base.h"

namespace rocktune {
namespace {

constexpr double kBuffersEvaluationSeconds = 60;
// How long writes have to press before memory moves.
constexpr double kPressedSeconds = 3;
// What is saved has to be this many times what the cache loses by it: reads wait for a miss, nobody
// for a merge. Where throughput or write amplification comes first a byte is a byte.
constexpr double kTradeMargin = 1.25;
double trade_margin(const Situation& situation) {
  return situation.bytes_count() ? 1 : kTradeMargin;
}
// ...and so many times what a cache is usually worth, where a probe has not told yet: that is what
// it is worth with the largest of usual elasticities (policy/cache_worth.cc).
constexpr double kSureMargin = 2;
// So long, and in that share of samples, reads were too slow beside compactions: who waits for
// these waits in bursts.
constexpr double kSlowBesideMergesSeconds = 20, kSlowBesideMerges = 0.2;
// Of the memory budget; of one whose cache nobody reads.
constexpr double kBuffersMostShare = 0.5, kBuffersMostOfIdle = 0.8;
constexpr double kLeastGrowth = 0.4;  // of the buffers, in one step: less saves too little
// Buffers that do not grow although there is room are held by somebody else's word: rest so long.
// A wish counts on while it comes back within a minute.
constexpr double kHeldUpSeconds = 15, kWishLastsSeconds = 60;
// Between two steps of the buffers, or while nothing presses for a moment, the cache does not take
// what was made free for them.
constexpr double kClaimLastsSeconds = 15;
// Level 0 has to be crowded for so long.
constexpr double kCrowdsSeconds = 0.5;

}  // namespace

// First those whose wish may be granted at once, and was not ignored again and again.
int BuffersLoop::rank(const Level0Merging& writes, double saves, const std::string& name,
                      Nanoseconds now) const {
  if (saves <= 0) return 0;
  if (!writes.fills) return 1;
  return unheard_.unheard_again(name, now) ? 2 : 3;
}

BuffersLoop::Choice BuffersLoop::worthiest(const Situation& situation,
                                           const Level0Merges& merges) const {
  Choice out;
  double most = 0;
  int highest = 0;
  const Features& f = situation.features;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* writes = merges.of(family.name, place++);
    if (writes == nullptr || family.leveled_compaction == 0) continue;
    const auto saves = merges.worth_doubling(*writes) ? merges.saved_by_larger_buffers(*writes) : 0;
    const int its_rank = rank(*writes, saves, family.name, situation.now);
    if (out.family && (its_rank < highest || (its_rank == highest && saves <= most))) continue;
    const KnobReading* size = f.knobs.find(knob::kWriteBufferSize, family.name);
    const KnobReading* number = f.knobs.find(knob::kWriteBuffers, family.name);
    if (size == nullptr || number == nullptr || size->value <= 0) continue;
    if (!may_turn(*size)) continue;
    if (writes->never_fills || unheard_.rests(family.name, situation.now)) {
      out.in_vain = true;
      continue;
    }
    out.family = Family{&family, size, number, *writes};
    most = saves;
    highest = its_rank;
  }
  if (out.in_vain && highest == 0) out.family.reset();
  return out;
}

// The cache gets back what a probe took, where its verdict is that it is worth more there.
std::optional<Proposal> BuffersLoop::end_trade(const Situation& situation) {
  const bool made = has_made_room(situation);
  const std::int64_t before = std::exchange(taken_, std::nullopt)->from;
  if (!made) return std::nullopt;
  rest_.begin(situation.now);
  return_ = Return{before, cache_of(situation)->value, situation.now};
  return offer_return(situation);
}

// Nothing presses any more, so that the question that the probe asked is moot; or nobody is left to
// whom its answer matters. Nobody misses what is not read.
std::optional<Proposal> BuffersLoop::end_moot_trade(const Situation& situation, bool presses,
                                                    bool in_vain) {
  const bool over = !presses && !within(claimed_, situation.now, kClaimLastsSeconds);
  const bool moot = taken_ && !worth_.judges_less(situation) && (over || in_vain);
  if (!moot || !situation.read_lately) return std::nullopt;
  const GrowingRest rest = rest_;
  const bool for_level0 = taken_->for_level0;
  if (for_level0 && has_made_room(situation)) level0_rest_.begin(situation.now);
  auto back = end_trade(situation);
  // Others may come who want it; and that nothing presses is no verdict.
  if (!over || for_level0) rest_ = rest;
  if (over && !for_level0 && rest_.since() == situation.now) {
    rest_.reset();
    rest_.begin(situation.now);
  }
  return back;
}

std::optional<Proposal> BuffersLoop::offer_return(const Situation& situation) {
  const KnobReading* cache = cache_of(situation);
  // Nobody could have changed it: the time begins when somebody can.
  if (cache != nullptr && !cache->changeable) return_->since = situation.now;
  const bool over = seconds_between(return_->since, situation.now) > kReturnOfferedSeconds;
  // Smaller than the probe left it: somebody else needs the memory.
  if (over ||
      (cache != nullptr && (cache->value >= return_->to || cache->value < return_->stands))) {
    return_.reset();
    return std::nullopt;
  }
  if (cache == nullptr || !cache->changeable) return std::nullopt;
  Proposal out = returned(*cache, return_->to);
  out.reason = "the memory taken from the cache saves more there";
  return out;
}

Proposal BuffersLoop::returned(const KnobReading& cache, std::int64_t to) const {
  Proposal out = propose(cache, to, "cache.returned");
  const double hits = hit_ratio_.mean(10).value_or(0);
  out.expected = {"cache_read_hit_ratio", false, hits, kBuffersEvaluationSeconds};
  out.evidence = {{"cache_read_hit_ratio", hits, std::nullopt}};
  return out;
}

// First what is free, then what the buffers give back; but not to a cache that cannot take it.
std::optional<Proposal> BuffersLoop::reclaim(const Situation& situation,
                                             const Level0Merges& merges) {
  const KnobReading& cache = *cache_of(situation);
  const LentCache::Due due = lent_.due(situation);
  if (!lent_.is_lent()) return std::nullopt;
  const bool inherited = lent_.is_inherited();
  if (!std::exchange(called_back_, true)) level0_rest_.begin(situation.now);
  if (due.cache) {
    Proposal out = returned(cache, *due.cache);
    out.reason = inherited
                     ? std::string(kLentBefore)
                     : "write buffers took of the cache while nobody read, and now somebody reads";
    return out;
  }
  using Wanted = IdleBuffers::Wanted;
  const Wanted by_readers = inherited ? Wanted::kByReadersAsFound : Wanted::kByReaders;
  auto less = idle_.decide(situation, merges, worth_,
                           cache.changeable ? by_readers : Wanted::kWhereWorthMore);
  if (!less && !idle_.has_grown() && due.can_take) lent_.forget();  // there is no more to give back
  return less;
}

// What doubling the buffers of this family would take.
BuffersLoop::Doubling BuffersLoop::room_for_doubling(const Situation& situation,
                                                     const Family& family) const {
  const Features& f = situation.features;
  const auto size = static_cast<double>(family.size->value);
  const auto number = static_cast<double>(family.number->value);
  const MemoryUse use = memory_use(f);
  const double budget = memory_budget(situation.budget, use);
  Doubling out;
  // The first step of buffers that were found below the least that may be set goes there.
  out.least = std::max(0.0, static_cast<double>(least_write_buffer(*family.size)) - size) * number;
  const double twice = std::max(size * number, out.least);
  const double most = (situation.read_lately ? kBuffersMostShare : kBuffersMostOfIdle) * budget;
  const double held =
      held_times(f.knobs, *family.reading, family.writes.file_share, 1 + twice / (size * number));
  out.wanted = std::min({twice, most - use.write_buffers, (held - 1) * size * number});
  out.least = std::max(out.least, kLeastGrowth * size * number);
  out.unused = budget - use.total();
  out.free = free_bytes(situation, out.unused, 0);
  return out;
}

// ...and save; absent where it is not worth it, or nobody can tell.
std::optional<BuffersLoop::Doubling> BuffersLoop::doubling(const Situation& situation,
                                                           const Level0Merges& merges,
                                                           const Family& family) const {
  if (!merges.worth_doubling(family.writes)) return std::nullopt;
  Doubling out = room_for_doubling(situation, family);
  if (out.wanted < out.least) return std::nullopt;
  const auto size = static_cast<double>(family.size->value);
  const auto number = static_cast<double>(family.number->value);
  out.saves =
      merges.saved_by_larger_buffers(family.writes) * std::min(1.0, out.wanted / (size * number));
  // Free memory is worth something, too: the cache could have it.
  const KnobReading* cache = cache_of(situation);
  const double could_have = (cache != nullptr ? static_cast<double>(cache->value) : 0) + out.free;
  const std::optional<double> costs = worth_.lost(situation, could_have, could_have - out.wanted);
  if (!costs || out.saves < trade_margin(situation) * *costs) return std::nullopt;
  out.costs = *costs;
  return out;
}

std::int64_t BuffersLoop::larger(const Family& family, const Doubling& doubling) {
  const double more =
      std::min(doubling.free, doubling.wanted) / static_cast<double>(family.number->value);
  return static_cast<std::int64_t>(static_cast<double>(family.size->value) + more);
}

Proposal BuffersLoop::grown(const Situation& situation, const Family& family,
                            const Doubling& doubling) const {
  Proposal out = propose(*family.size, larger(family, doubling), "buffers.writes");
  out.reason = "compactions of level 0 read " + text::rate(family.writes.saved_by_doubling()) +
               " of the next level again and again: larger buffers save " +
               text::rate(doubling.saves) + ", as cache the memory is worth " +
               text::rate(doubling.costs);
  out.expected = expect_fewer_writes(situation, kBuffersEvaluationSeconds);
  out.evidence = {{"flush_bytes_per_second", family.writes.flushed, std::nullopt},
                  {"cache_read_hit_ratio", hit_ratio_.mean(10).value_or(0), std::nullopt}};
  return out;
}

// Where what the cache is worth is not known, a probe first.
std::optional<Proposal> BuffersLoop::make_room(const Situation& situation,
                                               const Doubling& doubling) {
  const bool known = worth_.known(situation);
  if (!known && !worth_.steady()) return std::nullopt;
  auto out = known
                 ? take_from_cache(situation, doubling.wanted - doubling.free, "cache.trade",
                                   "as write buffers the memory saves " +
                                       text::rate(doubling.saves) + " of compaction, as cache " +
                                       text::rate(doubling.costs) + " of reads")
                 : take_from_cache(situation, 1e18, "cache.probe",
                                   "larger write buffers would save " + text::rate(doubling.saves) +
                                       " of compaction: what is this part of the cache worth?");
  if (!out) return std::nullopt;
  note_taken(situation, *out);
  if (!situation.read_lately) lent_.lend(out->from, situation.now);
  if (situation.read_lately && situation.stalled) lent_.forget();  // writers need it now
  return out;
}

void BuffersLoop::note_taken(const Situation& situation, const Proposal& less) {
  const bool on = has_made_room(situation);
  const auto from = static_cast<double>(less.from);
  taken_ =
      Taken{on ? taken_->from : less.from,
            on ? taken_->held : std::min(from, situation.features.cache_usage_bytes.value_or(from)),
            situation.now};
}

std::optional<Proposal> BuffersLoop::grow(const Situation& situation, const Level0Merges& merges,
                                          const Family& family) {
  const std::optional<Doubling> worth = doubling(situation, merges, family);
  // What was taken and is not wanted after all. A probe that could not tell (the cache did not
  // fill) is no reason to keep it, either. Nobody misses what is not read.
  const bool unwanted = situation.read_lately && (!worth || !worth_.known(situation));
  if (has_made_room(situation) && unwanted && !taken_->for_level0) {
    if (auto back = end_trade(situation)) return back;
  }
  if (!worth || !situation.features.memory_available_bytes) return std::nullopt;
  const bool has_room = worth->free >= worth->least;
  // Less cache is slower reads at once, for fewer bytes later: not where reads come first, unless
  // writers wait, nobody reads, or these bytes are what reads wait for.
  const bool spares_reads = situation.objective.first == Priority::kReadP99 && !situation.stalled &&
                            situation.read_lately && !merges_cost_reads();
  // Nor for who is not known to fill it, or to be granted it.
  const bool moot =
      !family.writes.fills || unheard_.unheard_again(family.size->column_family, situation.now);
  if (!has_room && (spares_reads || situation.memory_short || moot)) return std::nullopt;
  if (!has_room && !cache_can_give(situation, *worth)) return std::nullopt;
  if (!has_room) {
    auto room = make_room(situation, *worth);
    claims_ = room.has_value();
    return room;
  }
  claims_ = true;
  if (!family.writes.fills) return std::nullopt;
  if (situation.read_lately && situation.stalled) lent_.forget();  // writers need it now
  return grown(situation, family, *worth);
}

// While a probe is judged its memory lies idle, which costs most where bytes are what counts.
std::optional<Proposal> BuffersLoop::grow_meanwhile(const Situation& situation,
                                                    const Level0Merges& merges,
                                                    const Family& family) const {
  const bool probes = situation.bytes_count() && has_made_room(situation);
  if (!probes || !situation.features.memory_available_bytes) return std::nullopt;
  const std::optional<Doubling> worth = doubling(situation, merges, family);
  const bool sure = worth && family.writes.fills && worth->free >= worth->least &&
                    worth->saves >= kSureMargin * worth->costs;
  return sure ? std::optional(grown(situation, family, *worth)) : std::nullopt;
}

std::optional<Proposal> BuffersLoop::take_from_cache(const Situation& situation, double bytes,
                                                     std::string_view rule, std::string reason) {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  if (cache == nullptr || cache->owner == KnobOwner::kManual) return std::nullopt;
  const auto capacity = static_cast<double>(cache->value);
  const auto least = static_cast<double>(least_cache(*cache, situation.features));
  const double to = std::max(least, capacity - std::min(bytes, kLargestTrade * capacity));
  if (to >= capacity) return std::nullopt;
  Proposal out = propose(*cache, static_cast<std::int64_t>(to), rule);
  const double hits = hit_ratio_.mean(10).value_or(0);
  out.reason = std::move(reason);
  // Where nobody reads the ratio is of what compactions look up.
  out.expected = situation.read_lately
                     ? Expectation{"cache_read_hit_ratio", false, hits, kBuffersEvaluationSeconds}
                     : no_more_stalls(situation, kBuffersEvaluationSeconds);
  out.evidence = {{"cache_read_hit_ratio", hits, std::nullopt}};
  return out;
}

// What was taken of the cache is there until the buffers have it.
void BuffersLoop::follow_buffers(const Situation& situation) {
  const KnobReadings& knobs = situation.features.knobs;
  const auto& families = situation.features.column_families;
  if (buffers_ && knobs == knobs_ && listed_families_ == families.size()) return;
  for (const KnobReading& size : knobs) {
    if (size.name != knob::kWriteBufferSize) continue;
    const KnobReading* before = knobs_.find(size.name, size.column_family);
    if (before == nullptr || size.value <= before->value) continue;  // a new one took nothing
    unheard_.granted(size.column_family);
    taken_.reset();
  }
  knobs_ = knobs;
  const bool listed = std::all_of(families.begin(), families.end(), [&](const auto& family) {
    return knobs.find(knob::kWriteBufferSize, family.name) != nullptr;
  });
  listed_families_ = listed ? std::optional(families.size()) : std::nullopt;
  unheard_.keep(families);
  const double buffers = memory_use(knobs, families).write_buffers;
  if (buffers_ && buffers != *buffers_) moved_ = situation.now;
  buffers_ = buffers;
}

std::optional<Proposal> BuffersLoop::decide(const Situation& situation,
                                            const Level0Merges& merges) {
  const Nanoseconds now = situation.now;
  auto wish = look_and_decide(situation, merges);
  // While the last growth is judged the next one has to wait, which is our own word.
  const bool grows = wish && (wish->rule == "buffers.writes" || wish->rule == "buffers.level0");
  const bool asks = grows && !within(moved_, now, kBuffersEvaluationSeconds);
  if (asks && unheard_.wished(wish->column_family, now, kHeldUpSeconds, kWishLastsSeconds)) {
    wish.reset();
    claims_ = false;
    claimed_.reset();
  }
  if (claims_) claimed_ = now;
  claims_ = !rest_.lasts(now) && within(claimed_, now, kClaimLastsSeconds);
  return wish;
}

// Reads are above their SLO in bursts, on a device that compactions load, deferred or not: what is
// merged for nothing they wait for.
bool BuffersLoop::merges_cost_reads() const {
  return slow_beside_merges_.span_seconds() >= kSlowBesideMergesSeconds &&
         slow_beside_merges_.mean(kSlowBesideMergesSeconds).value_or(0) >= kSlowBesideMerges;
}

std::optional<Proposal> BuffersLoop::look_and_decide(const Situation& situation,
                                                     const Level0Merges& merges) {
  worth_.observe(situation);
  // Where compactions hide what reads miss, the ratio of all look-ups, which is no higher.
  const Features& f = situation.features;
  hit_ratio_.note(f.at.tick, f.cache_read_hit_ratio ? f.cache_read_hit_ratio : f.cache_hit_ratio);
  const bool slow =
      is_read(f) && f.read_p99_us.value_or(0) > p99_slo_us(situation.objective, Side::kReads);
  const bool waits_for_merges = slow && situation.device_loaded;
  slow_beside_merges_.note(situation.now, waits_for_merges ? 1.0 : 0.0);
  follow_buffers(situation);
  forget_moot_trades(situation);
  lent_.inherit(situation);
  // What less cache did is not known yet: the cache stays meanwhile.
  claims_ = worth_.judges_less(situation);
  if (return_) {
    if (auto back = offer_return(situation)) return back;
  }
  if (lent_.is_wanted(situation)) return reclaim(situation, merges);
  const auto crowd = crowded(situation, merges);
  if (crowds_.update(crowd.has_value(), situation.now) >= kCrowdsSeconds) {
    if (auto wish = grow_for_level0(situation, *crowd)) return wish;
  }
  // A forecast alone is no reason to move memory.
  const bool presses = (situation.trouble && !situation.forecast_only) || situation.writes_press();
  const double pressed = pressed_.update(presses, situation.now);
  bool in_vain = false;
  if (pressed >= kPressedSeconds && !rest_.lasts(situation.now)) {
    const Choice choice = worthiest(situation, merges);
    if (const std::optional<Family>& family = choice.family) {
      auto wish = worth_.judges_less(situation) ? grow_meanwhile(situation, merges, *family)
                                                : grow(situation, merges, *family);
      if (wish) return wish;
    }
    in_vain = choice.in_vain && !choice.family;
  }
  if (auto back = end_moot_trade(situation, presses, in_vain)) return back;
  return idle_.decide(situation, merges, worth_, IdleBuffers::Wanted::kWhereWorthMore);
}

}  // namespace rocktune
