// Larger write buffers for a level 0 that is flooded (policy/level0_flood.h). What the cache gives
// for it, it has back once somebody reads.
#include <algorithm>
#include <string>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/buffers_loop.h"
#include "policy/level0_flood.h"
#include "policy/memory.h"

namespace rocktune {
namespace {

// Ours: once the cache has given for it, it is enough that level 0 is not nearly empty.
constexpr double kCrowdsOnFrom = 0.2;
constexpr double kLevel0EvaluationSeconds = 60;

}  // namespace

std::optional<BuffersLoop::Family> BuffersLoop::crowded(const Situation& situation,
                                                        const Level0Merges& merges) const {
  const Features& f = situation.features;
  std::optional<Family> out;
  double most = has_made_room(situation) ? kCrowdsOnFrom : kNearLimit;
  std::size_t place = 0;
  for (const ColumnFamilyReading& family : f.column_families) {
    const Level0Merging* writes = merges.of(family.name, place++);
    const KnobReading* size = f.knobs.find(knob::kWriteBufferSize, family.name);
    const KnobReading* number = f.knobs.find(knob::kWriteBuffers, family.name);
    const KnobReading* slowdown = f.knobs.find(knob::kL0Slowdown, family.name);
    const bool known = writes != nullptr && size != nullptr && number != nullptr &&
                       slowdown != nullptr && family.leveled_compaction.value_or(0) != 0;
    if (!known || size->value <= 0 || slowdown->value <= 0 || !may_turn(*size)) continue;
    if (!writes->fills || unheard_.rests(family.name, situation.now)) continue;
    if (!floods_level0(situation, *writes, family.name)) continue;
    const double share = level0_count(family) / static_cast<double>(slowdown->value);
    if (share < most) continue;
    most = share;
    out = Family{&family, size, number, *writes};
  }
  return out;
}

std::optional<Proposal> BuffersLoop::grow_for_level0(const Situation& situation,
                                                     const Family& family) {
  if (situation.memory_short || !situation.features.memory_available_bytes) return std::nullopt;
  const Doubling room = room_for_doubling(situation, family);
  if (room.wanted < room.least) return std::nullopt;
  const double files = family.writes.files_per_second(family.size->value);
  const std::string why =
      "level 0 has " + text::number(level0_count(*family.reading), 0) + " files, and " +
      text::number(files, 0) +
      " more come every second: of larger write buffers there are fewer before writes are delayed";
  if (room.free < room.least) {
    // Where something else comes first nobody gives back what readers had.
    const bool goes_back =
        situation.objective.first == Priority::kReadP99 || !situation.read_lately;
    // Readers that pause in turns are asked for it once in a while, and ever more seldom.
    if (!goes_back || level0_rest_.lasts(situation.now)) return std::nullopt;
    if (!cache_can_give(situation, room)) return std::nullopt;
    auto less = take_from_cache(situation, room.wanted - room.free, "cache.trade", why);
    if (!less) return std::nullopt;
    note_taken(situation, *less);
    taken_->for_level0 = claims_ = true;
    if (!lent_.is_lent()) called_back_ = false;
    lent_.lend(less->from, situation.now);
    return less;
  }
  claims_ = true;
  Proposal out = propose(*family.size, larger(family, room), "buffers.level0");
  out.reason = why;
  out.expected = no_more_stalls(situation, kLevel0EvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

}  // namespace rocktune
