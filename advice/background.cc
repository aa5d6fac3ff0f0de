// background_jobs and delayed_write_rate: database-wide options that RocksDB changes at run time.
#include <algorithm>
#include <cmath>
#include <string>
#include <tl/expected.hpp>

#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kTooManyPerCpu = 2;
constexpr double kPressed = 0.10;  // PSI: share of time that something waited for a CPU
constexpr double kBusyCpus = 0.9, kFreeCpus = 0.5;
constexpr double kSlotsFull = 0.5;  // of the time
constexpr double kFullDevice = 0.9;
constexpr double kCliff = 3;        // normal rate over the delayed one
constexpr double kSoftStart = 0.8;  // RocksDB's first step down, db/column_family.cc
constexpr double kKiB = 1 << 10;

std::string jobs_text(double jobs) {
  return text::number(jobs, 0);
}

// The option that says how many compactions run at a time.
struct Jobs {
  bool overridden = false;
  double now = 0;
  [[nodiscard]] const char* option() const {
    return overridden ? "max_background_compactions" : "max_background_jobs";
  }
  [[nodiscard]] double slots(double jobs) const {
    return overridden ? jobs : compaction_slots(jobs);
  }
};

tl::expected<Jobs, std::string> jobs_of(const Evidence& e) {
  if (!e.jobs_overridden()) {
    if (const Value jobs = e.knob(knob::kBackgroundJobs)) return Jobs{false, *jobs};
    return tl::unexpected(std::string("max_background_jobs is not in the trace"));
  }
  if (const Value slots = e.compaction_slots()) return Jobs{true, *slots};
  return tl::unexpected(
      std::string("max_background_compactions or max_background_flushes is set, which overrides "
                  "max_background_jobs, and how many they are is not in the trace: --options with "
                  "the OPTIONS file brings them"));
}

// Twice as many, and as many as bring a slot: 1 and 2 jobs have one slot both. No more than CPUs.
Value jobs_wanted(const Jobs& jobs, double cpus) {
  double wanted = 2 * jobs.now;
  while (wanted < cpus && jobs.slots(wanted) <= jobs.slots(jobs.now)) ++wanted;
  wanted = std::min(cpus, wanted);
  return jobs.slots(wanted) > jobs.slots(jobs.now) ? Value(wanted) : std::nullopt;
}

Fact cpus_fact(const Evidence& e) {
  return fact(
      "cpus", *e.cpus,
      text::amount(*e.cpus) + " CPUs, " + text::percent(e.cpu_busy.mean().value_or(0)) + " busy");
}

Advice fewer_jobs(const Evidence& e, const Jobs& jobs, double pressure) {
  const double wanted = std::max(2.0, *e.cpus);
  Advice out;
  out.title = "no more background jobs than CPUs";
  out.evidence = {
      fact(jobs.option(), jobs.now,
           jobs_text(jobs.now) + (jobs.overridden ? " compactions at a time" : " background jobs")),
      cpus_fact(e),
      fact("cpu_pressure_ratio", pressure,
           "something waited for a CPU " + text::percent(pressure) + " of the time")};
  out.effect = {"share of the time that something waits for a CPU",
                Unit::kRatio,
                pressure,
                0,
                pressure,
                "at best all of it came from the jobs; the foreground's own share stays"};
  out.confidence = Confidence::kLow;
  out.confidence_reason = "pressure is the host's: other processes may be its cause";
  out.risk = "compactions have fewer threads: level 0 and the debt may grow in bursts";
  out.steps = {{jobs.option(), jobs_text(wanted), false}};
  out.source = "RocksDB's tuning guide: background threads up to the number of CPUs";
  return out;
}

Advice more_jobs(const Evidence& e, const Jobs& jobs, double wanted, double trouble) {
  const Value rate = e.compaction_written.per_second();
  const double slots = jobs.slots(jobs.now);
  Advice out;
  out.title = "more background jobs";
  out.evidence = {trouble_fact(trouble),
                  fact("slots_full_ratio", *e.slots_full.share(),
                       "all " + jobs_text(slots) + " slots for compactions were taken " +
                           text::percent(*e.slots_full.share()) + " of the time"),
                  cpus_fact(e)};
  const double now = rate.value_or(0);
  out.effect = {"bytes a second that compactions write",
                Unit::kBytesPerSecond,
                now,
                now,
                now * jobs.slots(wanted) / slots,
                "up to in proportion to the slots, " + jobs_text(slots) + " and " +
                    jobs_text(jobs.slots(wanted)) +
                    "; nothing where one long compaction is what all wait for"};
  const bool limiter_known = e.limiter_holds().has_value();
  out.confidence = limiter_known ? Confidence::kMedium : Confidence::kLow;
  out.confidence_reason =
      std::string("slots were full while writers waited, and CPUs were free") +
      (limiter_known ? "" : "; whether a rate limiter filled them is not in the trace");
  out.risk = "compactions take more of the device and of the CPUs from reads";
  out.steps = {{jobs.option(), jobs_text(wanted), false}};
  out.how = jobs.overridden ? "rocktuned cannot do it: opened without max_background_compactions "
                              "and max_background_flushes, it can, by max_background_jobs"
                            : "rocktuned does it in act mode, within budget.jobs_max";
  out.source =
      "source 000: low compaction parallelism was part of Mild-Pressure "
      "(docs/experiments.md, read-latency)";
  return out;
}

}  // namespace

void judge_background_jobs(const Evidence& e, Findings& findings) {
  const auto jobs = jobs_of(e);
  if (!jobs) return findings.not_judged("", jobs.error());
  if (!e.cpus || !(*e.cpus > 0)) return findings.not_judged("", "CPUs are not in the trace");
  const Value busy = e.cpu_busy.mean();
  const Value pressure = e.cpu_pressure.mean();
  const bool pressed = pressure.value_or(0) >= kPressed || busy.value_or(0) >= kBusyCpus;
  if (jobs->now > kTooManyPerCpu * *e.cpus && pressed && pressure) {
    return findings.advise(fewer_jobs(e, *jobs, *pressure));
  }
  const Value trouble = e.write_trouble();
  const Value full = e.slots_full.share();
  if (!trouble || !full || !busy) {
    return findings.not_judged("", "running compactions, stalls or CPU use are not in the trace");
  }
  if (*trouble < kLittleTrouble) return findings.content("", "writers are not held up");
  if (*full < kSlotsFull) return findings.content("", "there are free slots for compactions");
  const Value wanted = jobs_wanted(*jobs, *e.cpus);
  if (!wanted || *busy > kFreeCpus) return findings.content("", "no CPU is free for more");
  if (e.limiter_holds().value_or(false)) {
    return findings.content("", "the rate limiter is what compactions wait for");
  }
  if (e.device_busy.mean().value_or(0) >= kFullDevice) {
    return findings.content("", "the device is what compactions wait for");
  }
  findings.advise(more_jobs(e, *jobs, *wanted, *trouble));
}

void judge_delayed_rate(const Evidence& e, Findings& findings) {
  const Value share = e.delayed.share();
  if (!share) return findings.not_judged("", "write delays are not in the trace");
  if (*share < kLittleTrouble) return findings.content("", "writes are hardly ever delayed");
  const Value rate = e.knob("delayed_write_rate");
  if (!rate || !(*rate > 0)) {
    return findings.not_judged(
        "", "delayed_write_rate is not in the trace: --options with the OPTIONS file brings it");
  }
  const Value user = e.undelayed_user_bytes_per_second.mean();
  const Value normal = user ? user : e.undelayed_flushed_bytes_per_second.mean();
  if (!normal) return findings.not_judged("", "rates of writes are not in the trace");
  // RocksDB takes 0 for a byte a second.
  const double wanted = std::floor(kSoftStart * *normal / kKiB) * kKiB;
  if (*normal < kCliff * *rate || wanted <= *rate) {
    return findings.content("", "a delay begins near the usual rate of writes");
  }
  Advice out;
  out.title = "a write delay that begins near the usual rate";
  out.evidence = {fact("delayed_ratio", *share,
                       "writes were delayed " + text::percent(*share) + " of the time"),
                  fact("usual_bytes_per_second", *normal,
                       std::string(user ? "otherwise users wrote " : "otherwise flushes wrote ") +
                           text::rate(*normal))};
  out.effect = {"rate to which writers drop at once when a delay begins",
                Unit::kBytesPerSecond,
                rate,
                wanted,
                wanted,
                "the option is that rate; RocksDB then goes down by 0.8 at a time while the debt "
                "grows"};
  out.confidence = Confidence::kMedium;
  out.confidence_reason = "the cliff is in the numbers; how far the debt lets the rate fall is not";
  out.risk = "what compactions owe grows faster at first: a stop is nearer if they cannot keep up";
  out.steps = {{"delayed_write_rate", text::number(wanted, 0), false}};
  out.source = "RocksDB's delay rules (db/column_family.cc); users on fast disks ask for it";
  findings.advise(std::move(out));
}

}  // namespace rocktune::advice
