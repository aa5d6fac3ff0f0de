#include "policy/l0_room_loop.h"

#include <algorithm>
#include <string>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/job_slots.h"
#include "policy/level0_flood.h"
#include "policy/level0_reads.h"
#include "policy/spared_jobs.h"

namespace rocktune {
namespace {

constexpr double kRoomEvaluationSeconds = 60;
constexpr double kRoomFullSeconds = 3, kRoomIdleSeconds = 300;
// Longer than a single stall shows in the mean of 3 s.
constexpr double kRoomLostSeconds = 5, kRoomRestSeconds = 900;
constexpr double kRoomUnsuitedSeconds = 3;
// A wish that stands so long without any effect is held up by somebody else's word.
constexpr double kRoomUnheardSeconds = kRoomEvaluationSeconds + 15;
// Level 0 from this share of its slowdown trigger on is what writers wait for, or soon will.
constexpr double kCrowded = 0.9;
constexpr double kAboutToDelay = 0.75;
// A smaller step gathers next to nothing.
constexpr std::int64_t kLeastStep = 2;

const KnobReading* slowdown_of(const Features& f, const ColumnFamilyReading& family) {
  return changeable_knob(f, knob::kL0Slowdown, family.name);
}

bool is_widened(const KnobReading* slowdown) {
  return slowdown != nullptr && is_raised(*slowdown);
}

bool is_crowded(const ColumnFamilyReading& family, const KnobReading& slowdown) {
  return level0_count(family) >= kCrowded * static_cast<double>(slowdown.value);
}

// What was found would delay those who are not delayed now.
bool would_delay(const ColumnFamilyReading& family, const KnobReading& slowdown) {
  return level0_count(family) >= static_cast<double>(slowdown.found);
}

// With more of them RocksDB begins several as soon as there is anything to gather.
bool one_at_a_time(const Features& f) {
  const KnobReading* jobs = changeable_knob(f, knob::kBackgroundJobs);
  return jobs != nullptr && compaction_slots(jobs->value) == 1;
}

// What it may be widened to; absent: not at all.
std::optional<std::int64_t> wider(const Situation& situation, const ColumnFamilyReading& family,
                                  const KnobReading* slowdown, bool floods) {
  const bool widened = is_widened(slowdown);
  // Where bytes count, what one step gathers will do.
  const bool free = slowdown != nullptr && slowdown->value > 0 &&
                    (widened ? !situation.bytes_count() : slowdown->owner == KnobOwner::kFound);
  const bool leveled = family.leveled_compaction.value_or(0) != 0;
  if (!free || !leveled || !family.level0_stop_trigger) return std::nullopt;
  if (!reads_have_borne_level0(situation, family.name)) return std::nullopt;
  const std::int64_t value = slowdown->value;
  // Where bytes count it is room for a compaction to gather more; else it is for writers who are
  // about to be delayed.
  const double near_limit = floods || situation.bytes_count() ? kNearLimit : kAboutToDelay;
  if (level0_count(family) < near_limit * static_cast<double>(value)) return std::nullopt;
  const auto stop = static_cast<std::int64_t>(*family.level0_stop_trigger);
  const std::int64_t step = std::min(stop - value, value) / 2;
  const bool leaves_room = stop - (value + step) >= kLeastLevel0Room;
  return step >= kLeastStep && leaves_room ? std::optional(value + step) : std::nullopt;
}

}  // namespace

void L0RoomLoop::look(const Situation& situation) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  bool crowded = false, unsuited = false;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* slowdown = slowdown_of(f, family);
    if (!is_widened(slowdown)) {
      unheard_returns_.granted(family.name);
      continue;
    }
    unheard_.granted(family.name);
    crowded = crowded || is_crowded(family, *slowdown);
    // Given by what reads have done for a while, back by what they do now.
    unsuited = unsuited || reads_burden_level0(situation, family.name);
  }
  unheard_.keep(f.column_families);
  unheard_returns_.keep(f.column_families);
  const bool loses = situation.loses_time && crowded;
  lost_seconds_ = lost_.update(loses, now);
  unsuited_seconds_ = unsuited_.update(unsuited, now);
  if (loses || unsuited_seconds_ >= kRoomUnsuitedSeconds) rests_since_ = now;
  full_seconds_ = full_.update(situation.device_loaded, now);
  // Not wasteful(): an objective is no load.
  const bool busy = situation.device_loaded || situation.pressed || situation.piling;
  idle_seconds_ = idle_.update(situation.comfortable && !busy, now);
}

std::optional<Proposal> L0RoomLoop::give_back(const Situation& situation) const {
  const Features& f = situation.features;
  const bool lost = lost_seconds_ >= kRoomLostSeconds;
  Widened fullest;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* slowdown = slowdown_of(f, family);
    if (!is_widened(slowdown) || unheard_returns_.rests(family.name, situation.now)) continue;
    const bool unsuited =
        unsuited_seconds_ >= kRoomUnsuitedSeconds && reads_burden_level0(situation, family.name);
    const bool idle = idle_seconds_ >= kRoomIdleSeconds || unsuited;
    const bool delays = would_delay(family, *slowdown);
    const bool due = delays ? lost && is_crowded(family, *slowdown) : idle;
    if (!due) continue;
    if (fullest.family != nullptr && level0_count(family) <= level0_count(*fullest.family))
      continue;
    fullest = {&family, slowdown};
  }
  if (fullest.family == nullptr) return std::nullopt;
  const bool delays = would_delay(*fullest.family, *fullest.slowdown);
  Proposal out =
      propose(*fullest.slowdown, fullest.slowdown->found, delays ? "l0_room.lost" : "l0_room.idle");
  const bool calm = idle_seconds_ >= kRoomIdleSeconds;
  out.reason = delays ? backlog_text(situation) + ": level 0 gathers more than compactions work off"
                      : std::string(calm ? "nothing asks for room in level 0"
                                         : "reads have come that look into each file of level 0") +
                            ": writes are delayed where they were";
  // Back to a limit that level 0 is beyond, writers are delayed until it is worked off: no
  // experiment, to be taken back for what it is there to do.
  if (!delays) out.expected = no_more_stalls(situation, kRoomEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> L0RoomLoop::widen(const Situation& situation,
                                          const Level0Merges& merges) const {
  const Features& f = situation.features;
  Widened fullest;
  std::int64_t to = 0;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* slowdown = slowdown_of(f, family);
    const Level0Merging* writes = merges.of(family.name, place++);
    const bool floods = writes != nullptr && floods_level0(situation, *writes, family.name);
    const auto more = wider(situation, family, slowdown, floods);
    if (!more || unheard_.rests(family.name, situation.now)) continue;
    if (fullest.family != nullptr && level0_count(family) <= level0_count(*fullest.family))
      continue;
    fullest = {&family, slowdown};
    to = *more;
  }
  if (fullest.family == nullptr) return std::nullopt;
  Proposal out = propose(*fullest.slowdown, to, "l0_room.writes");
  const bool gathers = situation.bytes_count();
  const std::string room = std::to_string(to);
  out.reason = "the device is full, and level 0 has " +
               text::number(level0_count(*fullest.family), 0) + " of the " +
               std::to_string(fullest.slowdown->value) + " files at which writes are delayed: " +
               (gathers ? "with room for " + room + " a compaction takes more of them"
                        : "reads bear " + room) +
               " (writes stop at " + std::to_string(*fullest.family->level0_stop_trigger) + ")";
  out.expected = gathers ? expect_fewer_writes(situation, kRoomEvaluationSeconds)
                         : no_more_stalls(situation, kRoomEvaluationSeconds);
  out.evidence = full_device_evidence(situation);
  return out;
}

std::optional<Proposal> L0RoomLoop::decide(const Situation& situation, const Level0Merges& merges) {
  look(situation);
  const auto unheard = [&situation](UnheardWishes& wishes, const Proposal& proposal) {
    return wishes.wished(proposal.column_family, situation.now, kRoomUnheardSeconds,
                         kRoomUnheardSeconds);
  };
  if (auto back = give_back(situation)) {
    return unheard(unheard_returns_, *back) ? std::nullopt : std::move(back);
  }
  const Features& f = situation.features;
  const bool gathers = (one_at_a_time(f) || situation.smoothed) &&
                       f.pending_ratio.value_or(1) < kNearLimit && !situation.deferred;
  const bool rests = within(rests_since_, situation.now, kRoomRestSeconds);
  // Who is about to be delayed has no seconds.
  const bool full =
      situation.device_loaded && (!situation.bytes_count() || full_seconds_ >= kRoomFullSeconds);
  if (!gathers || rests || !full || situation.loses_time) return std::nullopt;
  auto out = widen(situation, merges);
  if (out && unheard(unheard_, *out)) out.reset();
  return out;
}

}  // namespace rocktune
