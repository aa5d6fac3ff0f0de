#include "policy/early_growth.h"

#include <utility>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kEarlyEvaluationSeconds = 60;
constexpr double kEarlyReturnSeconds = 60;  // as long as a rollback is offered

}  // namespace

void EarlyGrowth::wished(const Proposal& growth, std::int64_t cache_before_probe) {
  growth_ = Growth{growth.column_family, growth.from, cache_before_probe};
  returning_since_.reset();
}

std::optional<Proposal> EarlyGrowth::decide(const Situation& situation, const Level0Merges& merges,
                                            const CacheWorth& worth, double margin) {
  if (!growth_ || worth.judges_less(situation)) return std::nullopt;
  const KnobReading* size =
      situation.features.knobs.find(knob::kWriteBufferSize, growth_->column_family);
  // Not read, or frozen: it waits.
  if (size == nullptr || (!size->changeable && size->owner == KnobOwner::kRocktune)) {
    if (returning_since_) returning_since_ = situation.now;
    return std::nullopt;
  }
  const bool back = size->value <= growth_->from;
  const bool given_up =
      returning_since_ && !within(returning_since_, situation.now, kEarlyReturnSeconds);
  if (back && returning_since_) cache_due_ = growth_->cache;
  if (back || given_up || size->owner != KnobOwner::kRocktune) return end();
  const auto known_less = IdleBuffers::less(situation, merges, worth, *size, growth_->from);
  if (!known_less) return std::nullopt;  // not read in this sample
  const IdleBuffers::Less& less = *known_less;
  // A probe that could not tell is no reason to keep it.
  const bool kept = worth.known(situation) && less.costs >= margin * less.saves;
  if (!returning_since_ && kept) return end();
  if (!returning_since_) returning_since_ = situation.now;
  Proposal out = propose(*size, growth_->from, "buffers.returned");
  out.reason =
      "the memory was taken for a probe of what it is worth as cache: as write buffers it "
      "saves " +
      text::rate(less.costs) + " of compaction, as cache " +
      (worth.known(situation) ? text::rate(less.saves) + " of reads" : "nobody can tell");
  out.expected = {"memtable_ratio", true, situation.memtable_ratio.value_or(0),
                  kEarlyEvaluationSeconds};
  out.evidence = miss_evidence(situation.features);
  return out;
}

std::nullopt_t EarlyGrowth::end() {
  growth_.reset();
  returning_since_.reset();
  return std::nullopt;
}

std::optional<std::int64_t> EarlyGrowth::cache_due() {
  return std::exchange(cache_due_, std::nullopt);
}

}  // namespace rocktune
