#include "policy/level_base_loop.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/level_base.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kLevelBaseEvaluationSeconds = 60;
constexpr double kLevelBasePressedSeconds = 3, kLevelBaseIdleSeconds = 300;
// What the base as found would leave pending, as a share of where RocksDB delays writes; and
// between two lowerings for its sake.
constexpr double kMostDebt = 0.75, kDebtSeconds = 60;
// Ours: one that leaves more than this of the base is hardly a step, and waits for longer: by what
// is worked off meanwhile the next may be larger.
constexpr double kSmallStep = 0.9, kSmallStepSeconds = 180;
// As long as a lowering may be taken back, and more: its window, held up by a freeze, and the
// offer.
constexpr double kLoweringsSeconds = 900;

std::string brings(double batch) {
  return "a compaction of level 0 brings " + text::bytes(batch) + " at a time";
}

}  // namespace

// Trigger and buffers that are larger than found are so by another loop of ours: what level 0
// brought as it was found is what the base was meant for.
LevelBaseLoop::Base LevelBaseLoop::first_look(const KnobReading& reading, const Features& f,
                                              const ColumnFamilyReading& family) {
  auto found = [&](std::string_view name, const Counter& now) {
    const KnobReading* knob = f.knobs.find(name, reading.column_family);
    const bool ours = knob != nullptr && knob->owner == KnobOwner::kRocktune;
    return ours ? knob->found : static_cast<std::int64_t>(now.value_or(0));
  };
  Base base;
  base.value = reading.value;
  base.batch = level0_batch_bytes(family, found(knob::kL0Trigger, family.level0_compaction_trigger),
                                  found(knob::kWriteBufferSize, family.write_buffer_bytes));
  const bool in_proportion =
      static_cast<double>(reading.value) <= kOutOfProportion * level0_batch_bytes(family);
  base.raised_from = reading.found;
  if (is_raised(reading) && in_proportion) base.raised_to = reading.value;
  return base;
}

void LevelBaseLoop::follow(Base& base, const KnobReading& reading, double batch, Nanoseconds now) {
  if (reading.value == base.value) return;
  const bool rose = reading.value > base.value;
  const bool ours = reading.owner == KnobOwner::kRocktune &&
                    (rose ? base.up.explains(now) : base.down.explains(now));
  // Found another proportion, or taken back: it follows what is more than now.
  if (!ours || !rose) base.batch = batch;
  if (ours && !rose) {
    lowered_ = now;
    Base::Lowered& first = base.lowered;  // of a row of them
    const bool in_a_row = base.value < first.value && within(first.last, now, kLoweringsSeconds);
    if (!in_a_row) first = {base.value, base.raised_from, base.raised_to, now};
    first.last = now;
  }
  // A lowering was taken back: what stands there is this loop's raise again.
  const bool back = !ours && rose && reading.value <= base.lowered.value;
  if (back && within(base.lowered.last, now, kLoweringsSeconds)) {
    base.raised_from = base.lowered.raised_from;
    base.raised_to = base.lowered.raised_to;
  }
  if (!rose) base.raised_to = std::min(base.raised_to, reading.value);
  if (ours && rose) {
    if (base.value > base.raised_to) base.raised_from = base.value;
    base.raised_to = reading.value;
  }
  if (!is_raised(reading) || base.raised_to <= base.raised_from) base.raised_to = 0;
  base.value = reading.value;
  (rose ? unheard_ : unheard_returns_).granted(reading.column_family);
}

void LevelBaseLoop::note_changes(const Features& f, Nanoseconds now) {
  if (f.knobs.empty() || (f.knobs == knobs_ && families_ == f.column_families.size())) return;
  knobs_ = f.knobs;
  families_ = f.column_families.size();
  raised_ = false;
  Bases bases;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* reading = f.knobs.find(knob::kLevelBase, family.name);
    const double batch = level0_batch_bytes(family);
    auto known = bases_.extract(family.name);
    raised_ = raised_ || (reading != nullptr && is_raised(*reading));
    if (reading != nullptr && batch > 0) {
      if (known.empty()) {
        bases.emplace(family.name, first_look(*reading, f, family));
        continue;
      }
      follow(known.mapped(), *reading, batch, now);
    } else if (family.leveled_compaction.value_or(0) != 0) {
      families_.reset();  // not read in this sample
    }
    if (!known.empty()) bases.insert(std::move(known));
  }
  bases_ = std::move(bases);
  unheard_.keep(f.column_families);
  unheard_returns_.keep(f.column_families);
}

std::optional<LevelBaseLoop::Movable> LevelBaseLoop::movable(const Situation& situation,
                                                             const ColumnFamilyReading& family,
                                                             const UnheardWishes& wishes) const {
  const auto known = bases_.find(family.name);
  const KnobReading* base = situation.features.knobs.find(knob::kLevelBase, family.name);
  if (known == bases_.end() || base == nullptr || level0_batch_bytes(family) <= 0) {
    return std::nullopt;
  }
  const bool free = may_turn(*base) && base->value > 0;
  if (!free || wishes.rests(family.name, situation.now)) return std::nullopt;
  return Movable{base, &known->second};
}

std::optional<Proposal> LevelBaseLoop::raise(const Situation& situation,
                                             const Level0Merges& merges) const {
  const Features& f = situation.features;
  std::optional<Proposal> out;
  double flushed = 0;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* merging = merges.of(family.name, place++);
    if (merging == nullptr || !merging->share_known || merging->flushed <= flushed) continue;
    const auto movable_base = movable(situation, family, unheard_);
    if (!movable_base) continue;
    const KnobReading& base = *movable_base->reading;
    const double batch = merging->file_share * level0_batch_bytes(family);
    const double before = merging->file_share * movable_base->base->batch;
    if (batch < kOutOfProportion * std::max(static_cast<double>(base.value), before)) continue;
    const auto to = most_returnable_base(family, whole_bytes(batch), base.value, base.found);
    if (!to) continue;
    flushed = merging->flushed;
    out = propose(base, *to, "level_base.writes");
    out->reason = brings(batch) + ", if it may gather so much: RocksDB begins one at " +
                  text::bytes(static_cast<double>(base.value)) +
                  ", and as much fits into the level below";
  }
  if (!out) return std::nullopt;
  out->expected = expect_fewer_writes(situation, kLevelBaseEvaluationSeconds);
  out->evidence = {{"flush_bytes_per_second", flushed, std::nullopt},
                   {"pending_bytes", f.pending_bytes.value_or(0), first_pending_limit(f)}};
  return out;
}

std::optional<Proposal> LevelBaseLoop::lower_idle(const Situation& situation,
                                                  const Level0Merges& merges, double idle) const {
  const Features& f = situation.features;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* merging = merges.of(family.name, place++);
    const auto movable_base = movable(situation, family, unheard_returns_);
    if (!movable_base || !is_raised(*movable_base->reading)) continue;
    const KnobReading& base = *movable_base->reading;
    if (base.value > movable_base->base->raised_to) continue;
    const double share = merging != nullptr ? merging->file_share : 1;
    const double batch = share * level0_batch_bytes(family);
    const std::int64_t wanted =
        std::max({base.found, movable_base->base->raised_from, whole_bytes(batch)});
    if (static_cast<double>(base.value) < kOutOfProportion * static_cast<double>(wanted)) continue;
    const auto to = least_borne_base(family, wanted, base.value);
    if (!to) continue;
    Proposal out = propose(base, *to, "level_base.idle");
    out.reason = brings(batch) + " again, and nothing has pressed for " + text::duration(idle) +
                 ": the level below it goes back with it";
    out.expected = no_more_stalls(situation, kLevelBaseEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  return std::nullopt;
}

// Whoever of rocktune has raised it: it is rocktune that may be gone.
std::optional<Proposal> LevelBaseLoop::lower_for_debt(const Situation& situation) const {
  std::optional<Proposal> out;
  double most = kMostDebt;
  for (const ColumnFamilyReading& family : situation.features.column_families) {
    const auto movable_base = movable(situation, family, unheard_returns_);
    if (!movable_base || !is_raised(*movable_base->reading)) continue;
    const KnobReading& base = *movable_base->reading;
    const auto debt = debt_share(family, base.found);
    if (!debt || *debt < most) continue;
    const auto to = least_borne_base(family, std::max(base.found, base.value / 2), base.value);
    const bool small =
        to && static_cast<double>(*to) > kSmallStep * static_cast<double>(base.value);
    if (!to || (small && within(lowered_, situation.now, kSmallStepSeconds))) continue;
    most = *debt;
    out = propose(base, *to, "level_base.debt");
    out->reason = "with the " + text::bytes(static_cast<double>(base.found)) + " that were found " +
                  text::percent(*debt) +
                  " of what RocksDB delays writes at would wait for compaction: part of it is "
                  "worked off now";
  }
  // No experiment: taken back for what it makes reads wait for, the debt would be whoever's comes
  // after.
  if (out) out->evidence = backlog_evidence(situation);
  return out;
}

void LevelBaseLoop::note_wish(const std::optional<Proposal>& wish, Nanoseconds now) {
  for (auto& [column_family, base] : bases_) {
    const bool own = wish && wish->column_family == column_family;
    const auto of_family = own ? wish : std::nullopt;
    base.up.note(of_family, now);
    base.down.note(of_family, now);
  }
  if (!wish) return;
  UnheardWishes& wishes = wish->to > wish->from ? unheard_ : unheard_returns_;
  wishes.wished(wish->column_family, now, kUnheardSeconds, kUnheardSeconds);
}

std::optional<Proposal> LevelBaseLoop::look_and_decide(const Situation& situation,
                                                       const Level0Merges& merges) {
  const Nanoseconds now = situation.now;
  note_changes(situation.features, now);
  const bool presses = situation.writes_press();
  const double pressed = pressed_.update(presses, now);
  const double idle = idle_.update(situation.comfortable && !presses, now);
  // More is not the time to add to what is pending.
  const bool may_lower =
      !situation.stalled && situation.features.pending_ratio.value_or(1) < kBorneDebt;
  if (raised_ && may_lower && !within(lowered_, now, kDebtSeconds)) {
    if (auto out = lower_for_debt(situation)) return out;
  }
  if (pressed >= kLevelBasePressedSeconds) {
    if (auto out = raise(situation, merges)) return out;
  }
  if (!raised_ || idle < kLevelBaseIdleSeconds) return std::nullopt;
  return lower_idle(situation, merges, idle);
}

std::optional<Proposal> LevelBaseLoop::decide(const Situation& situation,
                                              const Level0Merges& merges) {
  auto out = look_and_decide(situation, merges);
  note_wish(out, situation.now);
  return out;
}

}  // namespace rocktune
