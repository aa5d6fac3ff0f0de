#include <algorithm>

#include "model/knobs.h"
#include "model/text.h"
#include "policy/headroom.h"

namespace rocktune {
namespace {

constexpr double kSubcompactionsEvaluationSeconds = 30;
constexpr double kLevel0Seconds = 2;         // level 0 is what waits, for this long
constexpr double kIdleComfortSeconds = 300;  // of comfort before the threads go back
// More threads need CPUs that are free: above this share of them they would take the foreground's.
constexpr double kCpuFree = 0.75;

std::int64_t most_threads(const Situation& situation) {
  const double cpus =
      std::clamp(situation.features.cpus.value_or(1), 1.0, static_cast<double>(kMostJobs));
  return std::min(static_cast<std::int64_t>(cpus), situation.budget.jobs_max.value_or(kMostJobs));
}

// Whether a compaction of level 0 began within so many seconds. Nobody knows: it may have.
bool began_within(const Features& f, double seconds) {
  bool told = false;
  for (const ColumnFamilyReading& family : f.column_families) {
    if (!family.l0_compaction_age_ms) continue;
    told = true;
    const auto age = static_cast<double>(*family.l0_compaction_age_ms);  // 0: none is running
    if (age > 0 && age < seconds * 1e3) return true;
  }
  return !told;
}

}  // namespace

std::optional<Proposal> SubcompactionsLoop::decide(const Situation& situation) {
  const KnobReading* reading = changeable_knob(situation.features, knob::kSubcompactions);
  if (reading == nullptr) return std::nullopt;
  const bool helps = situation.workers_help && !situation.device_loaded && !situation.relief_comes;
  const bool waits = helps && situation.backlog_cause == "l0" && !situation.binding &&
                     situation.running_compactions.value_or(0) >= 0.5 &&
                     situation.cpu_busy_ratio.value_or(1) < kCpuFree;
  // RocksDB asks for the threads when it begins a compaction: until one of level 0 has begun since,
  // nothing came of a raise.
  if (threads_ && reading->value > *threads_) untried_since_ = situation.now;
  if (threads_ && reading->value < *threads_) untried_since_.reset();
  threads_ = reading->value;
  const bool begun =
      untried_since_ &&
      began_within(situation.features, seconds_between(*untried_since_, situation.now));
  if (begun) untried_since_.reset();
  const double waited = level0_.update(waits, situation.now);
  const double unused = unused_.update(situation.comfortable, situation.now);
  const std::int64_t threads = std::max<std::int64_t>(1, reading->value);
  if (waited >= kLevel0Seconds && !untried_since_) {
    const std::int64_t to = std::min(2 * threads, most_threads(situation));
    if (to <= threads) return std::nullopt;
    Proposal out = propose(*reading, to, "subcompactions.l0");
    out.reason = backlog_text(situation) + ", one compaction of level 0 runs at a time, and " +
                 text::percent(1 - situation.cpu_busy_ratio.value_or(1)) + " of the CPUs are free";
    out.expected = expect_relief(situation, kSubcompactionsEvaluationSeconds);
    out.evidence = backlog_evidence(situation);
    return out;
  }
  const bool ours = reading->owner == KnobOwner::kRocktune;
  if (!ours || threads <= reading->found || unused < kIdleComfortSeconds) return std::nullopt;
  Proposal out = propose(*reading, std::max(reading->found, threads / 2), "subcompactions.idle");
  out.reason = "no backlog for " + text::duration(unused);
  out.expected = {"l0_ratio", true, situation.l0_ratio.value_or(0),
                  kSubcompactionsEvaluationSeconds};
  out.evidence = backlog_evidence(situation);
  unused_.reset();
  return out;
}

}  // namespace rocktune
