#include "policy/l0_trigger_loop.h"

#include <algorithm>
#include <utility>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/level0_reads.h"
#include "policy/level_base.h"

namespace rocktune {
namespace {

constexpr std::string_view kIdleRule = "l0_trigger.idle", kReadsRule = "l0_trigger.reads";
constexpr std::string_view kRaiseRule = "l0_trigger.writes";
constexpr double kL0TriggerEvaluationSeconds = 60;
constexpr double kL0PressedSeconds = 3;
// Level 0 stays below this share of its slowdown trigger when a compaction begins: as many files
// again may come before that has ended, and more in a burst. Further where latency is not what
// comes first.
constexpr double kL0MostShare = 0.3, kL0FurtherShare = 0.4;
// Level 0 in the mean of 10 s, and now, as a share of its slowdown trigger.
constexpr double kL0HalfFull = 0.5, kL0Danger = 0.75;
// Writers that wait for level 0, or soon will, need its compactions early, not large.
constexpr double kL0CrowdedSeconds = 2;
// Longer than a single stall shows in the mean of 3 s.
constexpr double kL0LosesSeconds = 5;
// Reads that stay, and not a glance.
constexpr double kL0UnsuitedSeconds = 15;

// Of its slowdown trigger.
double level0_share(const Features& f, std::string_view column_family) {
  const ColumnFamilyReading* family = family_of(f, column_family);
  if (family == nullptr || family->levels.empty()) return 0;
  const auto slowdown = static_cast<double>(family->level0_slowdown_trigger.value_or(0));
  return static_cast<double>(family->levels[0].files) / std::max(slowdown, 1.0);
}

bool is_full(const Situation& situation, std::string_view column_family) {
  return level0_share(situation.features, column_family) >= kL0HalfFull;
}

// As far as the trigger may be raised.
std::int64_t highest_trigger(const Situation& situation, const KnobReading& trigger) {
  const Features& f = situation.features;
  const KnobReading* slowdown = f.knobs.find(knob::kL0Slowdown, trigger.column_family);
  if (slowdown == nullptr) return trigger.value;
  const double share = situation.bytes_count() ? kL0FurtherShare : kL0MostShare;
  // Room that is lent to level 0 goes back (policy/l0_room_loop.h).
  const std::int64_t lasting = is_raised(*slowdown) ? slowdown->found : slowdown->value;
  const auto ceiling = static_cast<std::int64_t>(share * static_cast<double>(lasting));
  // Where the slowdown is far away reads are what bounds it.
  return std::min(ceiling, 2 * std::max<std::int64_t>(1, trigger.found));
}

// After one step: no more files than the base of the levels holds at a time.
std::int64_t raised_trigger(const Situation& situation, const ColumnFamilyReading& family,
                            const Level0Merging& merging, const KnobReading& trigger) {
  const std::int64_t wanted = std::min(2 * trigger.value, highest_trigger(situation, trigger));
  if (wanted <= trigger.value) return wanted;
  const auto now = static_cast<double>(trigger.value);
  const double held = held_times(situation.features.knobs, family, merging.file_share,
                                 static_cast<double>(wanted) / now);
  return std::min(wanted, static_cast<std::int64_t>(held * now));
}

}  // namespace

// A wish that stands begins no other one.
void L0TriggerLoop::begin_rest(Nanoseconds now) {
  if (!rest_.lasts(now)) rest_.begin(now);
}

void L0TriggerLoop::note_changes(const Features& f) {
  if (f.knobs == knobs_) return;
  for (const KnobReading& trigger : f.knobs) {
    if (trigger.name != knob::kL0Trigger) continue;
    const KnobReading* before = knobs_.find(trigger.name, trigger.column_family);
    if (before == nullptr || trigger.value == before->value) continue;
    if (trigger.value < before->value) {
      if (idle_wish_.explains(f.at.tick)) idle_wait_.went_back(f.at.tick);
      if (reads_wish_.explains(f.at.tick)) begin_rest(f.at.tick);
      unheard_returns_.granted(trigger.column_family);
      continue;
    }
    unheard_.granted(trigger.column_family);
    if (raise_wish_.explains(f.at.tick)) idle_wait_.wanted(f.at.tick);
  }
  knobs_ = f.knobs;
  unheard_.keep(f.column_families);
  unheard_returns_.keep(f.column_families);
}

std::optional<Proposal> L0TriggerLoop::raise(const Situation& situation,
                                             const Level0Merges& merges) const {
  const Features& f = situation.features;
  const KnobReading* best = nullptr;
  const Level0Merging* most = nullptr;
  std::int64_t to = 0;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* merging = merges.of(family.name, place++);
    if (merging == nullptr || family.leveled_compaction == 0) continue;
    if (!merges.worth_doubling(*merging)) continue;
    const KnobReading* trigger = f.knobs.find(knob::kL0Trigger, family.name);
    if (trigger == nullptr || !may_turn(*trigger) || trigger->value < 1) continue;
    if (!reads_have_borne_level0(situation, family.name) ||
        unheard_.rests(family.name, situation.now))
      continue;
    const std::int64_t raised = raised_trigger(situation, family, *merging, *trigger);
    if (raised <= trigger->value) continue;
    if (most != nullptr && merging->saved_by_doubling() <= most->saved_by_doubling()) continue;
    best = trigger;
    most = merging;
    to = raised;
  }
  if (best == nullptr) return std::nullopt;
  Proposal out = propose(*best, to, kRaiseRule);
  const double saved = most->saved_by_doubling() *
                       (1 - static_cast<double>(best->value) / static_cast<double>(to)) * 2;
  out.reason = "compactions of level 0 read " + text::rate(most->saved_by_doubling()) +
               " of the next level again and again: with " + std::to_string(to) +
               " files at a time they save " + text::rate(saved);
  out.expected = expect_fewer_writes(situation, kL0TriggerEvaluationSeconds);
  out.evidence = {{"l0_files", f.l0_files.value_or(0), f.l0_slowdown_files},
                  {"flush_bytes_per_second", most->flushed, std::nullopt}};
  return out;
}

std::optional<Proposal> L0TriggerLoop::lower(const Situation& situation, std::string_view rule,
                                             std::string reason, Which which) const {
  const KnobReading* fullest = nullptr;
  double most = -1;
  for (const KnobReading& reading : situation.features.knobs) {
    const bool ours = reading.name == knob::kL0Trigger && reading.changeable && is_raised(reading);
    const bool rests = unheard_returns_.rests(reading.column_family, situation.now);
    if (!ours || rests || !which(situation, reading.column_family)) continue;
    const double share = level0_share(situation.features, reading.column_family);
    if (share <= most) continue;
    fullest = &reading;
    most = share;
  }
  if (fullest == nullptr) return std::nullopt;
  Proposal out = propose(*fullest, fullest->found, rule);
  out.reason = std::move(reason);
  out.expected = {"l0_ratio", true, situation.l0_ratio.value_or(0), kL0TriggerEvaluationSeconds};
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> L0TriggerLoop::look_and_decide(const Situation& situation,
                                                       const Level0Merges& merges) {
  const Nanoseconds now = situation.now;
  note_changes(situation.features);
  // Level 0 that nears its limit is no place to wait for more files.
  const bool full = situation.l0_ratio.value_or(1) >= kL0HalfFull;
  const bool dangerous =
      situation.features.l0_ratio.value_or(1) >= kL0Danger && !situation.deferred;
  const bool in_danger =
      situation.trouble && situation.backlog_cause == "l0" && (situation.stalled || dangerous);
  // Where bytes count a full level 0 is what the trigger was raised for, and a delay that is no
  // slower than what is written costs nobody anything.
  const bool bytes_count = situation.bytes_count();
  const bool crowds = in_danger && (!bytes_count || situation.loses_time);
  const bool presses = situation.writes_press();
  const double pressed = pressed_.update(presses && !full && !in_danger, now);
  const double crowded = crowded_.update(crowds && !situation.relief_comes, now);
  const double idle = idle_.update(situation.comfortable && !presses, now);
  auto burdens = lower(situation, kReadsRule,
                       "reads have come that look into each file of level 0, and filters do not "
                       "spare them that: its compactions are to begin earlier again",
                       reads_burden_level0);
  const double unsuited = unsuited_.update(burdens.has_value(), now);
  // A burst is another load than the one that it was raised for.
  const bool surges = situation.burst_begins && !bytes_count && situation.trouble &&
                      situation.backlog_cause == "l0" && !situation.deferred &&
                      !situation.relief_comes;
  if (surges || crowded >= (bytes_count ? kL0LosesSeconds : kL0CrowdedSeconds)) {
    auto back = lower(situation, "l0_trigger.backlog",
                      backlog_text(situation) + ": its compactions are to begin earlier again",
                      is_full);  // those that are not take jobs from the one that is
    if (back) begin_rest(now);
    return back;
  }
  if (idle >= idle_wait_.seconds()) {
    return lower(
        situation, kIdleRule,
        "nothing has pressed for " + text::duration(idle) + ": reads look into fewer files again",
        [](const Situation&, std::string_view) { return true; });
  }
  if (unsuited >= kL0UnsuitedSeconds) return burdens;
  // What pressed may be over, and a load that is gone leaves nothing to gather.
  const bool writes = situation.features.user_write_bytes_per_second.value_or(1) > 0;
  if (!writes || pressed < kL0PressedSeconds) return std::nullopt;
  if (rest_.lasts(now) || situation.settling) return std::nullopt;
  return raise(situation, merges);
}

std::optional<Proposal> L0TriggerLoop::decide(const Situation& situation,
                                              const Level0Merges& merges) {
  auto out = look_and_decide(situation, merges);
  const auto asked = [&out](std::string_view rule) {
    return out && out->rule == rule ? out : std::nullopt;
  };
  idle_wish_.note(asked(kIdleRule), situation.now);
  reads_wish_.note(asked(kReadsRule), situation.now);
  raise_wish_.note(asked(kRaiseRule), situation.now);
  if (!out) return out;
  UnheardWishes& wishes = out->to > out->from ? unheard_ : unheard_returns_;
  if (wishes.wished(out->column_family, situation.now, kUnheardSeconds, kUnheardSeconds)) {
    out.reset();
  }
  return out;
}

}  // namespace rocktune
