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
  const bool grown = size != nullptr && size->owner == KnobOwner::kRocktune && size->changeable &&
                     size->value > growth_->from;
  const bool back = size != nullptr && size->value <= growth_->from;
  if (returning_since_ && back) cache_due_ = growth_->cache;
  const bool given_up =
      returning_since_ && !within(returning_since_, situation.now, kEarlyReturnSeconds);
  const auto half = grown ? IdleBuffers::less(situation, merges, worth, *size) : std::nullopt;
  const bool kept = !returning_since_ &&
                    (!half || !worth.known(situation) || half->costs >= margin * half->saves);
  if (!grown || given_up || kept) {
    growth_.reset();
    returning_since_.reset();
    return std::nullopt;
  }
  if (!returning_since_) returning_since_ = situation.now;
  Proposal out = propose(*size, growth_->from, "buffers.returned");
  out.reason = "the probe's verdict: as write buffers the memory saves " +
               text::rate(half ? half->costs : 0) + " of compaction, as cache " +
               text::rate(half ? half->saves : 0) + " of reads";
  out.expected = {"memtable_ratio", true, situation.memtable_ratio.value_or(0),
                  kEarlyEvaluationSeconds};
  out.evidence = miss_evidence(situation.features);
  return out;
}

std::optional<std::int64_t> EarlyGrowth::cache_due() {
  return std::exchange(cache_due_, std::nullopt);
}

}  // namespace rocktune
