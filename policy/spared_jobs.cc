#include "policy/spared_jobs.h"

#include <algorithm>

#include "policy/guard_limits.h"
#include "policy/job_slots.h"
#include "policy/level0_reads.h"

namespace rocktune {
namespace {

constexpr double kFullSeconds = 3;  // longer than the burst after a flush
constexpr double kUnsuitedSeconds = 3, kIdleDeviceSeconds = 60;
// Who has stalled lately has use for each of them.
constexpr double kStalledLatelySeconds = 300;
// Of compactions at a time, mean of 3 s: several.
constexpr double kSeveral = 1.5;

// Then what is more or less than a share of them is not decided here (policy/give_back.h).
bool are_shared(const Features& f) {
  return f.shared && f.shared->jobs_max;
}

bool leaves_room(const ColumnFamilyReading& family) {
  const auto &slowdown = family.level0_slowdown_trigger, &stop = family.level0_stop_trigger;
  return !family.levels.empty() && slowdown && stop && *stop >= *slowdown + kLeastLevel0Room;
}

bool suits(const Situation& situation) {
  const Features& f = situation.features;
  const auto borne = [&situation](const ColumnFamilyReading& family) {
    return family.leveled_compaction.value_or(0) != 0 && leaves_room(family) &&
           !reads_burden_level0(situation, family.name);
  };
  const bool known = situation.backlog_known && f.pending_ratio;
  return situation.bytes_count() && known && !f.column_families.empty() &&
         std::all_of(f.column_families.begin(), f.column_families.end(), borne);
}

bool has_suited(const Situation& situation) {
  const auto& families = situation.features.column_families;
  return std::all_of(families.begin(), families.end(), [&](const ColumnFamilyReading& family) {
    return reads_have_borne_level0(situation, family.name);
  });
}

// Past the middle between the delay and the stop, or half as many again as delay writes.
bool nears_stop(const ColumnFamilyReading& family) {
  if (!leaves_room(family)) return false;
  const std::uint64_t slowdown = *family.level0_slowdown_trigger;
  return 2 * family.levels[0].files >=
         slowdown + std::min(*family.level0_stop_trigger, 2 * slowdown);
}

bool is_wanted(const Situation& situation) {
  const Features& f = situation.features;
  return situation.loses_time || f.pending_ratio.value_or(0) >= kNearLimit ||
         situation.memtable_ratio.value_or(0) >= kNearMemtables ||
         std::any_of(f.column_families.begin(), f.column_families.end(), nears_stop);
}

}  // namespace

void SparedJobs::observe(const Situation& situation, const KnobReading& jobs) {
  const Nanoseconds now = situation.now;
  if (situation.stalled) stalled_at_ = now;
  full_seconds_ = full_.update(situation.device_loaded, now);
  const double idle_device = idle_device_.update(!situation.device_loaded, now);
  const double unsuited = unsuited_.update(!suits(situation), now);
  // Others' business from now on, and not to be taken up again at once when they are gone.
  if (fewer_ && are_shared(situation.features)) rest_.begin(now);
  fewer_ = is_lowered(jobs) && !are_shared(situation.features);
  if (!fewer_) return_.reset();
  if (!fewer_ || return_) return;
  if (is_wanted(situation)) {
    return_ = Return::kWanted;
  } else if (unsuited >= kUnsuitedSeconds) {
    return_ = Return::kUnsuited;
  } else if (idle_device >= kIdleDeviceSeconds) {
    return_ = Return::kIdleDevice;
  }
  if (return_) rest_.begin(now);
}

std::optional<std::int64_t> SparedJobs::fewer(const Situation& situation,
                                              const KnobReading& jobs) const {
  const bool free = (jobs.owner == KnobOwner::kFound || fewer_) && !are_shared(situation.features);
  if (!free || return_ || jobs.value <= kLeastJobs) return std::nullopt;
  // Whoever may have fewer than were found could not have them back.
  if (situation.budget.jobs_max.value_or(jobs.found) < jobs.found) return std::nullopt;
  if (!suits(situation) || !has_suited(situation) || full_seconds_ < kFullSeconds) {
    return std::nullopt;
  }
  const Nanoseconds now = situation.now;
  if (rest_.lasts(now) || within(stalled_at_, now, kStalledLatelySeconds)) return std::nullopt;
  if (is_wanted(situation) || situation.running_compactions.value_or(0) < kSeveral) {
    return std::nullopt;
  }
  const std::int64_t to =
      std::max(kLeastJobs, jobs.value - std::max<std::int64_t>(2, jobs.value / 3));
  const bool flushes_fit = situation.running_flushes.value_or(static_cast<double>(jobs.value)) <=
                           static_cast<double>(flush_slots(to));
  return flushes_fit ? std::optional(to) : std::nullopt;
}

}  // namespace rocktune
