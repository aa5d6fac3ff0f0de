#include "policy/soft_limits_loop.h"

#include <algorithm>
#include <vector>

#include "model/family_options.h"
#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/guard_limits.h"

namespace rocktune {
namespace {

constexpr double kSoftEvaluationSeconds = 30;
// A stop may end between two samples: who is so near to the limit was what it was for.
constexpr double kAtLimit = 0.9;
constexpr double kSoftComfortSeconds = 300;  // then what was found comes back
// RocksDB's defaults: options.h and advanced_options.h (4, 20 and 36 files; 64 and 256 GiB).
constexpr std::int64_t kPendingShare = 4;

// By what was found: by a limit that was lowered a tree that is large for good would never rest.
bool little_debt(const Features& f) {
  return std::all_of(
      f.column_families.begin(), f.column_families.end(), [&f](const ColumnFamilyReading& family) {
        const KnobReading* soft = f.knobs.find(knob::kSoftPending, family.name);
        const bool limited = soft != nullptr && soft->found > 0;
        const double limit = limited
                                 ? static_cast<double>(soft->found)
                                 : static_cast<double>(family.hard_pending_limit_bytes.value_or(0));
        if (!family.pending_compaction_bytes) return options_unread(family);
        return limit <= 0 ||
               static_cast<double>(*family.pending_compaction_bytes) < kComfortablePending * limit;
      });
}

bool at_level0_limit(const ColumnFamilyReading& family) {
  if (!family.level0_stop_trigger || *family.level0_stop_trigger == 0 || family.levels.empty()) {
    return false;
  }
  return level0_count(family) >= kAtLimit * static_cast<double>(*family.level0_stop_trigger);
}

bool at_pending_limit(const ColumnFamilyReading& family) {
  if (!family.hard_pending_limit_bytes || *family.hard_pending_limit_bytes == 0) return false;
  return static_cast<double>(family.pending_compaction_bytes.value_or(0)) >=
         kAtLimit * static_cast<double>(*family.hard_pending_limit_bytes);
}

// RocksDB's own proportion for this column family; absent where the limits are not known.
std::optional<std::int64_t> usual_level0(const ColumnFamilyReading& family) {
  if (!family.level0_compaction_trigger || !family.level0_stop_trigger) return std::nullopt;
  return static_cast<std::int64_t>(
      (*family.level0_compaction_trigger + *family.level0_stop_trigger) / 2);
}

std::optional<std::int64_t> usual_pending(const ColumnFamilyReading& family) {
  if (!family.hard_pending_limit_bytes) return std::nullopt;
  return static_cast<std::int64_t>(*family.hard_pending_limit_bytes) / kPendingShare;
}

std::optional<Proposal> propose_usual(const Situation& situation, const ColumnFamilyReading* family,
                                      std::string_view name,
                                      const std::optional<std::int64_t>& usual, double stopped) {
  const KnobReading* reading =
      family == nullptr ? nullptr : situation.features.knobs.find(name, family->name);
  if (reading == nullptr || !may_turn(*reading) || !usual || *usual < 1 ||
      reading->value <= *usual) {
    return std::nullopt;
  }
  Proposal out = propose(*reading, *usual, "soft_limit.even");
  out.reason = "writes were stopped " + text::percent(stopped) + " of the last 30 s (" +
               backlog_text(situation) + "), and a delay that begins at " +
               shown(*find_knob(name), reading->value) + " has too little room before the stop";
  out.expected = {"write_stopped", true, stopped, kSoftEvaluationSeconds};
  out.evidence = backlog_evidence(situation);
  return out;
}

}  // namespace

void SoftLimitsLoop::look(const Situation& situation) {
  const Features& f = situation.features;
  const bool counts = f.write_stopped.value_or(0) > 0 && !only_buffers_are_full(f);
  if (f.write_stopped) stops_.note(situation.now, counts ? 1 : 0);
  stops_.expire(situation.now);
  if (!counts) return;
  for (const ColumnFamilyReading& family : f.column_families) {
    if (at_level0_limit(family)) level0_ = Stopped{family.name, situation.now};
    if (at_pending_limit(family)) pending_ = Stopped{family.name, situation.now};
  }
}

std::optional<Proposal> SoftLimitsLoop::give_back(const Situation& situation) {
  const bool rests =
      situation.comfortable || (situation.comfortable_but_debt && little_debt(situation.features));
  const double rested = rest_.update(rests, situation.now);
  if (rested < kSoftComfortSeconds) return std::nullopt;
  std::vector<const KnobReading*> lowered;
  for (const KnobReading& reading : situation.features.knobs) {
    const bool soft = reading.name == knob::kL0Slowdown || reading.name == knob::kSoftPending;
    if (soft && reading.changeable && is_lowered(reading)) lowered.push_back(&reading);
  }
  if (lowered.empty()) return std::nullopt;
  const KnobReading& reading = *lowered[turn_++ % lowered.size()];
  Proposal out = propose(reading, reading.found, "soft_limit.returned");
  out.reason =
      "no backlog for " + text::duration(rested) + ": the next slowdown may be another one";
  out.expected = no_more_stalls(situation, kSoftEvaluationSeconds);
  return out;
}

std::optional<Proposal> SoftLimitsLoop::decide(const Situation& situation) {
  look(situation);
  if (auto back = give_back(situation)) return back;
  if (!stops_.holds()) return std::nullopt;
  const double stopped = stops_.share();
  const auto family = [&](const std::optional<Stopped>& seen) {
    const bool now = seen && within(seen->at, situation.now, StopPattern::kSeconds);
    return now ? family_of(situation.features, seen->column_family) : nullptr;
  };
  const ColumnFamilyReading* crowded = family(level0_);
  if (auto out =
          propose_usual(situation, crowded, knob::kL0Slowdown,
                        crowded == nullptr ? std::nullopt : usual_level0(*crowded), stopped)) {
    return out;
  }
  const ColumnFamilyReading* indebted = family(pending_);
  return propose_usual(situation, indebted, knob::kSoftPending,
                       indebted == nullptr ? std::nullopt : usual_pending(*indebted), stopped);
}

}  // namespace rocktune
