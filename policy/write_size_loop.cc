#include "policy/write_size_loop.h"

#include <algorithm>
#include <cmath>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kWriteSizeEvaluationSeconds = 15;
// The kernel splits what is larger than one command of the drive takes (often 128 KiB), but sends
// all of the pieces at once. 64 KiB gained reads no more (docs/control.md).
constexpr std::int64_t kSmallPieces = 128 << 10, kMostPieces = 8;
// A change costs little and is judged afterwards, and a burst of writes is short: a quick look will
// do.
constexpr double kLookSeconds = 3, kReadsWaitSeconds = 1;
// Flushes and compactions that run at a time, in the mean: short ones disturb, too.
constexpr double kLeastBackground = 0.25;
// A write that takes the device this long, and this many times as long as a read.
constexpr double kLongWriteMs = 1, kWritesOverReads = 2;
// Reads whose P99 is below this share of their objective are fast enough, whatever they wait for.
constexpr double kFastEnough = 0.1;
// New files have the new size, and the reads' P99 follows within so long.
constexpr double kJudgeTrialSeconds = 30;
constexpr double kLeastTrialGain = 0.05, kSameLoadShare = 0.3;
constexpr double kStalledTooLongSeconds = 5;
constexpr double kWriteSizeOfferedSeconds = 60;
constexpr double kLongestWriteSizeRest = 4 * 3600;

}  // namespace

void WriteSizeLoop::observe(const Situation& situation, const KnobReading& reading) {
  const Features& f = situation.features;
  if (f.read_p99_us) read_p99_.add(situation.now, *f.read_p99_us);
  if (f.device_write_await_ms) write_await_.add(situation.now, *f.device_write_await_ms);
  if (f.device_read_await_ms) read_await_.add(situation.now, *f.device_read_await_ms);
  if (f.running_compactions && f.running_flushes) {
    background_.add(situation.now, *f.running_compactions + *f.running_flushes);
  }
  if (f.reads_per_second && f.writes_per_second) {
    operations_.add(situation.now, *f.reads_per_second + *f.writes_per_second);
  }
  for (Trend* trend : {&read_p99_, &write_await_, &read_await_, &background_, &operations_})
    trend->expire(situation.now);
  const bool lowered = size_ && reading.value < *size_ && reading.owner == KnobOwner::kRocktune;
  if (const Value p99 = read_p99_.median(kLookSeconds); lowered && p99) {
    trial_ = Trial{situation.now, *p99, operations_.mean(10).value_or(0)};
  }
  if (size_ && reading.value != *size_) offered_since_.reset();
  if (size_ && reading.value > *size_) trial_.reset();
  size_ = reading.value;
}

bool WriteSizeLoop::reads_wait_for_writes(const Situation& situation) const {
  const Value write = write_await_.mean(kLookSeconds), read = read_await_.mean(kLookSeconds);
  const Value p99 = read_p99_.median(kLookSeconds);
  const bool writes = background_.mean(kLookSeconds).value_or(0) >= kLeastBackground;
  const bool long_writes =
      write && read && *write >= kLongWriteMs && *write >= kWritesOverReads * *read;
  if (!writes || !long_writes) return false;
  const auto& shared = situation.features.shared;
  const bool others_read = shared && shared->device_members > 1 && situation.device_loaded;
  if (!p99) return others_read;
  const double p99_ms = *p99 / 1e3;
  const double fast_ms = kFastEnough * situation.objective.read_p99_seconds * 1e3;
  return p99_ms >= *write && p99_ms >= fast_ms;
}

std::optional<Proposal> WriteSizeLoop::lower(const Situation& situation,
                                             const KnobReading& reading) {
  const bool resting = failed_at_ && seconds_between(*failed_at_, situation.now) < rest_seconds_;
  const double waited = wait_.update(reads_wait_for_writes(situation), situation.now);
  // One step there and one step back (model/knobs.cc: a factor of 8).
  const std::int64_t pieces = std::max(kSmallPieces, reading.found / kMostPieces);
  const bool small = reading.value <= pieces;
  if (small || resting || waited < kReadsWaitSeconds || situation.stalled) return std::nullopt;
  Proposal out = propose(reading, pieces, "write_size.reads");
  const double p99_us = read_p99_.median(kLookSeconds).value_or(0);
  const double write_ms = write_await_.mean(kLookSeconds).value_or(0);
  const double read_ms = read_await_.mean(kLookSeconds).value_or(0);
  const bool own_reads = p99_us > 0;
  out.reason = "a write takes the device " + text::microseconds(write_ms * 1e3) + ", and " +
               (own_reads ? "read P99 is " + text::microseconds(p99_us) + ": reads"
                          : "a read " + text::microseconds(read_ms * 1e3) +
                                ": the reads of the databases beside this one") +
               " wait behind the " + text::bytes(static_cast<double>(reading.value)) +
               " that flushes and compactions write at a time";
  out.expected =
      own_reads ? Expectation{"read_p99_us", true, p99_us, kWriteSizeEvaluationSeconds}
                : Expectation{"device_read_await_ms", true, read_ms, kWriteSizeEvaluationSeconds};
  out.evidence = {{"device_write_await_ms", write_ms, std::nullopt},
                  {"device_read_await_ms", read_ms, std::nullopt}};
  if (own_reads) {
    out.evidence.push_back({"read_p99_us", p99_us, situation.objective.read_p99_seconds * 1e6});
  }
  return out;
}

bool WriteSizeLoop::gained_nothing(const Situation& situation) const {
  if (!trial_ || !situation.read_p99_us) return false;
  const double operations = operations_.mean(10).value_or(0);
  const bool same_load =
      std::fabs(operations - trial_->operations) <= kSameLoadShare * trial_->operations;
  return same_load && *situation.read_p99_us > (1 - kLeastTrialGain) * trial_->read_p99_us;
}

// Back to what was found: offered for a while, then what stands stays.
std::optional<Proposal> WriteSizeLoop::back(const Situation& situation,
                                            const KnobReading& reading) {
  const Nanoseconds now = situation.now;
  const bool ours = reading.owner == KnobOwner::kRocktune && reading.value < reading.found;
  const double stalled = stalled_.update(ours && situation.stalled && !situation.relief_comes, now);
  if (!ours) return std::nullopt;
  // Reads that are fast because nothing is written say nothing.
  const bool writes = background_.mean(kLookSeconds).value_or(0) >= kLeastBackground;
  const bool due = writes && trial_ && seconds_between(trial_->tick, now) >= kJudgeTrialSeconds;
  const bool futile = due && gained_nothing(situation);
  const bool too_slow = stalled >= kStalledTooLongSeconds;
  if (due && !futile) trial_.reset();
  if (!futile && !too_slow) {
    offered_since_.reset();
    return std::nullopt;
  }
  if (!offered_since_) {
    if (failed_at_) rest_seconds_ = std::min(2 * rest_seconds_, kLongestWriteSizeRest);
    offered_since_ = failed_at_ = now;
  }
  if (seconds_between(*offered_since_, now) >= kWriteSizeOfferedSeconds) {
    trial_.reset();
    return std::nullopt;
  }
  Proposal out =
      propose(reading, reading.found, too_slow ? "write_size.backlog" : "write_size.futile");
  if (too_slow) {
    out.reason = situation.backlog_text + ": flushes and compactions write in larger pieces again";
    out.expected = expect_relief(situation, kWriteSizeEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  out.reason = "read P99 was " + text::microseconds(trial_->read_p99_us) + " and is " +
               text::microseconds(*situation.read_p99_us) +
               " with smaller writes: they are not what reads wait for";
  out.expected = {"read_p99_us", true, *situation.read_p99_us, kWriteSizeEvaluationSeconds};
  return out;
}

std::optional<Proposal> WriteSizeLoop::decide(const Situation& situation) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kWriteSize);
  if (reading == nullptr) return std::nullopt;
  observe(situation, *reading);
  if (auto proposal = back(situation, *reading)) return proposal;
  return lower(situation, *reading);
}

}  // namespace rocktune
