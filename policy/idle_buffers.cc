#include "policy/idle_buffers.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kIdleEvaluationSeconds = 60;
constexpr double kUnwantedSeconds = 300;
// A cache that gave up a quarter is worth up to 1.41 times as much a byte, at the usual elasticity:
// what comes back has to be worth more than that.
constexpr double kReturnMargin = 1.5;
constexpr double kCacheFull = 0.95;

}  // namespace

// Buffers that are ours and larger than found, at half their size: what merging costs more then,
// and what reads are spared by the memory as cache.
std::optional<IdleBuffers::Less> IdleBuffers::less(const Situation& situation,
                                                   const Level0Merges& merges,
                                                   const CacheWorth& worth,
                                                   const KnobReading& size) {
  if (size.name != knob::kWriteBufferSize || size.value <= size.found) return std::nullopt;
  if (size.owner != KnobOwner::kRocktune || !size.changeable) return std::nullopt;
  const KnobReading* number =
      situation.features.knobs.find(knob::kWriteBuffers, size.column_family);
  const Level0Merging* writes = merges.of(size.column_family, 0);
  Less out;
  out.to = std::max(size.found, size.value / 2);
  if (out.to < least_write_buffer(size)) out.to = size.found;
  if (number == nullptr || writes == nullptr || out.to <= 0) return std::nullopt;
  const auto before = static_cast<double>(size.value), after = static_cast<double>(out.to);
  out.costs = 2 * writes->saved_by_doubling() * (before / after - 1);
  const double bytes = (before - after) * static_cast<double>(number->value);
  out.saves = worth.lost(situation, bytes).value_or(0);
  return out;
}

// Back where the cache can use it and it saves more there. Column families take turns, so that one
// that is held holds up no other.
std::optional<Proposal> IdleBuffers::decide(const Situation& situation, const Level0Merges& merges,
                                            const CacheWorth& worth) {
  const Features& f = situation.features;
  const bool cache_wants_it =
      !situation.memory_low && f.cache_fill_ratio.value_or(0) >= kCacheFull &&
      misses_cost_reads(worth.misses().value_or(0), reads_and_seeks(f).value_or(0));
  const bool writers_near_limits =
      situation.trouble || situation.piling || situation.wasteful || situation.near_limit;
  std::vector<Unwanted> grown;
  std::vector<std::pair<const KnobReading*, Less>> due;
  for (const KnobReading& size : f.knobs) {
    const std::optional<Less> half = less(situation, merges, worth, size);
    if (!half) continue;
    const auto same = [&size](const Unwanted& one) {
      return one.column_family == size.column_family;
    };
    const auto before = std::find_if(unwanted_.begin(), unwanted_.end(), same);
    grown.push_back(before != unwanted_.end() ? *before : Unwanted{size.column_family, {}});
    const bool unwanted =
        cache_wants_it && !writers_near_limits && half->saves > kReturnMargin * half->costs;
    if (grown.back().held.update(unwanted, situation.now) >= kUnwantedSeconds) {
      due.emplace_back(&size, *half);
    }
  }
  unwanted_ = std::move(grown);
  if (due.empty()) return std::nullopt;
  const auto& [size, half] = due[turn_++ % due.size()];
  for (Unwanted& one : unwanted_) {
    if (one.column_family == size->column_family) one.held.reset();
  }
  Proposal out = propose(*size, half.to, "buffers.idle");
  out.reason = "for " + text::duration(kUnwantedSeconds) +
               " half of the buffers would have been enough: they save " + text::rate(half.costs) +
               " of compaction, and as cache the memory saves " + text::rate(half.saves) +
               " of reads";
  out.expected = {"memtable_ratio", true, situation.memtable_ratio.value_or(0),
                  kIdleEvaluationSeconds};
  out.evidence = miss_evidence(f);
  return out;
}

}  // namespace rocktune
