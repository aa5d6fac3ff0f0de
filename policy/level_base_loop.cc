#include "policy/level_base_loop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/compaction_debt.h"
#include "model/knobs.h"
#include "model/text.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

constexpr double kLevelBaseEvaluationSeconds = 60;
constexpr double kLevelBasePressedSeconds = 3, kLevelBaseIdleSeconds = 300;
// What level 0 brings is so many times the base, or it is in proportion.
constexpr double kOutOfProportion = 1.25;
// Of the soft limit: the debt that the base as found would be.
constexpr double kMostDebtToRaise = 0.5, kMostDebt = 0.75;
constexpr double kDebtSeconds = 60;  // between two lowerings for its sake
// A change that was asked for shows within this time.
constexpr double kWishShowsSeconds = 5;

const ColumnFamilyReading* family_of(const Features& f, std::string_view name) {
  for (const ColumnFamilyReading& family : f.column_families) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

// What would be pending, were the base as found again, as a share of where RocksDB delays writes.
// 0: it does not delay them for that. Unknown levels are no reason to raise anything.
double debt_as_found(const ColumnFamilyReading& family, const KnobReading& base) {
  const std::uint64_t soft = family.soft_pending_limit_bytes.value_or(0);
  const bool limitless = soft == 0 || soft > std::uint64_t{1} << 62;
  if (family.levels.empty()) return 1;
  if (limitless) return 0;
  LevelShape shape = level_shape_of(family);
  shape.max_bytes_for_level_base =
      static_cast<std::uint64_t>(std::max<std::int64_t>(base.found, 1));
  std::vector<std::uint64_t> bytes;
  bytes.reserve(family.levels.size());
  for (const LevelReading& level : family.levels) bytes.push_back(level.bytes);
  const std::uint64_t debt = compaction_debt_bytes(shape, family.levels[0].files, bytes);
  return static_cast<double>(debt) / static_cast<double>(soft);
}

std::string brings(double batch) {
  return "a compaction of level 0 brings " + text::bytes(batch) + " at a time";
}

}  // namespace

double level0_batch_bytes(const Features& f, std::string_view column_family) {
  const ColumnFamilyReading* family = family_of(f, column_family);
  if (family == nullptr || family->leveled_compaction == 0) return 0;
  return static_cast<double>(family->level0_compaction_trigger.value_or(0)) *
         static_cast<double>(family->write_buffer_bytes.value_or(0));
}

LevelBaseLoop::Base LevelBaseLoop::look_at(const KnobReading& reading, const Features& f,
                                           Nanoseconds now) const {
  const double batch = level0_batch_bytes(f, reading.column_family);
  const bool ours = reading.owner == KnobOwner::kRocktune && reading.value > reading.found;
  const auto before = bases_.find(reading.column_family);
  if (before == bases_.end()) {
    // In proportion already: left by an earlier engine.
    const auto value = static_cast<double>(reading.value);
    const bool left = ours && value <= batch;
    return {reading.value, left ? value : batch, left};
  }
  if (before->second.value == reading.value) return before->second;
  const bool asked = wished_ == reading.column_family && within(wished_at_, now, kWishShowsSeconds);
  if (ours && asked) {
    const bool lowered = reading.value < before->second.value;
    return {reading.value, lowered ? batch : before->second.batch, true};
  }
  return {reading.value, batch, false};
}

void LevelBaseLoop::note_changes(const Features& f, Nanoseconds now) {
  if (f.knobs == knobs_) return;
  knobs_ = f.knobs;
  std::map<std::string, Base, std::less<>> bases;
  for (const KnobReading& reading : knobs_) {
    if (reading.name != knob::kLevelBase) continue;
    bases.emplace(reading.column_family, look_at(reading, f, now));
  }
  bases_ = std::move(bases);
}

std::optional<Proposal> LevelBaseLoop::raise(const Situation& situation,
                                             const Level0Merges& merges) const {
  const Features& f = situation.features;
  const KnobReading* best = nullptr;
  const Level0Merging* most = nullptr;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* merging = merges.of(family.name, place++);
    const KnobReading* base = f.knobs.find(knob::kLevelBase, family.name);
    const bool free =
        base != nullptr && base->changeable && base->owner != KnobOwner::kManual && base->value > 0;
    if (merging == nullptr || !free || merging->flushed <= 0) continue;
    const auto known = bases_.find(family.name);
    if (known == bases_.end()) continue;
    const double batch = level0_batch_bytes(f, family.name);
    const double in_proportion = std::max(static_cast<double>(base->value), known->second.batch);
    if (batch < kOutOfProportion * in_proportion) continue;
    if (most != nullptr && merging->flushed <= most->flushed) continue;
    if (debt_as_found(family, *base) > kMostDebtToRaise) continue;
    best = base;
    most = merging;
  }
  if (best == nullptr) return std::nullopt;
  const double batch = level0_batch_bytes(f, best->column_family);
  Proposal out = propose(*best, whole_bytes(batch), "level_base.writes");
  out.reason = brings(batch) + ", if it may gather so much: RocksDB begins one at " +
               text::bytes(static_cast<double>(best->value)) +
               ", and as much fits into the level below";
  out.expected = expect_fewer_writes(situation, kLevelBaseEvaluationSeconds);
  out.evidence = {{"flush_bytes_per_second", most->flushed, std::nullopt},
                  {"pending_bytes", f.pending_bytes.value_or(0), f.pending_soft_bytes}};
  return out;
}

std::optional<Proposal> LevelBaseLoop::lower_idle(const Situation& situation, double idle) const {
  const Features& f = situation.features;
  for (const auto& [column_family, known] : bases_) {
    const KnobReading* base = f.knobs.find(knob::kLevelBase, column_family);
    const double batch = level0_batch_bytes(f, column_family);
    if (!known.follows || base == nullptr || !base->changeable || batch <= 0) continue;
    const auto to = std::max(base->found, whole_bytes(batch));
    if (static_cast<double>(base->value) < kOutOfProportion * static_cast<double>(to)) continue;
    Proposal out = propose(*base, to, "level_base.idle");
    out.reason = brings(batch) + " again, and nothing has pressed for " + text::duration(idle) +
                 ": the level below it goes back with it";
    out.expected = no_more_stalls(situation, kLevelBaseEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  return std::nullopt;
}

std::optional<Proposal> LevelBaseLoop::lower_for_debt(const Situation& situation) const {
  const Features& f = situation.features;
  for (const ColumnFamilyReading& family : f.column_families) {
    const auto known = bases_.find(family.name);
    if (known == bases_.end() || !known->second.follows) continue;
    const KnobReading* base = f.knobs.find(knob::kLevelBase, family.name);
    if (base == nullptr || !base->changeable || base->value <= base->found) continue;
    const double debt = debt_as_found(family, *base);
    if (debt < kMostDebt) continue;
    const auto soft = static_cast<double>(*family.soft_pending_limit_bytes);
    Proposal out = propose(*base, std::max(base->found, base->value / 2), "level_base.debt");
    out.reason = "with the " + text::bytes(static_cast<double>(base->found)) + " that were found " +
                 text::bytes(debt * soft) +
                 " would wait for compaction, and RocksDB delays writes from " + text::bytes(soft) +
                 " on: part of it is worked off now";
    out.expected = no_more_stalls(situation, kLevelBaseEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  return std::nullopt;
}

std::optional<Proposal> LevelBaseLoop::decide(const Situation& situation,
                                              const Level0Merges& merges) {
  const Nanoseconds now = situation.now;
  note_changes(situation.features, now);
  const bool presses =
      situation.piling || situation.pressed || situation.device_loaded || situation.wasteful;
  const double pressed = pressed_.update(presses, now);
  const double idle = idle_.update(situation.comfortable && !presses, now);
  std::optional<Proposal> out;
  if (pressed >= kLevelBasePressedSeconds) out = raise(situation, merges);
  if (!out && idle >= kLevelBaseIdleSeconds) out = lower_idle(situation, idle);
  // It would be pending at once: not while what is pending holds writers up, or soon will.
  const bool may_lower = !situation.trouble && !situation.near_limit && situation.backlog_known;
  if (!out && may_lower && !within(lowered_, now, kDebtSeconds)) out = lower_for_debt(situation);
  if (out && out->rule == "level_base.debt") lowered_ = now;
  if (out) {
    wished_ = out->column_family;
    wished_at_ = now;
  }
  return out;
}

}  // namespace rocktune
