#include "policy/spared_jobs.h"

#include <algorithm>

#include "policy/level0_reads.h"

namespace rocktune {
namespace {

constexpr double kFullSeconds = 3;  // longer than the burst after a flush
// A load that comes and goes within a minute moves nothing, a slower one once in five.
constexpr double kRoomSeconds = 60, kEndedRestSeconds = 300;
constexpr std::int64_t kFewestJobs = 2;
// Who has stalled lately has use for each of them.
constexpr double kStalledLatelySeconds = 300;
// Of compactions at a time, mean of 3 s: several.
constexpr double kSeveral = 1.5;
// Pending bytes from this share of their soft limit on.
constexpr double kMostPending = 0.5;

bool suits(const Situation& situation) {
  const Features& f = situation.features;
  const auto borne = [&f](const ColumnFamilyReading& family) {
    return family.leveled_compaction.value_or(0) == 0 || reads_bear_level0(f, family.name);
  };
  return situation.bytes_count() &&
         std::all_of(f.column_families.begin(), f.column_families.end(), borne);
}

// Past the middle between the delay and the stop.
bool nears_stop(const ColumnFamilyReading& family) {
  const auto &slowdown = family.level0_slowdown_trigger, &stop = family.level0_stop_trigger;
  if (family.levels.empty() || !slowdown || !stop || *stop == 0) return false;
  return 2 * family.levels[0].files >= *slowdown + *stop;
}

bool is_wanted(const Situation& situation) {
  const Features& f = situation.features;
  return situation.loses_time || f.pending_ratio.value_or(0) >= kMostPending ||
         std::any_of(f.column_families.begin(), f.column_families.end(), nears_stop);
}

}  // namespace

void SparedJobs::observe(const Situation& situation, const KnobReading& jobs, bool own) {
  const Nanoseconds now = situation.now;
  const bool fell = jobs_ && jobs.value < *jobs_;
  spared_ =
      jobs.value < jobs.found && jobs.owner == KnobOwner::kRocktune && (spared_ || (fell && own));
  jobs_ = jobs.value;
  if (situation.stalled) stalled_at_ = now;
  full_seconds_ = full_.update(situation.device_loaded, now);
  room_seconds_ = room_.update(!situation.device_loaded, now);
  if (spared_ && is_wanted(situation) && !rest_.lasts(now)) rest_.begin(now);
  if (spared_ && (room_seconds_ >= kRoomSeconds || !suits(situation))) ended_at_ = now;
}

std::optional<std::int64_t> SparedJobs::fewer(const Situation& situation,
                                              const KnobReading& jobs) const {
  const bool free = jobs.owner == KnobOwner::kFound || spared_;
  if (!free || jobs.value > jobs.found || jobs.value <= kFewestJobs) return std::nullopt;
  // Whoever may have fewer than were found could not have them back.
  if (situation.budget.jobs_max.value_or(jobs.found) < jobs.found) return std::nullopt;
  if (!suits(situation) || full_seconds_ < kFullSeconds) return std::nullopt;
  const Nanoseconds now = situation.now;
  const bool rests = rest_.lasts(now) || within(ended_at_, now, kEndedRestSeconds) ||
                     within(stalled_at_, now, kStalledLatelySeconds);
  if (rests || is_wanted(situation)) return std::nullopt;
  if (situation.running_compactions.value_or(0) < kSeveral) return std::nullopt;
  return std::max(kFewestJobs, jobs.value - std::max<std::int64_t>(2, jobs.value / 3));
}

std::optional<SparedJobs::Return> SparedJobs::to_return(const Situation& situation,
                                                        const KnobReading& jobs) const {
  if (!spared_ || jobs.value >= jobs.found) return std::nullopt;
  if (rest_.lasts(situation.now)) return Return::kWanted;
  if (!suits(situation)) return Return::kReads;
  if (room_seconds_ >= kRoomSeconds) return Return::kRoom;
  return std::nullopt;
}

}  // namespace rocktune
