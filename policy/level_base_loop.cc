#include "policy/level_base_loop.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/level_base.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kLevelBaseEvaluationSeconds = 60;
constexpr double kLevelBasePressedSeconds = 3, kLevelBaseIdleSeconds = 300;
// What level 0 brings is so many times the base, or it is in proportion.
constexpr double kOutOfProportion = 1.25;
// What the base as found would leave pending, as a share of where RocksDB delays writes; and
// between two lowerings for its sake.
constexpr double kMostDebtToRaise = 0.5, kMostDebt = 0.75, kDebtSeconds = 60;
// What is pending now: more is not the time to add to it.
constexpr double kPendingToLower = 0.5;
// Held up by somebody else's word, as by its drift, and not by another one that is judged: others'
// turn.
constexpr double kUnheardSeconds = kLevelBaseEvaluationSeconds + 15, kUnheardRestSeconds = 600;

const KnobReading* base_of(const Features& f, std::string_view column_family) {
  const KnobReading* base = f.knobs.find(knob::kLevelBase, column_family);
  const bool free = base != nullptr && base->changeable && base->owner != KnobOwner::kManual;
  return free && base->value > 0 ? base : nullptr;
}

bool is_raised(const KnobReading& base) {
  return base.owner == KnobOwner::kRocktune && base.value > base.found;
}

// Bytes of files for each of a buffer's: compressed, or written before it was full.
double file_share(const Level0Merges& merges, const Features& f, std::string_view column_family) {
  std::size_t place = 0;
  while (place < f.column_families.size() && f.column_families[place].name != column_family) {
    ++place;
  }
  const Level0Merging* merging = merges.of(column_family, place);
  return merging != nullptr ? merging->file_share : 1;
}

std::string brings(double batch) {
  return "a compaction of level 0 brings " + text::bytes(batch) + " at a time";
}

}  // namespace

// Trigger and buffers that are larger than found are so by another loop of ours: what level 0
// brought as it was found is what the base was meant for.
LevelBaseLoop::Base LevelBaseLoop::first_look(const KnobReading& reading, const Features& f,
                                              double share) {
  const ColumnFamilyReading& family = *family_of(f, reading.column_family);
  auto found = [&](std::string_view name, const Counter& now) {
    const KnobReading* knob = f.knobs.find(name, reading.column_family);
    const bool ours = knob != nullptr && knob->owner == KnobOwner::kRocktune;
    return ours ? knob->found : static_cast<std::int64_t>(now.value_or(0));
  };
  Base base;
  base.value = reading.value;
  base.batch =
      share * level0_batch_bytes(family, found(knob::kL0Trigger, family.level0_compaction_trigger),
                                 found(knob::kWriteBufferSize, family.write_buffer_bytes));
  const bool in_proportion =
      static_cast<double>(reading.value) <= kOutOfProportion * level0_batch_bytes(family);
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
  if (ours && rose) base.raised_to = reading.value;
  if (!is_raised(reading)) base.raised_to = 0;
  base.value = reading.value;
  base.unheard.reset();
}

void LevelBaseLoop::note_changes(const Features& f, const Level0Merges& merges, Nanoseconds now) {
  if (f.knobs.empty() || (f.knobs == knobs_ && families_ == f.column_families.size())) return;
  knobs_ = f.knobs;
  families_ = f.column_families.size();
  raised_ = false;
  Bases bases;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* reading = f.knobs.find(knob::kLevelBase, family.name);
    const double nominal = level0_batch_bytes(family);
    const bool leveled = family.leveled_compaction.value_or(1) != 0;
    if (leveled && nominal <= 0) families_.reset();  // not read yet
    if (reading == nullptr || nominal <= 0) continue;
    raised_ = raised_ || is_raised(*reading);
    const double share = file_share(merges, f, family.name);
    auto known = bases_.extract(family.name);
    if (known.empty()) {
      bases.emplace(family.name, first_look(*reading, f, share));
    } else {
      follow(known.mapped(), *reading, share * nominal, now);
      bases.insert(std::move(known));
    }
  }
  bases_ = std::move(bases);
}

std::optional<Proposal> LevelBaseLoop::raise(const Situation& situation,
                                             const Level0Merges& merges) const {
  const Features& f = situation.features;
  const KnobReading* best = nullptr;
  const Level0Merging* most = nullptr;
  double brought = 0;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* merging = merges.of(family.name, place++);
    const KnobReading* base = base_of(f, family.name);
    const auto known = bases_.find(family.name);
    if (merging == nullptr || base == nullptr || known == bases_.end()) continue;
    if (merging->flushed <= (most != nullptr ? most->flushed : 0)) continue;
    const double batch = merging->file_share * level0_batch_bytes(family);
    const double in_proportion = std::max(static_cast<double>(base->value), known->second.batch);
    if (batch < kOutOfProportion * in_proportion) continue;
    if (within(known->second.rests_since, situation.now, kUnheardRestSeconds)) continue;
    if (debt_share(family, base->found).value_or(1) > kMostDebtToRaise) continue;
    best = base;
    most = merging;
    brought = batch;
  }
  if (best == nullptr) return std::nullopt;
  Proposal out = propose(*best, whole_bytes(brought), "level_base.writes");
  out.reason = brings(brought) + ", if it may gather so much: RocksDB begins one at " +
               text::bytes(static_cast<double>(best->value)) +
               ", and as much fits into the level below";
  out.expected = expect_fewer_writes(situation, kLevelBaseEvaluationSeconds);
  out.evidence = {{"flush_bytes_per_second", most->flushed, std::nullopt},
                  {"pending_bytes", f.pending_bytes.value_or(0), f.pending_soft_bytes}};
  return out;
}

std::optional<Proposal> LevelBaseLoop::lower_idle(const Situation& situation,
                                                  const Level0Merges& merges, double idle) const {
  const Features& f = situation.features;
  for (const ColumnFamilyReading& family : f.column_families) {
    const auto known = bases_.find(family.name);
    const KnobReading* base = base_of(f, family.name);
    if (known == bases_.end() || base == nullptr || !is_raised(*base)) continue;
    if (base->value > known->second.raised_to) continue;
    const double batch = file_share(merges, f, family.name) * level0_batch_bytes(family);
    const std::int64_t wanted = std::max(base->found, whole_bytes(batch));
    if (static_cast<double>(base->value) < kOutOfProportion * static_cast<double>(wanted)) continue;
    const auto to = least_borne_base(family, wanted, base->value);
    if (!to) continue;
    Proposal out = propose(*base, *to, "level_base.idle");
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
  const Features& f = situation.features;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* base = base_of(f, family.name);
    if (base == nullptr || !is_raised(*base)) continue;
    const auto debt = debt_share(family, base->found);
    if (!debt || *debt < kMostDebt) continue;
    const auto to = least_borne_base(family, std::max(base->found, base->value / 2), base->value);
    if (!to) continue;
    const auto soft = static_cast<double>(family.soft_pending_limit_bytes.value_or(0));
    Proposal out = propose(*base, *to, "level_base.debt");
    out.reason = "with the " + text::bytes(static_cast<double>(base->found)) + " that were found " +
                 text::bytes(*debt * soft) +
                 " would wait for compaction, and RocksDB delays writes from " + text::bytes(soft) +
                 " on: part of it is worked off now";
    out.expected = no_more_stalls(situation, kLevelBaseEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  return std::nullopt;
}

void LevelBaseLoop::note_wish(const std::optional<Proposal>& wish, Nanoseconds now) {
  for (auto& [column_family, base] : bases_) {
    const bool own = wish && wish->column_family == column_family;
    const auto of_family = own ? wish : std::nullopt;
    base.up.note(of_family, now);
    base.down.note(of_family, now);
    if (base.unheard.update(own, now) < kUnheardSeconds) continue;
    base.unheard.reset();
    base.rests_since = now;
  }
  if (wish && wish->rule == "level_base.debt") lowered_ = now;
}

std::optional<Proposal> LevelBaseLoop::look_and_decide(const Situation& situation,
                                                       const Level0Merges& merges) {
  const Nanoseconds now = situation.now;
  note_changes(situation.features, merges, now);
  const bool presses =
      situation.piling || situation.pressed || situation.device_loaded || situation.wasteful;
  const double pressed = pressed_.update(presses, now);
  const double idle = idle_.update(situation.comfortable && !presses, now);
  const bool may_lower =
      !situation.stalled && situation.features.pending_ratio.value_or(1) < kPendingToLower;
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
