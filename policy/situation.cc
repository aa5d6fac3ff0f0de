#include "policy/situation.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/cpu_use.h"
#include "model/knobs.h"
#include "model/write_stall.h"
#include "policy/memory.h"
#include "policy/others_work.h"

namespace rocktune {
namespace {

// Below these shares of its limit L0 slows nobody down, neither writes nor, through the files that
// each read has to look into, reads.
constexpr double kComfortableL0 = 0.4, kMostRestingL0 = 0.6;
// Writers stand still for longer than memtables that are full for a moment, or for half of a time
// in which compactions of seconds come and go.
constexpr double kStoppedSeconds = 1, kStandsStill = 0.5, kStandsStillSeconds = 30;
// Above this share of its rate, in the mean or at a peak, a limiter makes background work wait.
constexpr double kBindingMean = 0.7;
constexpr double kBindingPeak = 0.9;
// Pending bytes are to be worked off within this time, besides what comes in.
constexpr double kDrainSeconds = 120;
// ...and at the present rate they may at most take this long.
constexpr double kPilingSeconds = 60;
// ...and is an eighth of what delays writes, or has risen by a tenth above its mean of a minute: a
// tree of terabytes always has more waiting than a minute's work, and stands still at that.
constexpr double kPilingShare = 0.125, kPilingGrowth = 1.1;
constexpr double kMostAmplification = 50;
constexpr double kMostCharged = 4;  // of a limiter that reads pass: more are the foreground's
constexpr double kRisenWrites = 1.15, kRisenAtOnce = 1.5;
// Flushes are counted as they end, and compactions come in turns: over less time than this nobody
// knows what writes cost.
constexpr double kAmplificationSettles = 30;
constexpr double kCallsSeconds = 10;
// A share of the device's limits from which background I/O is felt by reads.
constexpr double kInterferenceShare = 0.5;
// Reads that take the device so many times as long as at its idlest, and this long at least, which
// no idle flash needs; half as long again where so many requests are in flight. A device that has
// been slower than that all the time was never seen idle, or is no flash: there they have to be.
constexpr double kLoadedAwait = 4, kQueuedAwait = 1.5, kLoadedAwaitMs = 1, kLoadedQueue = 3;
// Of what its control group may do in 5 s: mild-pressure on a throttled loop device stood at 0.98
// to 1.03 of it for as long as requests waited there.
constexpr double kAtIoLimit = 0.9;
// Seconds that readings have to cover, each its own interval too; and the reads a second of which
// an await is no accident.
constexpr double kLoadedSeconds = 4.5, kFewestReads = 10;
// ...and what it looks like at once, where a mistake costs a few seconds of waiting.
constexpr double kLooksLoadedSeconds = 1.5;
// Writes that are slow for so much of the time are slow.
constexpr double kOftenSlow = 1.0 / 3;
// Ours: the share of all CPUs from which background work is felt, and how many of a process's own
// have to be idle (of few a share), or one more thread of it takes most of its time from the
// others: with 0.1 to 0.3 of two it did (docs/results.md, "Where CPUs are short").
constexpr double kCpuShort = 0.9, kFewIdleCpus = 0.5, kFewIdleShare = 0.25;
// Who was read within this time is read from, if it was for longer than a health check takes. Who
// was not since it was seen first, for so long, is not; for so long nobody counts reads before that
// says anything.
constexpr double kReadLatelySeconds = 60, kLeastReadSeconds = 1.2, kNeverReadSeconds = 10;
// Level 0 from this share of its slowdown trigger on is no moment between two compactions.
constexpr double kNearlyFullL0 = 0.75;

const Indicator* find(const std::vector<Indicator>& indicators, IndicatorKind kind) {
  for (const Indicator& indicator : indicators) {
    if (indicator.kind == kind && indicator.valid) return &indicator;
  }
  return nullptr;
}

// By forecasts that have come true before.
bool foresees_slow(const std::vector<Indicator>& indicators, std::string_view cause) {
  const Indicator* p99 = find(indicators, IndicatorKind::kP99);
  return p99 != nullptr && p99->calibrated && p99->cause == cause && p99->state != AlertState::kOk;
}

// What headroom itself lets level 0 gather beyond what was found, as a share of its slowdown: of
// the column family that is nearest to its own.
double gathered_l0(const Features& f) {
  const KnobReading* trigger = f.knobs.find(knob::kL0Trigger, f.l0_column_family);
  if (trigger == nullptr || trigger->owner != KnobOwner::kRocktune) return 0;
  const auto more = static_cast<double>(std::max<std::int64_t>(trigger->value - trigger->found, 0));
  return f.l0_slowdown_files.value_or(0) > 0 ? more / *f.l0_slowdown_files : 0;
}

// Level 0 rests below its compaction trigger, which may be near the slowdown trigger: of the column
// family that is nearest to its own.
double resting_l0(const Features& f) {
  for (const ColumnFamilyReading& family : f.column_families) {
    const auto slowdown = static_cast<double>(family.level0_slowdown_trigger.value_or(0));
    const auto trigger = static_cast<double>(family.level0_compaction_trigger.value_or(0));
    const bool worst = family.name == f.l0_column_family;
    if (worst && slowdown > 0) return std::min((trigger + 1) / slowdown, kMostRestingL0);
  }
  return 0;
}

std::string worst_cause(const Features& f, const Value& memtable_ratio) {
  std::array<std::pair<const char*, double>, 3> parts{{
      {"l0", f.l0_ratio.value_or(-1)},
      {"memtables", memtable_ratio.value_or(-1)},
      {"pending_bytes", f.pending_ratio.value_or(-1)},
  }};
  auto worst = std::max_element(parts.begin(), parts.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; });
  return worst->second < 0 ? "" : worst->first;
}

}  // namespace

bool backlog_warns(const std::vector<Indicator>& indicators) {
  const Indicator* backlog = find(indicators, IndicatorKind::kCompactionBacklog);
  return backlog != nullptr && backlog->state != AlertState::kOk;
}

double Held::update(bool condition, Nanoseconds now) {
  const bool gap = gaps_.look(now) > 0;
  if (gap) since_.reset();
  if (!condition) {
    since_.reset();
    return 0;
  }
  if (!since_) since_ = now;
  return seconds_between(*since_, now);
}

void Observer::add(const Features& f) {
  Nanoseconds now = f.at.tick;
  if (f.limiter_rate != limiter_rate_) limiter_use_.clear();  // the use of another rate
  limiter_rate_ = f.limiter_rate;
  passed_.note(now, f.limiter_bytes_per_second);
  flushed_.note(now, f.flush_bytes_per_second);
  limiter_use_.note(now, f.limiter_use_ratio);
  written_.note(now, f.user_write_bytes_per_second);
  waiting_.note(now, f.total_pending_bytes);
  reads_.note(now, f.reads_per_second);
  seeks_.note(now, f.seeks_per_second);
  background_.note(now, background_writes(f));
  stalled_.note(now, lost_share(f));
  stalled_long_.note(now, lost_share(f));
  l0_.note(now, f.l0_ratio);
  memtables_.note(now, f.memtable_ratio);
  read_p99_.note(now, f.read_p99_us);
  queue_.note(now, f.device_queue);
  await_.note(now, f.device_read_await_ms);
  io_limit_.note(now, f.io_limit_use_ratio);
  compactions_.note(now, f.running_compactions);
  flushes_.note(now, f.running_flushes);
  cpu_.note(now, cpu_use(f));
  own_idle_cpus_.note(now, own_idle_cpus(f));
  memory_.observe(f);
}

// What passes the limiter for each byte that background work writes: 1 where reads do not, or where
// other databases' bytes may.
double Observer::charged(const Features& f, double background) const {
  const KnobReading* limiter = changeable_knob(f, knob::kRateLimit);
  const bool own = limiter != nullptr && limiter->min < limiter->max;
  const Value passed = passed_.mean(60);
  if (f.limiter_limits_reads.value_or(0) == 0 || !own || !passed || background <= 0) return 1;
  return std::clamp(*passed / background, 1.0, kMostCharged);
}

void Observer::judge_backlog(const PolicyInput& input, Situation& out) {
  const Features& f = input.features;
  const Indicator* backlog = find(input.indicators, IndicatorKind::kCompactionBacklog);
  out.stalled_ratio = stalled_.mean(3);
  out.memtable_ratio = memtables_.mean(5);
  out.l0_ratio = l0_.mean(10);
  out.stalled = writes_stall(f) || out.stalled_ratio.value_or(0) >= kStalledOver3s ||
                (backlog != nullptr && backlog->event);
  out.loses_time = out.stalled && (f.write_stopped.value_or(0) > 0 ||
                                   out.stalled_ratio.value_or(1) >= kStalledOver3s);
  const double stopped = stopped_.update(f.write_stopped.value_or(0) > 0, out.now);
  const bool long_enough = stalled_long_.span_seconds() + f.interval_seconds >= kStandsStillSeconds;
  out.stands_still =
      stopped >= kStoppedSeconds ||
      (long_enough && stalled_long_.mean(kStandsStillSeconds).value_or(0) >= kStandsStill);
  const bool warns = backlog_warns(input.indicators);
  out.trouble = out.stalled || warns;
  const double level0 = f.l0_ratio.value_or(0);
  const bool debt_near = f.pending_ratio.value_or(0) >= kNearLimit;
  // One of two memtables is always being filled or flushed.
  const double memtables = out.memtable_ratio.value_or(0);
  const bool seen = level0 >= kNearLimit || debt_near || memtables >= kNearLimit;
  const bool others_near = debt_near || memtables >= kNearMemtables;
  out.near_limit = level0 >= kNearLimit || others_near;
  out.stays_near_limit = others_near || level0 >= kNearlyFullL0 ||
                         (level0 >= kNearLimit && out.l0_ratio.value_or(0) >= kNearLimit);
  out.forecast_only = warns && !out.stalled && !seen && !backlog->calibrated;
  // What is not known may be what is full.
  out.backlog_known = f.l0_ratio && f.pending_bytes && f.immutable_memtables;
  const double resting = std::max(kComfortableL0 + gathered_l0(f), resting_l0(f));
  const bool low =
      f.l0_ratio.value_or(1) < resting && out.memtable_ratio.value_or(0) < kNearMemtables;
  out.comfortable_but_debt = out.backlog_known && low && !out.trouble;
  const bool little_debt = f.pending_ratio.value_or(0) < kComfortablePending;
  out.far_from_limits = out.backlog_known && low && little_debt && !out.stalled;
  out.comfortable = out.far_from_limits && !out.trouble;
  out.comfortable_seconds = comfort_.update(out.comfortable, out.now);
  out.backlog_cause =
      warns && !backlog->cause.empty() ? backlog->cause : worst_cause(f, out.memtable_ratio);
}

void Observer::judge_background(const Features& f, Situation& out) const {
  out.passed = passed_.mean(5);
  out.passed_peak = passed_.largest(60);
  const Value flushed = flushed_.mean(30), beside = passed_.mean(30);
  if (flushed && beside.value_or(0) > 0) out.flush_share = *flushed / *beside;
  if (f.limiter_rate) {
    out.limiter_use = limiter_use_.mean(3);
    bool mean_binds = out.limiter_use.value_or(0) >= kBindingMean;
    bool peak_binds = limiter_use_.largest(3).value_or(0) >= kBindingPeak;
    if (peak_binds && !mean_binds) out.limiter_use = limiter_use_.largest(3);
    out.binding = mean_binds || peak_binds;
    const double waiting = f.total_pending_bytes.value_or(0);
    const bool counts = f.pending_ratio.value_or(1) >= kPilingShare ||
                        waiting > kPilingGrowth * waiting_.mean(60).value_or(waiting);
    out.piling =
        out.binding && waiting / *f.limiter_rate > kPilingSeconds && counts && !out.base_lowered;
  }
  out.written = written_.mean(3);
  Value written = written_.mean(60), background = background_.mean(60), now = written_.mean(10);
  if (written && background && now) {
    double amplification = *written > 0 ? *background / *written : 1;
    const bool settled = written_.span_seconds() >= kAmplificationSettles;
    if (*written > 0 && settled) out.write_amplification = amplification;
    out.writes_rise = *now > kRisenWrites * *written;
    out.burst_begins = out.written.value_or(0) > kRisenAtOnce * *now;
    const double writes = *now * std::clamp(amplification, 1.0, kMostAmplification) +
                          f.total_pending_bytes.value_or(0) / kDrainSeconds;
    out.charged = charged(f, *background);
    out.need = writes * out.charged;
  }
  const Value most{out.budget.write_amplification_max};
  out.wasteful = out.objective.first == Priority::kWriteAmplification ||
                 (most && out.write_amplification && *out.write_amplification > *most);
  out.running_compactions = compactions_.mean(3);
  out.running_flushes = flushes_.mean(3);
  out.cpu_busy_ratio = cpu_.mean(5);
}

void Observer::look_for_reads(const Features& f, Situation& out) {
  if (!seen_since_) seen_since_ = out.now;
  if (is_read(f)) {
    if (!within(read_at_, out.now, kReadLatelySeconds)) read_seconds_ = 0;
    read_seconds_ += f.interval_seconds;
    read_at_ = out.now;
  }
  out.unread_seconds = unread_.update(reads_and_seeks(f) && !is_read(f), out.now);
  out.reads_seen =
      read_seconds_ >= kLeastReadSeconds && within(read_at_, out.now, kReadLatelySeconds);
  const bool missing = !reads_and_seeks(f) && f.interval_seconds > 0;  // the first has no rates
  if (uncounted_.update(missing, out.now) >= kNeverReadSeconds) uncounted_at_ = out.now;
  out.read_lately = out.reads_seen || within(seen_since_, out.now, kNeverReadSeconds) ||
                    within(uncounted_at_, out.now, kReadLatelySeconds);
  out.read_misses = read_misses_.look(f);
  misses_.note(out.now, out.read_misses);
  out.mean_read_misses = misses_.mean(10);
  all_reads_.note(out.now, reads_and_seeks(f));
  out.mean_reads = all_reads_.mean(10);
}

// By the means of so many seconds.
bool Observer::device_is_slow(double seconds) const {
  const Value await = await_.mean(seconds);
  if (!await || *await < kLoadedAwaitMs) return false;
  const double light = light_await_.least().value_or(*await);
  const bool seen_idle = light < kLoadedAwaitMs;
  const bool queues_up = queue_.mean(seconds).value_or(0) >= kLoadedQueue &&
                         (!seen_idle || *await >= kQueuedAwait * light);
  return queues_up || (seen_idle && *await >= kLoadedAwait * light);
}

// What waits there the device does not see.
bool Observer::at_io_limit(double seconds) const {
  return io_limit_.mean(seconds).value_or(0) >= kAtIoLimit;
}

void Observer::judge_device(const Features& f, bool compacts, Situation& out) {
  const auto covers = [&](const Trend& trend) {
    return trend.span_seconds() + f.interval_seconds >= kLoadedSeconds;
  };
  const Value await = await_.mean(5);
  if (await && covers(await_) && f.device_read_iops.value_or(kFewestReads) >= kFewestReads) {
    light_await_.note(out.now, *await);
  }
  const bool loaded =
      (covers(await_) && device_is_slow(5)) || (covers(io_limit_) && at_io_limit(5));
  out.device_loaded = compacts && loaded;
  out.looks_loaded =
      out.device_loaded || device_is_slow(kLooksLoadedSeconds) || at_io_limit(kLooksLoadedSeconds);
}

void Observer::judge_reads(const PolicyInput& input, Situation& out) {
  const Features& f = input.features;
  look_for_reads(f, out);
  out.read_p99_us = read_p99_.median(5);
  // Of a health check nobody waits.
  out.reads_slow = out.read_lately && out.read_p99_us &&
                   *out.read_p99_us > p99_slo_us(input.objective, Side::kReads);
  const bool foreseen = out.read_lately && foresees_slow(input.indicators, "read");
  out.reads_slow_seconds = slow_reads_.update(out.reads_slow, out.now);
  out.reads_threatened_seconds = threatened_reads_.update(out.reads_slow || foreseen, out.now);
  bool queues =
      queue_.mean(5).value_or(0) >= kInterferenceShare * input.objective.device_queue_limit;
  bool waits = await_.mean(5).value_or(0) >=
               kInterferenceShare * input.objective.device_await_limit_seconds * 1e3;
  bool compacts = compactions_.mean(5).value_or(0) >= 0.5;
  out.device_busy = queues || waits;
  out.interference = compacts && (out.device_busy || at_io_limit(5));
  const Indicator* device = find(input.indicators, IndicatorKind::kDeviceSaturation);
  // Seen, or foreseen by what has learnt from enough events: else nothing moves for it.
  const bool saturated = device != nullptr && device->state != AlertState::kOk &&
                         (device->event || device->calibrated);
  const bool cpus_short = cpu_.mean(5).value_or(0) >= kCpuShort;
  judge_device(f, compacts, out);
  const double near_slo_us = kNearSlo * p99_slo_us(input.objective, Side::kReads);
  const Value own_idle = own_idle_cpus_.mean(kLooksLoadedSeconds);
  const double few_idle = std::min(kFewIdleCpus, kFewIdleShare * own_cpus(f).value_or(0));
  const bool cpus_taken =
      cpu_.mean(kLooksLoadedSeconds).value_or(0) >= kCpuShort || (own_idle && *own_idle < few_idle);
  const bool works = compactions_.mean(3).value_or(0) >= 0.5;
  out.reads_lack_cpu = input.objective.first == Priority::kReadP99 && out.reads_seen && works &&
                       cpus_taken && read_p99_.mean(kLooksLoadedSeconds).value_or(0) >= near_slo_us;
  const bool costs_reads = out.looks_loaded || out.reads_lack_cpu;
  out.workers_help =
      costs_reads ? out.stands_still : out.stalled || (out.trouble && out.stays_near_limit);
  // What it writes is what reads of others on the device wait for.
  const bool writes = background_.mean(10).value_or(0) > 0;
  const bool others_wait = f.shared && f.shared->write_size_max_bytes && writes && !out.read_lately;
  out.device_saturated = compacts && saturated;
  out.pressed = out.interference || others_wait || out.device_saturated || (compacts && cpus_short);
}

void Observer::judge_writes(const PolicyInput& input, Situation& out) {
  const Features& f = input.features;
  writes_.note(out.now, f.writes_per_second);
  if (writes_.span_seconds() + f.interval_seconds >= kCallsSeconds)
    out.calls = {reads_.mean(kCallsSeconds), seeks_.mean(kCallsSeconds),
                 writes_.mean(kCallsSeconds)};
  out.writes_seen = writes_.mean(kSlowWritesSeconds).value_or(0) >= kLeastOperationsPerSecond;
  Value is_slow;
  if (out.writes_seen && !out.stalled && f.write_p99_us) {
    out.unstalled_write_p99_us = f.write_p99_us;
    is_slow = *f.write_p99_us > p99_slo_us(input.objective, Side::kWrites) ? 1 : 0;
  }
  write_p99_.note(out.now, out.unstalled_write_p99_us);
  write_is_slow_.note(out.now, is_slow);
  out.write_p99_us = write_p99_.mean(kSlowWritesSeconds);
  const bool long_enough =
      write_is_slow_.span_seconds() + f.interval_seconds >= kSlowWritesSeconds / 2;
  const bool waits = out.writes_seen && !out.stalled;
  out.writes_slow =
      waits && long_enough && write_is_slow_.mean(kSlowWritesSeconds).value_or(0) >= kOftenSlow;
  const bool foreseen = waits && foresees_slow(input.indicators, "write");
  out.writes_threatened_seconds = threatened_writes_.update(out.writes_slow || foreseen, out.now);
}

void LeastOfDay::note(Nanoseconds now, double value) {
  const auto hour = std::chrono::floor<std::chrono::hours>(now).count();
  if (hours_.empty() || hours_.back().first != hour) hours_.emplace_back(hour, value);
  hours_.back().second = std::min(hours_.back().second, value);
  while (hours_.front().first + kHours <= hour) hours_.pop_front();
}

Value LeastOfDay::least() const {
  Value least;
  for (const auto& [hour, value] : hours_) least = std::min(least.value_or(value), value);
  return least;
}

Situation Observer::observe(const PolicyInput& input) {
  Situation out(input);
  add(input.features);
  judge_backlog(input, out);
  out.base_lowered = lowered_base_.update(input.features);
  judge_background(input.features, out);
  judge_reads(input, out);
  judge_writes(input, out);
  out.memory_short = memory_.is_short();
  out.memory_low = memory_.is_low();
  out.memory_pressure = memory_.pressure();
  out.memory_free = memory_.least_free();
  return out;
}

const ColumnFamilyReading* family_of(const Features& f, std::string_view column_family) {
  for (const ColumnFamilyReading& family : f.column_families) {
    if (family.name == column_family) return &family;
  }
  return nullptr;
}

const KnobReading* changeable_knob(const Features& features, std::string_view name,
                                   std::string_view column_family) {
  const KnobReading* reading = features.knobs.find(name, column_family);
  return reading != nullptr && reading->changeable ? reading : nullptr;
}

}  // namespace rocktune
