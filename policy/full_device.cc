#include "policy/full_device.h"

#include <algorithm>

namespace rocktune {
namespace {

// Ours: reads take so many times as long as while the device had room: else there is little to
// gain.
constexpr double kSlowerThanFree = 3;
constexpr double kLongestSlowLook = 1;
// Compactions run most of the time: those that come in bursts are paced instead. A pause that one
// or two looks fall into ends nothing (with 0.9 a full device was answered 2 s later, once 7,
// and in a run on RocksDB 11.8 not at all).
constexpr double kCompacts = 0.75, kCompactsSeconds = 4;
// What was there for less of the last 10 minutes, of which something is known, is new.
constexpr double kMostFilled = 0.5, kLatelySeconds = 600, kLeastLatelySeconds = 10;
constexpr double kLookBackSeconds = 1.9;

}  // namespace

// Of work that is not seen here it is known by the device alone, which has to take long for reads.
bool FullDevice::is_full(const Situation& situation) const {
  return work_ == Work::kOwn ? situation.device_saturated : situation.looks_loaded;
}

// Others' are taken for running while the device is full.
Value FullDevice::running(const Situation& situation) const {
  return work_ == Work::kOwn ? situation.features.running_compactions : Value(1);
}

void FullDevice::look_back(const Situation& situation, bool limited) {
  const Nanoseconds now = situation.now;
  if (within(looked_back_, now, kLookBackSeconds)) return;
  looked_back_ = now;
  // A limit is there to make it less full; what was seen before it counts as long as it lasts.
  if (limited) return;
  filled_.add(now, fills_ ? 1 : 0);
  written_.note(now, situation.written);
  // Of a device that is not read nobody knows.
  const bool has_room = situation.features.device_queue && !is_full(situation);
  free_p99_us_.note(now, has_room ? situation.features.read_p99_us : std::nullopt);
}

void FullDevice::observe(const Situation& situation, bool limited) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  const Value work = running(situation);
  compacts_.note(now, work ? Value(std::min(1.0, *work)) : work);
  const bool compacts = compacts_.mean(kCompactsSeconds).value_or(0) >= kCompacts &&
                        compacts_.span_seconds() + f.interval_seconds >= kCompactsSeconds;
  fills_ = is_full(situation) && compacts;
  look_back(situation, limited);
  const double slo_us = p99_slo_us(situation.objective, Side::kReads);
  const Value& read_us = f.read_p99_us;
  const Value free_us = free_p99_us_.median(kLatelySeconds);
  const bool slow = situation.reads_seen && read_us && *read_us >= kNearSlo * slo_us && free_us &&
                    *read_us >= kSlowerThanFree * *free_us;
  time_slow_reads(situation, slow);
}

// What reads take beside a pause of compactions says nothing, neither way: only what they took
// between two looks that both saw some run counts.
void FullDevice::time_slow_reads(const Situation& situation, bool slow) {
  const Features& f = situation.features;
  const bool gap = gaps_.look(situation.now) > 0;
  const bool runs = running(situation).value_or(0) > 0;
  const bool judged = runs && ran_ && !gap;
  ran_ = runs;
  slow_beside_ = is_full(situation) && judged && slow;
  if (gap || !is_full(situation) || (judged && !slow)) {
    slow_seconds_ = 0;
    slow_p99_us_.clear();
  }
  if (!slow_beside_) return;
  slow_seconds_ += std::min(f.interval_seconds, kLongestSlowLook);
  slow_p99_us_.note(situation.now, f.read_p99_us);
}

double FullDevice::slow_p99_us() const {
  return slow_p99_us_.mean(kCompactsSeconds).value_or(0);
}

bool FullDevice::is_new() const {
  return filled_.span_seconds() >= kLeastLatelySeconds &&
         filled_.mean(kLatelySeconds).value_or(1) < kMostFilled;
}

double FullDevice::most_written() const {
  return written_.largest(kLatelySeconds).value_or(0);
}

}  // namespace rocktune
