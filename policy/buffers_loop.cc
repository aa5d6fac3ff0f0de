#include "policy/buffers_loop.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kBuffersEvaluationSeconds = 30;
// How long writes have to press before memory moves, and nothing may press before it goes back.
constexpr double kPressedSeconds = 3, kIdleSeconds = 300;
// One doubling has to save this share of what flushes and compactions write, or it is not worth it.
constexpr double kLeastSaved = 0.05;
// ...and this many times what the cache loses by it: reads wait for a miss, nobody for a merge.
constexpr double kTradeMargin = 1.25;
constexpr double kLargestTrade = 0.25;     // of the cache, in one step
constexpr double kBuffersMostShare = 0.5;  // of the memory budget
// A miss costs a block of 4 KiB and as much again for the request itself: what a device does in
// IOPS it does not do in bytes.
constexpr double kMissBytes = 8192, kCacheBlockBytes = 4096;
constexpr double kWritesSeconds = 10;  // time constant of the means
constexpr double kSlopeAfterSeconds = 20;
constexpr double kLeastSlope = 0.005, kMostSlope = 0.5;

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
  if (!change_ || seconds_between(change_->tick, situation.now) < kSlopeAfterSeconds) return;
  const double ratio = static_cast<double>(cache->value) / change_->bytes_before;
  if (hits && ratio > 0 && std::fabs(std::log(ratio)) > 0.05) {
    const double slope = (*hits - change_->hit_ratio_before) / std::log(ratio);
    slope_ = std::clamp(slope, kLeastSlope, kMostSlope);
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

  std::map<std::string, Writes> now;
  for (const ColumnFamilyReading& family : f.column_families) {
    if (!family.flushes || !family.l0_compactions_input_bytes || !family.write_buffer_bytes)
      continue;
    Writes writes = writes_.contains(family.name) ? writes_.at(family.name) : Writes();
    const bool comparable = writes.seen && f.interval_seconds > 0 &&
                            *family.flushes >= writes.flushes &&
                            *family.l0_compactions_input_bytes >= writes.l0_input_bytes;
    if (comparable) {
      const double buffers = static_cast<double>(*family.flushes - writes.flushes);
      const double flushed = buffers * static_cast<double>(*family.write_buffer_bytes);
      const auto read =
          static_cast<double>(*family.l0_compactions_input_bytes - writes.l0_input_bytes);
      const double weight = std::min(1.0, f.interval_seconds / kWritesSeconds);
      writes.flushed += weight * (flushed / f.interval_seconds - writes.flushed);
      writes.l0_input += weight * (read / f.interval_seconds - writes.l0_input);
    }
    writes.flushes = *family.flushes;
    writes.l0_input_bytes = *family.l0_compactions_input_bytes;
    writes.seen = true;
    now.emplace(family.name, writes);
  }
  writes_ = std::move(now);
}

std::optional<BuffersLoop::Family> BuffersLoop::busiest(const Situation& situation) const {
  std::optional<Family> out;
  const Features& f = situation.features;
  for (const ColumnFamilyReading& family : f.column_families) {
    const auto writes = writes_.find(family.name);
    if (writes == writes_.end() || family.leveled_compaction == 0) continue;
    if (out && writes->second.flushed <= out->writes.flushed) continue;
    const KnobReading* size = find_reading(f.knobs, knob::kWriteBufferSize, family.name);
    const KnobReading* number = find_reading(f.knobs, knob::kWriteBuffers, family.name);
    if (size == nullptr || number == nullptr || !size->changeable || size->value <= 0) continue;
    out = Family{size, number, writes->second};
  }
  return out;
}

double BuffersLoop::lost(const Situation& situation, double bytes) const {
  const KnobReading* cache = changeable_knob(situation.features, knob::kCacheCapacity);
  const Value hits = hit_ratio_.mean(10), lookups = lookups_.mean(10);
  if (cache == nullptr || !hits || !lookups) return 0;
  // An empty part of the cache costs nothing.
  if (situation.features.cache_fill_ratio.value_or(1) < 0.9) return 0;
  const auto size = static_cast<double>(cache->value);
  const double blocks = std::max(2.0, size / kCacheBlockBytes);
  const double slope =
      slope_.value_or(std::clamp(*hits / std::log(blocks), kLeastSlope, kMostSlope));
  return *lookups * slope * bytes / size * kMissBytes;
}

std::vector<Proposal> BuffersLoop::grow(const Situation& situation, const Family& family) {
  const Features& f = situation.features;
  const auto size = static_cast<double>(family.size->value);
  const auto number = static_cast<double>(family.number->value);
  const double saved = family.writes.saved_by_doubling();
  const double written =
      f.flush_bytes_per_second.value_or(0) + f.compaction_write_bytes_per_second.value_or(0);
  const MemoryUse use = memory_use(f.knobs);
  const double budget = memory_budget(situation.budget, use);
  const double room = kBuffersMostShare * budget - use.write_buffers;
  const double wanted = std::min(size * number, room);
  if (saved < kLeastSaved * std::max(written, family.writes.flushed) || wanted < size / 8)
    return {};
  const double costs = lost(situation, wanted);
  const double gains = saved * wanted / (size * number);
  if (gains < kTradeMargin * costs) return {};
  claims_ = true;
  const double free = budget - use.total();
  std::vector<Proposal> out;
  if (free >= wanted / 2) {
    const double more = std::min(free, wanted) / number;
    Proposal grown =
        propose(*family.size, static_cast<std::int64_t>(size + more), "buffers.writes");
    grown.reason = "compactions of level 0 read " + text::rate(saved) +
                   " of the next level again and again: larger buffers save " + text::rate(gains) +
                   ", as cache the memory is worth " + text::rate(costs);
    grown.expected = {"write_amplification", true, f.write_amplification.value_or(0),
                      kBuffersEvaluationSeconds};
    grown.evidence = {{"flush_bytes_per_second", family.writes.flushed, std::nullopt},
                      {"cache_hit_ratio", hit_ratio_.mean(10).value_or(0), std::nullopt}};
    out.push_back(std::move(grown));
    return out;
  }
  const KnobReading* cache = changeable_knob(f, knob::kCacheCapacity);
  if (cache == nullptr) return out;
  const auto capacity = static_cast<double>(cache->value);
  const double take = std::min(wanted - std::max(0.0, free), kLargestTrade * capacity);
  Proposal room_made = propose(*cache, static_cast<std::int64_t>(capacity - take), "cache.trade");
  room_made.reason = "as write buffers " + text::bytes(take) + " of the cache save " +
                     text::rate(saved * take / (size * number)) + " of compaction, as cache " +
                     text::rate(lost(situation, take)) + " of reads";
  room_made.expected = {"cache_hit_ratio", false, hit_ratio_.mean(10).value_or(0),
                        kBuffersEvaluationSeconds};
  room_made.evidence = {{"cache_hit_ratio", hit_ratio_.mean(10).value_or(0), std::nullopt}};
  out.push_back(std::move(room_made));
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

std::vector<Proposal> BuffersLoop::decide(const Situation& situation) {
  observe(situation);
  claims_ = false;
  const bool presses = situation.trouble || situation.piling || situation.pressed;
  const double pressed = pressed_.update(presses, situation.now);
  const std::optional<Family> family = busiest(situation);
  if (pressed >= kPressedSeconds && family) return grow(situation, *family);
  // Back only where the cache can use it, and writes would not ask for it again.
  const Features& f = situation.features;
  const bool reads_want_it = f.cache_hit_ratio.value_or(1) < 0.95 &&
                             f.cache_fill_ratio.value_or(0) >= 0.95 &&
                             f.cache_misses_per_second.value_or(0) >= 100;
  const bool writes_little =
      !family || family->writes.saved_by_doubling() <
                     lost(situation, static_cast<double>(family->size->value) *
                                         static_cast<double>(family->number->value));
  const bool idle = situation.comfortable && !presses && reads_want_it && writes_little;
  if (idle_.update(idle, situation.now) < kIdleSeconds) return {};
  if (auto back = give_back(situation)) {
    idle_.reset();
    return {*std::move(back)};
  }
  return {};
}

}  // namespace rocktune
