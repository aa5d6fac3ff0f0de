#include "policy/l0_room_loop.h"

#include <string>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/job_slots.h"
#include "policy/level0_reads.h"

namespace rocktune {
namespace {

constexpr double kRoomEvaluationSeconds = 60;
constexpr double kRoomFullSeconds = 3;
// As for the trigger (policy/l0_trigger_loop.cc): longer than a single stall shows.
constexpr double kRoomLostSeconds = 5, kRoomLostRestSeconds = 900;
constexpr double kRoomIdleSeconds = 300;
// A smaller step gathers next to nothing.
constexpr std::int64_t kLeastStep = 2;

const KnobReading* slowdown_of(const Features& f, const ColumnFamilyReading& family) {
  const KnobReading* slowdown = f.knobs.find(knob::kL0Slowdown, family.name);
  return slowdown != nullptr && slowdown->changeable ? slowdown : nullptr;
}

std::int64_t files_of(const ColumnFamilyReading& family) {
  return family.levels.empty() ? 0 : static_cast<std::int64_t>(family.levels[0].files);
}

// With more of them RocksDB begins several as soon as there is anything to gather.
bool one_at_a_time(const Features& f) {
  const KnobReading* jobs = f.knobs.find(knob::kBackgroundJobs, std::string_view());
  return jobs != nullptr && compaction_slots(jobs->value) == 1;
}

}  // namespace

std::optional<Proposal> L0RoomLoop::give_back(const Situation& situation) {
  const Features& f = situation.features;
  const bool lost = lost_.update(situation.loses_time, situation.now) >= kRoomLostSeconds;
  const bool rests = idle_.update(situation.comfortable && !situation.writes_press(),
                                  situation.now) >= kRoomIdleSeconds;
  const ColumnFamilyReading* fullest = nullptr;
  const KnobReading* knob = nullptr;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* slowdown = slowdown_of(f, family);
    const bool ours = slowdown != nullptr && slowdown->owner == KnobOwner::kRocktune &&
                      slowdown->value > slowdown->found;
    if (!ours) continue;
    // What was found would delay those who are not delayed now; what writers lose time to
    // elsewhere is no matter of room.
    const bool full = files_of(family) >= slowdown->found;
    const bool suits = situation.bytes_count() && reads_bear_level0(f, family.name);
    if (full ? !lost : suits && !rests) continue;
    if (fullest != nullptr && files_of(family) <= files_of(*fullest)) continue;
    fullest = &family;
    knob = slowdown;
  }
  if (fullest == nullptr) return std::nullopt;
  const bool full = files_of(*fullest) >= knob->found;
  Proposal out = propose(*knob, knob->found, full ? "l0_room.lost" : "l0_room.idle");
  out.reason =
      full ? backlog_text(situation) + ": level 0 gathers more than compactions work off"
           : std::string("nothing asks for room in level 0: writes are delayed where they were");
  out.expected = no_more_stalls(situation, kRoomEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  if (full) lost_at_ = situation.now;
  return out;
}

std::optional<Proposal> L0RoomLoop::widen(const Situation& situation) {
  const Features& f = situation.features;
  const ColumnFamilyReading* fullest = nullptr;
  const KnobReading* knob = nullptr;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* slowdown = slowdown_of(f, family);
    if (slowdown == nullptr || slowdown->owner != KnobOwner::kFound || slowdown->value < 1)
      continue;
    const bool leveled = family.leveled_compaction.value_or(0) != 0;
    if (!leveled || !reads_bear_level0(f, family.name)) continue;
    const std::int64_t files = files_of(family);
    if (2 * files < slowdown->value) continue;
    if (fullest != nullptr && files <= files_of(*fullest)) continue;
    fullest = &family;
    knob = slowdown;
  }
  if (fullest == nullptr || !fullest->level0_stop_trigger) return std::nullopt;
  const auto stop = static_cast<std::int64_t>(*fullest->level0_stop_trigger);
  const std::int64_t to = knob->value + (stop - knob->value) / 2;
  if (to - knob->value < kLeastStep) return std::nullopt;
  Proposal out = propose(*knob, to, "l0_room.writes");
  out.reason = "the device is full, and level 0 has " + std::to_string(files_of(*fullest)) +
               " of the " + std::to_string(knob->value) +
               " files at which writes are delayed: with room for " + std::to_string(to) +
               " each compaction takes more of them (they stop at " + std::to_string(stop) + ")";
  out.expected = expect_fewer_writes(situation, kRoomEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

std::optional<Proposal> L0RoomLoop::decide(const Situation& situation) {
  const double full = full_.update(situation.device_loaded, situation.now);
  if (auto back = give_back(situation)) return back;
  const bool rests = within(lost_at_, situation.now, kRoomLostRestSeconds);
  if (!situation.bytes_count() || full < kRoomFullSeconds || rests) return std::nullopt;
  if (situation.loses_time || situation.features.pending_ratio.value_or(1) >= 0.5) {
    return std::nullopt;
  }
  return one_at_a_time(situation.features) ? widen(situation) : std::nullopt;
}

}  // namespace rocktune
