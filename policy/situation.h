// Situation: what the headroom policy's loops look at, smoothed over a few seconds, so that all of
// them judge by the same picture. Observer keeps the history that it takes. docs/control.md
// explains the terms. Pure; bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/trend.h"
#include "policy/gaps.h"
#include "policy/lowered_base.h"
#include "policy/memory.h"
#include "policy/policy.h"
#include "policy/side.h"

namespace rocktune {

// Of level 0, pending bytes or memtables: at this share of its limit a backlog is near it, below it
// a warning rests on the forecast alone.
inline constexpr double kNearLimit = 0.5;
// Memtables come and go: from this share of them on, over 5 s, they are near it.
inline constexpr double kNearMemtables = 0.75;

// Below this share of their soft limit pending bytes slow nobody down.
inline constexpr double kComfortablePending = 0.25;

// Share of the last 3 s that writers lost, from which on they are stalled.
inline constexpr double kStalledOver3s = 0.05;

// As long as writes are looked at to be slow.
inline constexpr double kSlowWritesSeconds = 30;

// Of the foreground, per second.
struct Calls {
  Value reads, seeks, writes;
};

struct Situation {
  explicit Situation(const PolicyInput& input)
      : features(input.features),
        objective(input.objective),
        budget(input.budget),
        now(input.features.at.tick) {}

  const Features& features;
  const Objective& objective;
  const Budget& budget;
  Nanoseconds now{0};

  // The backlog: what writes wait for, or will.
  bool stalled = false;  // writes are delayed, stopped or lost time to stalls
  // Stalled, and writes are stopped or lost 5% of the last 3 s, or nobody knows how much.
  bool loses_time = false;
  // Writes have been stopped for a second, or lost half of the last 30 s.
  bool stands_still = false;
  bool trouble = false;  // stalled, or the indicator warns
  // Level 0 is at half of its slowdown trigger, pending bytes are at half of their limit, or three
  // quarters of the memtables wait: seen, so that nothing is raised for what is not known.
  bool near_limit = false;
  // ...and not for a moment: level 0 rises with each flush and falls with each compaction. At half
  // in the mean of 10 s, or at three quarters now.
  bool stays_near_limit = false;
  // Nothing but an uncalibrated forecast warns: a reason for small steps
  bool forecast_only = false;
  bool backlog_known = false;    // level 0, pending bytes and memtables
  bool far_from_limits = false;  // known, and so it is, without a stall
  bool comfortable = false;      // ...and nothing warns
  double comfortable_seconds = 0;
  bool comfortable_but_debt = false;  // comfortable, or it would be with less pending
  // "l0", "pending_bytes", "memtables", "write_buffer_manager"; empty when nothing is known
  std::string backlog_cause;
  Value stalled_ratio, l0_ratio, memtable_ratio;  // means of 3, 10 and 5 s

  // Background writing, bytes/s
  Value passed;       // through the limiter, mean of 5 s
  Value passed_peak;  // ...largest of 60 s
  Value flush_share;  // of passed, by flushes, which are counted as they end: mean of 30 s
  Value
      limiter_use;  // passed / rate over 3 s, mean or peak, whichever binds; absent when unlimited
  bool binding = false;  // the limiter is what background work waits for
  // ...and at its rate the debt takes more than a minute to work off, which is of writes, and it
  // grows, or is not far below what delays them.
  bool piling = false;
  // A base was lowered within ten minutes: what was above it waits since, and has that time.
  bool base_lowered = false;
  Value need;                 // what user writes cost in the background, draining included
  double charged = 1;         // bytes that pass the limiter for each that is written (kAllIo)
  Value write_amplification;  // over 60 s, 30 at least
  bool wasteful = false;      // ...which is above its budget, or what the operator cares for first
  Value written;              // by users: mean of 3 s
  bool writes_rise = false;   // in the last 10 s more is written than in the last 60
  bool burst_begins = false;  // ...or half as much again in the last 3 s as in the last 10

  // Reads
  Calls calls;              // means of 10 s
  bool reads_seen = false;  // within the last minute, and more than by a health check
  // ...or they may have been: nobody counted them for ten seconds of it, or it was seen first less
  // than ten seconds ago.
  bool read_lately = true;
  double unread_seconds = 0;  // that nobody is seen to read
  bool reads_slow = false;    // read lately, P99 above its SLO over 5 s
  double reads_slow_seconds = 0;
  // Slow, or foreseen to be by a forecast that is calibrated: such ones have come true before.
  double reads_threatened_seconds = 0;
  Value read_p99_us;  // median of 5 s
  // Misses of the block cache that they wait for, per second (policy/memory.h, ReadMisses): of this
  // sample, and the mean of 10 s.
  Value read_misses, mean_read_misses;
  Value mean_reads;  // and seeks, per second: mean of 10 s
  // Of writes that do not stall: 10 keys a second and more over 30 s.
  bool writes_seen = false;
  Value unstalled_write_p99_us;  // of this sample
  // Seen, and P99 above its SLO in a third of 30 s: who waits for compactions waits in bursts.
  bool writes_slow = false;
  double writes_threatened_seconds = 0;  // as of reads
  Value write_p99_us;                    // mean of 30 s
  bool device_busy = false;              // its queue or await is at half of what saturates it (5 s)
  bool interference = false;  // ...or the control group at its limit, and compactions are why
  // A compaction runs, and the indicator of the device warns of what is seen, or is calibrated.
  bool device_saturated = false;
  // ...or the CPUs are short, or others' reads wait: background work costs the foreground
  bool pressed = false;
  // A compaction runs, and reads take the device several times as long as they did at its idlest.
  bool device_loaded = false;
  // ...or so it was in the last 1.5 s: for what had better wait until that is known.
  bool looks_loaded = false;
  // A compaction runs, reads come first and are near their SLO, and hardly any CPU is idle (means
  // of 1.5 s): what more background threads do there they take from reads.
  bool reads_lack_cpu = false;
  // More background threads would help: writers stall, or the backlog stays near a limit. On a
  // device that looks loaded they cost reads, and what level 0 gathers is merged more often
  // (intra-L0), and so they do where reads lack CPU: only where writers stand still. A forecast
  // alone is no reason.
  bool workers_help = false;
  // The limiter makes compactions wait for reads (policy/deferral.h): debt is meant to grow, and is
  // answered there.
  bool deferred = false;
  // ...makes flushes and compactions even (policy/smoothing.h): it is what they wait for, and not
  // the device.
  bool smoothed = false;
  // In peace, and something was changed lately: what is only worth a try waits (policy/peace.h).
  bool settling = false;
  bool changed = false;  // a knob has another value than in the sample before
  // The limiter or the jobs are being raised for this backlog: what else would relieve it waits for
  // what comes of that, within bounds (policy/headroom.cc).
  bool relief_comes = false;

  bool memory_short = false, memory_low = false;  // policy/memory.h, MemoryWatch
  Value memory_pressure, memory_free;

  // Reason enough to write less in the background.
  [[nodiscard]] bool writes_press() const { return piling || pressed || device_loaded || wasteful; }
  // A byte is a byte, whether reads or compactions move it: it is not reads that come first.
  [[nodiscard]] bool bytes_count() const {
    return objective.first == Priority::kThroughput ||
           objective.first == Priority::kWriteAmplification;
  }

  // What writers wait for comes before everything else: a stall is the longest wait of all.
  [[nodiscard]] bool writers_first() const {
    return objective.first == Priority::kStallSeconds || objective.first == Priority::kWriteP99;
  }

  [[nodiscard]] const Value& p99_us(Side side) const {
    return side == Side::kReads ? read_p99_us : write_p99_us;
  }

  Value running_compactions, running_flushes;  // means of 3 s
  Value cpu_busy_ratio;                        // of those that the process may use, mean of 5 s
};

// Whether it happened less than so long ago.
inline bool within(const std::optional<Nanoseconds>& at, Nanoseconds now, double seconds) {
  return at && seconds_between(*at, now) < seconds;
}

// How long a condition has held without a break. A gap (policy/gaps.h) is one: nobody has seen it
// hold.
class Held {
 public:
  double update(bool condition, Nanoseconds now);  // seconds; 0 when it does not hold
  void reset() { since_.reset(); }

 private:
  std::optional<Nanoseconds> since_;
  Gaps gaps_;
};

// The least value of the last day, hour by hour: what a device was once is not what it is for ever.
class LeastOfDay {
 public:
  void note(Nanoseconds now, double value);
  [[nodiscard]] Value least() const;  // absent: nothing was noted

 private:
  static constexpr std::int64_t kHours = 24;
  std::deque<std::pair<std::int64_t, double>> hours_;
};

// The indicator of the backlog says something, and warns.
bool backlog_warns(const std::vector<Indicator>& indicators);

class Observer {
 public:
  // Call once per sample that was read. The result refers to the input.
  Situation observe(const PolicyInput& input);

 private:
  void add(const Features& features);
  [[nodiscard]] double charged(const Features& f, double background) const;
  void judge_backlog(const PolicyInput& input, Situation& out);
  void judge_background(const Features& features, Situation& out) const;
  [[nodiscard]] bool device_is_slow(double seconds) const;
  [[nodiscard]] bool at_io_limit(double seconds) const;
  void judge_device(const Features& features, bool compacts, Situation& out);
  void judge_reads(const PolicyInput& input, Situation& out);
  void judge_writes(const PolicyInput& input, Situation& out);
  void look_for_reads(const Features& features, Situation& out);

  static Trend window(double seconds) { return Trend(Trend::Jumps::kKeep, 0, seconds); }
  Trend passed_ = window(60), limiter_use_ = window(5);
  Trend flushed_ = window(30);
  Trend written_ = window(60), background_ = window(60);
  Trend waiting_ = window(60);  // for compaction
  Trend stalled_long_ = window(30.5);
  Trend stalled_ = window(3), memtables_ = window(5), l0_ = window(10);
  Trend write_p99_ = window(kSlowWritesSeconds), write_is_slow_ = window(kSlowWritesSeconds);
  Trend writes_ = window(kSlowWritesSeconds);
  Trend reads_ = window(10), seeks_ = window(10);  // per second
  ReadMisses read_misses_;
  Trend misses_ = window(15), all_reads_ = window(15);  // that reads wait for; with seeks
  Trend read_p99_ = window(5), queue_ = window(5), await_ = window(5), io_limit_ = window(5);
  MemoryWatch memory_;
  Trend compactions_ = window(5), flushes_ = window(5), cpu_ = window(5),
        own_idle_cpus_ = window(5);
  Held comfort_, slow_reads_, threatened_reads_, threatened_writes_, stopped_;
  LeastOfDay light_await_;  // of the means of 5 s
  Value limiter_rate_;
  std::optional<Nanoseconds> seen_since_, read_at_, uncounted_at_;
  LoweredBase lowered_base_;
  double read_seconds_ = 0;  // with pauses of less than a minute
  Held uncounted_, unread_;
};

// For reasons, what writes wait for now, or lately, or will: "L0 has 17 of 20 files".
std::string backlog_text(const Situation& situation);

// The column family as the newer sample has it; nullptr when it is not there.
const ColumnFamilyReading* family_of(const Features& features, std::string_view column_family);

// The knob as the newer sample has it; nullptr when it is not there or cannot be changed. No column
// family: of the whole database, since another one's cache is not the one that the features tell
// of.
const KnobReading* changeable_knob(const Features& features, std::string_view name,
                                   std::string_view column_family = {});

// A loop may turn it: nobody else has set it.
inline bool may_turn(const KnobReading& reading) {
  return reading.changeable && reading.owner != KnobOwner::kManual;
}
// By rocktune, and not back at what was found.
inline bool is_raised(const KnobReading& reading) {
  return reading.owner == KnobOwner::kRocktune && reading.value > reading.found;
}
inline bool is_lowered(const KnobReading& reading) {
  return reading.owner == KnobOwner::kRocktune && reading.value < reading.found;
}

// A proposal for this knob, without reason, evidence and expectation.
Proposal propose(const KnobReading& reading, std::int64_t to, std::string_view rule);

// The feature of that name, as an expectation has it (Features::visit_values); absent: not known.
Value feature_of(const Features& features, std::string_view name);
// What a relief of the backlog should do: the part that is worst is to fall.
Expectation expect_relief(const Situation& situation, double window_seconds);
// What less merging should do: write amplification is to fall. Where that is not known yet, writers
// are at least not to wait for it.
Expectation expect_fewer_writes(const Situation& situation, double window_seconds);
// What gains others is not seen here; what it could cost is.
Expectation no_more_stalls(const Situation& situation, double window_seconds);
std::vector<Driver> backlog_evidence(const Situation& situation);
// ...and what the device is seen to be full by.
std::vector<Driver> full_device_evidence(const Situation& situation);
// ...and what those of this side wait.
std::vector<Driver> slow_evidence(const Situation& situation, Side side);

// How compactions are in the way of others, where they are.
std::string interference_text(const Situation& situation);

// Of memory that the machine is short of.
std::string short_memory_text(const Situation& situation);
Expectation expect_less_pressure(const Situation& situation, double window_seconds);
std::vector<Driver> memory_evidence(const Features& features);

}  // namespace rocktune
