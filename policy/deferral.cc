#include "policy/deferral.h"

#include <algorithm>

namespace rocktune {
namespace {

// Of what passes on a full device. Two thirds: on one that had lost half of its speed reads were
// as fast with 0.6, but level 0 was full sooner (degrading-device, docs/results.md).
constexpr double kDeferredShare = 0.67;
// Nearly all: there reads took 32 ms with 0.93 of what passed, 192 with 1.03.
constexpr double kDueShare = 0.9;
constexpr double kDueShowsSeconds = 10;
// Reads are near their SLO from this share of it on, and far from it below that one.
constexpr double kNearSlo = 0.25, kFarFromSlo = 0.1;
constexpr double kNearSloSeconds = 2, kFarSeconds = 30;
// ...and take so many times as long as while the device had room: else there is little to gain.
constexpr double kSlowerThanFree = 3;
// Compactions run nearly all of the time: those that come in bursts are paced instead.
constexpr double kCompacts = 0.9, kCompactsSeconds = 4;
// What was there for less of the last 10 minutes is new.
constexpr double kMostFilled = 0.5, kLatelySeconds = 600;
// Level 0 rises with each flush and falls with each compaction: debt is due from so much of its
// limit on, now or in the mean of 10 s. A forecast alone says what is meant to come.
constexpr double kDueL0 = 0.85, kDueL0Mean = 0.7;

}  // namespace

void Deferral::observe(const Situation& situation) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  const Value& running = f.running_compactions;
  compacts_.note(now, running ? Value(std::min(1.0, *running)) : running);
  const bool compacts = compacts_.mean(kCompactsSeconds).value_or(0) >= kCompacts &&
                        compacts_.span_seconds() + f.interval_seconds >= kCompactsSeconds;
  const double slo_us = situation.objective.read_p99_seconds * 1e6;
  const double read_us = f.read_p99_us.value_or(0);
  const bool full = situation.device_saturated && compacts;
  const double free_us = free_p99_us_.mean(kLatelySeconds).value_or(read_us);
  const bool slow = full && situation.reads_seen && read_us >= kNearSlo * slo_us &&
                    read_us >= kSlowerThanFree * free_us;
  slow_seconds_ = slow_.update(slow, now);
  fast_seconds_ = fast_.update(read_us < kFarFromSlo * slo_us, now);
  // A deferral is there to make it less full.
  if (stage_ == Stage::kNone) filled_.add(now, full ? 1 : 0);
  if (!situation.device_saturated) free_p99_us_.note(now, f.read_p99_us);
  passed_ = situation.passed.value_or(0);
}

std::optional<double> Deferral::wanted(const Situation& situation) const {
  const bool rises = situation.writes_rise || situation.burst_begins;
  const bool is_new = filled_.mean(kLatelySeconds).value_or(1) < kMostFilled;
  const bool rests = within(due_at_, situation.now, rest_.seconds());
  const bool may = stage_ == Stage::kNone && situation.comfortable && is_new && !rises && !rests;
  if (!may || slow_seconds_ < kNearSloSeconds || !situation.passed) return std::nullopt;
  return kDeferredShare * *situation.passed;
}

void Deferral::begin(Nanoseconds now) {
  full_ = passed_;
  stage_ = Stage::kDeferred;
  rest_.went_back(now);
}

void Deferral::raised(Nanoseconds now) {
  if (stage_ == Stage::kNone) return;
  if (!has_room()) {
    rest_.wanted(now);
    due_at_ = now;
  }
  stage_ = Stage::kDue;
  raised_at_ = now;
}

void Deferral::end() {
  stage_ = Stage::kNone;
  raised_at_.reset();
}

bool Deferral::is_due(const Situation& situation) const {
  if (within(raised_at_, situation.now, kDueShowsSeconds)) return false;
  const Features& f = situation.features;
  return situation.piling || f.l0_ratio.value_or(0) >= kDueL0 ||
         situation.l0_ratio.value_or(0) >= kDueL0Mean ||
         f.pending_ratio.value_or(0) >= kNearLimit ||
         situation.memtable_ratio.value_or(0) >= kNearMemtables;
}

double Deferral::due_rate() const {
  return kDueShare * full_;
}

bool Deferral::has_room() const {
  return fast_seconds_ >= kFarSeconds;
}

}  // namespace rocktune
