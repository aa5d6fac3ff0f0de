#include "policy/write_size_loop.h"

#include <algorithm>
#include <cmath>

#include "model/knobs.h"
#include "model/text.h"
#include "model/write_stall.h"
#include "policy/memory.h"
#include "policy/others_work.h"

namespace rocktune {
namespace {

constexpr double kWriteSizeEvaluationSeconds = 15;
// The kernel splits what is larger than one command of the drive takes (often 128 KiB), but sends
// all of the pieces at once. 64 KiB gained reads no more (docs/control.md).
constexpr std::int64_t kSmallPieces = 128 << 10, kMostPieces = 8;
// Samples with background work: a change costs little and is judged afterwards, so that few will do
// to make one, and a few more to judge it.
constexpr std::size_t kLeastWork = 2, kLeastTrialWork = 6;
constexpr std::size_t kLeastUndisturbed = 6;  // without such work
// A write that takes the device this long, and this many times as long as a read.
constexpr double kLongWriteMs = 1, kWritesOverReads = 2;
// Others work where the device writes so many times what goes to this database's log.
constexpr double kOthersWrite = 4;
// A read comes while a piece is written already: it waits for half of one, and more behind several.
constexpr double kLeastWaitOfWrite = 0.5;
// Reads whose P99 is below this share of their objective are fast enough, whatever they wait for.
constexpr double kFastEnough = 0.1;
// While hardly anything is written few reads meet a write, and their P99 does not show how long
// they wait. It is enough then that it is so many times as high while there is work as while there
// is none, and that a write takes the device that share of the objective: in bulk reads will wait
// for several.
constexpr double kSlowerBesideWork = 2;
// Where fewer of the reads than these come to the device, a P99 is not what waits there.
constexpr double kLeastAtDevice = 0.01;
// Operations that a trial may cost, by reads that take so much longer in the mean; more only where
// it takes a third off their P99.
constexpr double kMostOperationsLost = 0.05, kWorthOperations = 2.0 / 3;
constexpr double kLeastTrialGain = 0.05, kSameLoadShare = 0.3;
// A gain that is seen at once is not waited for: load and device change in 30 s.
constexpr double kClearTrialGain = 0.2;
constexpr double kLongestTrialSeconds = 600;
// What a byte takes the device: above so many times what it took when the trial began, with pieces
// of the same size, it is the device that has changed, or who else uses it.
constexpr double kSameDeviceFactor = 1.5;
constexpr double kStalledTooLongSeconds = 5;
// A neighbour that was asked for smaller writes and is not any longer: its reads may come again, as
// they do once who asked has rested after a backlog (WriteSizeLoop::kBacklogRestSeconds).
constexpr double kUnaskedSeconds = 180;

// Flushes or compactions worked since the sample before, were it for less than the time between:
// this database's, or those of others on the same device. Reads wait for the pieces of whoever
// works, and only each can make its own smaller: rather before its turn comes than after.
bool works_in_background(const Features& f) {
  const double written =
      f.flush_bytes_per_second.value_or(0) + f.compaction_write_bytes_per_second.value_or(0);
  if (f.running_compactions.value_or(0) + f.running_flushes.value_or(0) + written > 0) return true;
  return shares_device(f) && f.device_write_await_ms.value_or(0) >= kLongWriteMs &&
         f.device_write_bytes_per_second.value_or(0) >=
             kOthersWrite * f.wal_bytes_per_second.value_or(0);
}

// One step there and one step back (model/knobs.cc: a factor of 8).
std::int64_t smallest_pieces(const KnobReading& reading) {
  return std::max(kSmallPieces, reading.found / kMostPieces);
}

// At most: the device's reads are those of compactions, too.
Value reads_at_device(const Features& f) {
  const Value reads = reads_and_seeks(f);
  if (!reads || *reads <= 0 || !f.device_read_iops) return std::nullopt;
  return *f.device_read_iops / *reads;
}

Value write_ms_per_byte(const Features& f) {
  const Value &await = f.device_write_await_ms, &iops = f.device_write_iops;
  const Value& bytes = f.device_write_bytes_per_second;
  if (!await || !iops || !bytes || *bytes <= 0) return std::nullopt;
  return *await * *iops / *bytes;
}

// On a full device who hands over more at a time has the larger share of it: what smaller pieces
// cost may be a backlog.
bool falls_behind(const Situation& situation) {
  return situation.device_loaded && situation.near_limit && situation.trouble &&
         !situation.deferred;
}

// Nothing that is raised brings a full device more. On a device of one's own larger pieces relieve
// few writers, and reads wait behind them: unless writers come first, only for those who stand
// still. Of one that is shared who hands over less at a time has the smaller part; where bytes
// count a delay that costs nobody any time is no reason all the same.
bool is_too_slow(const Situation& situation) {
  const bool relieved = situation.relief_comes;
  if (!situation.writers_first() && !shares_device(situation.features)) {
    return situation.stands_still && situation.loses_time && !relieved;
  }
  if (situation.bytes_count()) return situation.loses_time && !relieved;
  return (situation.stalled && !relieved) || falls_behind(situation);
}

// Smaller writes leave compactions a smaller share of a full device. Where writers come first
// level 0 has to be far from its limits.
bool would_stall(const Situation& situation) {
  return situation.stalled || falls_behind(situation) ||
         (situation.writers_first() && !situation.comfortable);
}

}  // namespace

void WriteSizeLoop::observe(const Situation& situation, const KnobReading& reading) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  const bool lowered = size_ && reading.value < *size_ && reading.owner == KnobOwner::kRocktune;
  // Smaller for a neighbour's reads: what a health check meets here does not judge it.
  const bool followed = lowered && offered_size_ == reading.value;
  if (followed) trial_.reset();
  if (const Value p99 = read_p99_.mean(kTrialSeconds); lowered && !followed && p99) {
    trial_ = Trial{now,
                   *p99,
                   read_mean_.mean(kTrialSeconds),
                   work_operations_.mean(kTrialSeconds),
                   operations_.mean(kWorkSeconds).value_or(0),
                   std::nullopt,
                   device_writes_.mean(kTrialSeconds)};
    for (Trend* trend : {&at_device_, &read_p99_, &write_ms_per_byte_, &write_await_, &read_await_,
                         &device_writes_, &operations_, &work_operations_, &read_mean_}) {
      trend->clear();
    }
  }
  const bool works = works_in_background(f);
  read_p99_.note(now, works ? f.read_p99_us : std::nullopt);
  write_ms_per_byte_.note(now, works ? write_ms_per_byte(f) : std::nullopt);
  write_await_.note(now, works ? f.device_write_await_ms : std::nullopt);
  read_await_.note(now, works ? f.device_read_await_ms : std::nullopt);
  at_device_.note(now, works ? reads_at_device(f) : std::nullopt);
  undisturbed_p99_.note(now, works ? std::nullopt : f.read_p99_us);
  device_writes_.note(now, works ? f.device_write_bytes_per_second : std::nullopt);
  Value operations;
  if (f.reads_per_second && f.writes_per_second) {
    operations = *f.reads_per_second + *f.writes_per_second;
  }
  // What stalls cost is no matter of the pieces.
  const bool compared = works && !situation.stalled;
  operations_.note(now, situation.stalled ? std::nullopt : operations);
  work_operations_.note(now, compared ? operations : std::nullopt);
  read_mean_.note(now, compared ? f.read_mean_us : std::nullopt);
  if (size_ && reading.value != *size_) offered_since_.reset();
  const bool rose = size_ && reading.value > *size_;
  if (rose) trial_.reset();
  if (rose && back_wish_.explains(now)) {
    if (wanted_back_.futile) rest_.begin(now);
    if (wanted_back_.too_slow) backlog_rest_.begin(now);
    if (wanted_back_.too_slow && !situation.writers_first()) relief_.enlarged(now);
  }
  if (size_ && reading.value < *size_) relief_.lowered(now);
  relief_.note(now, lost_share(f));
  if (lowered) follows_ = followed;
  // Smaller before this loop looked first: nobody knows any more whose reads that was tried for.
  if (!size_ && is_lowered(reading)) follows_ = true;
  if (reading.value >= reading.found) follows_ = false;
  size_ = reading.value;
}

WriteSizeLoop::Waits WriteSizeLoop::reads_wait_for_writes(const Situation& situation) const {
  const Value write = write_await_.mean(kWorkSeconds), read = read_await_.mean(kWorkSeconds);
  const Value p99 = read_p99_.mean(kWorkSeconds);
  const bool long_writes = write_await_.size() >= kLeastWork && read && *write >= kLongWriteMs &&
                           *write >= kWritesOverReads * *read;
  const bool elsewhere = at_device_.mean(kWorkSeconds).value_or(1) < kLeastAtDevice;
  if (!long_writes || !p99 || elsewhere) return Waits::kNo;
  const double p99_ms = *p99 / 1e3;
  const double fast_ms = kFastEnough * situation.objective.read_p99_seconds * 1e3;
  if (p99_ms >= kLeastWaitOfWrite * *write && p99_ms >= fast_ms) return Waits::kNow;
  const Value undisturbed = undisturbed_p99_.median(kWorkSeconds);
  const bool slower = undisturbed_p99_.size() >= kLeastUndisturbed && undisturbed &&
                      *p99 >= kSlowerBesideWork * *undisturbed;
  return slower && *write >= fast_ms ? Waits::kInBulk : Waits::kNo;
}

bool WriteSizeLoop::rests(Nanoseconds now) const {
  return rest_.lasts(now) || backlog_rest_.lasts(now);
}

std::optional<Proposal> WriteSizeLoop::lower(const Situation& situation,
                                             const KnobReading& reading) {
  const std::int64_t pieces = smallest_pieces(reading);
  const bool small = reading.value <= pieces;
  // At such polls nobody could tell what a trial gains.
  const bool sparse = situation.features.interval_seconds * kLeastTrialWork > kTrialSeconds;
  if (small || sparse || situation.settling || !situation.read_lately) return std::nullopt;
  if (rests(situation.now) || would_stall(situation)) return std::nullopt;
  const Waits waits = reads_wait_for_writes(situation);
  if (waits == Waits::kNo) return std::nullopt;
  offered_size_.reset();
  Proposal out = propose(reading, pieces, "write_size.reads");
  const double p99_us = read_p99_.mean(kWorkSeconds).value_or(0);
  const double write_ms = write_await_.mean(kWorkSeconds).value_or(0);
  const double read_ms = read_await_.mean(kWorkSeconds).value_or(0);
  const Value undisturbed = undisturbed_p99_.median(kWorkSeconds);
  const std::string pieces_text = text::bytes(static_cast<double>(reading.value));
  out.reason = std::string("while flushes or compactions run") +
               (shares_device(situation.features) ? ", here or beside this database," : "") +
               " a write takes the device " + text::microseconds(write_ms * 1e3) +
               ", and read P99 is " + text::microseconds(p99_us);
  out.reason += waits == Waits::kNow
                    ? ": reads wait behind the " + pieces_text + " that they write at a time"
                    : ", without them " + text::microseconds(undisturbed.value_or(0)) +
                          ": in bulk reads would wait behind several writes of " + pieces_text;
  // Judged over all of the time, in which there may be more such work than so far: no worse than
  // with it, or where there was hardly any, at no cost. What it gained is for the trial to tell.
  out.expected = waits == Waits::kNow
                     ? Expectation{"read_p99_us", true, p99_us, kWriteSizeEvaluationSeconds}
                     : no_more_stalls(situation, kWriteSizeEvaluationSeconds);
  out.evidence = {{"device_write_await_ms", write_ms, std::nullopt},
                  {"device_read_await_ms", read_ms, std::nullopt},
                  {"read_p99_us", p99_us, p99_slo_us(situation.objective, Side::kReads)}};
  return out;
}

// Otherwise it is not the pieces that a comparison tells of.
bool WriteSizeLoop::same_conditions(bool shared) const {
  const double operations = operations_.mean(kWorkSeconds).value_or(0);
  const bool same_load =
      std::fabs(operations - trial_->operations) <= kSameLoadShare * trial_->operations;
  const Value ms_per_byte = write_ms_per_byte_.mean(kWorkSeconds);
  const bool same_device = !ms_per_byte || !trial_->ms_per_byte ||
                           *ms_per_byte <= kSameDeviceFactor * *trial_->ms_per_byte;
  // More that others write is not seen in this database's load.
  const Value writes = device_writes_.mean(kTrialSeconds);
  const bool same_neighbours = !shared || !writes || !trial_->device_writes ||
                               *writes <= kSameDeviceFactor * *trial_->device_writes;
  return same_load && same_device && same_neighbours;
}

// Reads that wait for each other (a closed loop) come less often where each takes longer, however
// fast the slowest became. Where less is asked for they take no longer.
bool WriteSizeLoop::costs_operations() const {
  const Value operations = work_operations_.mean(kTrialSeconds);
  const Value takes = read_mean_.mean(kTrialSeconds);
  const Value &before = trial_->work_operations, &took = trial_->read_mean_us;
  if (!operations || !takes || !before || !took || read_mean_.size() < kLeastTrialWork) {
    return false;
  }
  const bool fewer = *operations < (1 - kMostOperationsLost) * *before;
  const bool longer = *takes > (1 + kMostOperationsLost) * *took;
  const bool worth_it = *read_p99_.mean(kTrialSeconds) <= kWorthOperations * trial_->read_p99_us;
  return fewer && longer && !worth_it;
}

bool WriteSizeLoop::gained_clearly() const {
  return !costs_operations() &&
         *read_p99_.mean(kTrialSeconds) <= (1 - kClearTrialGain) * trial_->read_p99_us;
}

bool WriteSizeLoop::gained_nothing(bool shared) const {
  const bool gained = *read_p99_.mean(kTrialSeconds) <= (1 - kLeastTrialGain) * trial_->read_p99_us;
  return same_conditions(shared) && (!gained || costs_operations());
}

std::string WriteSizeLoop::trial_text() const {
  const std::string compared =
      "while flushes or compactions run read P99 was " + text::microseconds(trial_->read_p99_us) +
      " and is " + text::microseconds(*read_p99_.mean(kTrialSeconds)) + " with smaller writes";
  if (!costs_operations()) return compared + ": they are not what reads wait for";
  return compared + ", for " + text::amount(*trial_->work_operations) +
         " operations/s before and " + text::amount(*work_operations_.mean(kTrialSeconds)) +
         " now: they cost more than they gain";
}

// Back to what was found: offered for a while, then what stands stays.
std::optional<Proposal> WriteSizeLoop::back(const Situation& situation,
                                            const KnobReading& reading) {
  const Nanoseconds now = situation.now;
  const bool ours = is_lowered(reading);
  const double stalled = stalled_.update(ours && is_too_slow(situation), now);
  if (!ours) return std::nullopt;
  if (trial_ && !trial_->ms_per_byte && write_ms_per_byte_.size() >= kLeastWork) {
    trial_->ms_per_byte = write_ms_per_byte_.mean(kTrialSeconds);
  }
  // Hardly any work to see in all that time: it does not matter.
  const bool endless = trial_ && seconds_between(trial_->tick, now) >= kLongestTrialSeconds;
  if (endless && !offered_since_) trial_.reset();
  const bool seen = trial_ && read_p99_.size() >= kLeastTrialWork;
  const bool settled = seen && seconds_between(trial_->tick, now) >= kWorkSeconds;
  if (settled && !offered_since_ && gained_clearly()) trial_.reset();
  const bool due = seen && trial_ && seconds_between(trial_->tick, now) >= kTrialSeconds;
  const bool futile = due && gained_nothing(shares_device(situation.features));
  const bool too_slow = stalled >= kStalledTooLongSeconds && !relief_.rests(now);
  if (due && !futile) trial_.reset();
  if (!futile && !too_slow) {
    offered_since_.reset();
    return std::nullopt;
  }
  // A stall is another reason than one for which nobody took it back.
  if (!offered_since_ || (too_slow && !wanted_back_.too_slow)) offered_since_ = now;
  wanted_back_ = {futile, too_slow};
  if (seconds_between(*offered_since_, now) >= kReturnOfferedSeconds) {
    trial_.reset();
    return std::nullopt;
  }
  Proposal out =
      propose(reading, reading.found, too_slow ? "write_size.backlog" : "write_size.futile");
  if (too_slow) {
    out.reason = backlog_text(situation) + ": flushes and compactions write in larger pieces again";
    out.expected = expect_relief(situation, kWriteSizeEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  out.reason = trial_text();
  out.expected = {"read_p99_us", true, read_p99_.mean(kTrialSeconds), kWriteSizeEvaluationSeconds};
  return out;
}

// Larger ones cost reads, and nobody gains; where writers come first any gain of theirs counts.
std::optional<Proposal> WriteSizeLoop::undo_relief(const Situation& situation,
                                                   const KnobReading& reading) const {
  const auto futile = relief_.futile(situation.now);
  const std::int64_t pieces = smallest_pieces(reading);
  if (!futile || reading.value <= pieces || situation.writers_first()) return std::nullopt;
  Proposal out = propose(reading, pieces, "write_size.unrelieved");
  out.reason = "writers lost " + text::percent(futile->before) + " of the time, and " +
               text::percent(futile->after) +
               " with larger pieces: it is not these that they wait for";
  out.evidence = backlog_evidence(situation);
  return out;
}

// As a neighbour who is read from has it, there and back; what its reads bear it finds out itself.
std::optional<Proposal> WriteSizeLoop::follow(const Situation& situation,
                                              const KnobReading& reading) {
  const Features& f = situation.features;
  const auto& asked = f.shared ? f.shared->write_size_max_bytes : Counter();
  const bool reads = situation.reads_seen;  // not for a health check
  const bool ours = is_lowered(reading);
  const bool left = ours && follows_ && !asked && !reads;
  const double unasked = unasked_.update(left, situation.now);
  // Who is read now finds out by itself what its reads bear, and does not ask others for a size
  // that it never tried.
  const bool own_way = ours && follows_ && reads;
  if (situation.stalled || ((reads || is_read(f)) && !own_way)) return std::nullopt;
  if (own_way || unasked >= kUnaskedSeconds) {
    Proposal out = propose(reading, reading.found, "write_size.neighbours");
    out.reason = own_way
                     ? "this database is read from now, and its reads were not seen to wait behind "
                       "writes: flushes and compactions write in pieces as found"
                     : "no reads of others on this device are known to wait behind writes any "
                       "longer: flushes and compactions write in pieces as found";
    out.expected = no_more_stalls(situation, kWriteSizeEvaluationSeconds);
    return out;
  }
  if (!asked || rests(situation.now) || would_stall(situation)) return std::nullopt;
  const std::int64_t size =
      std::max(smallest_pieces(reading), whole_bytes(static_cast<double>(*asked)));
  if (size >= reading.value) return std::nullopt;
  offered_size_ = size;
  Proposal out = propose(reading, size, "write_size.neighbours");
  out.reason = "the reads of a database on the same device wait behind writes of more than " +
               text::bytes(static_cast<double>(*asked)) + ": flushes and compactions here write " +
               text::bytes(static_cast<double>(size)) + " at a time, not " +
               text::bytes(static_cast<double>(reading.value));
  out.expected = no_more_stalls(situation, kWriteSizeEvaluationSeconds);
  if (f.device_read_await_ms) {
    out.evidence = {{"device_read_await_ms", *f.device_read_await_ms, std::nullopt}};
  }
  return out;
}

std::optional<Proposal> WriteSizeLoop::decide(const Situation& situation) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kWriteSize);
  const Nanoseconds time = looked_at_ ? situation.now - *looked_at_ : Nanoseconds{0};
  looked_at_ = situation.now;
  if (reading == nullptr) {  // nobody could take a trial back meanwhile
    if (trial_) trial_->tick += time;
    if (offered_since_) *offered_since_ += time;
    relief_.forget();
    return std::nullopt;
  }
  observe(situation, *reading);
  auto goes_back = back(situation, *reading);
  back_wish_.note(goes_back, situation.now);
  if (goes_back) return goes_back;
  if (auto undo = undo_relief(situation, *reading)) return undo;
  if (auto proposal = follow(situation, *reading)) return proposal;
  return lower(situation, *reading);
}

}  // namespace rocktune
