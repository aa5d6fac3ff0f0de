#include "policy/pace.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "model/level_targets.h"
#include "model/text.h"
#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

// Compactions are not paced below a share of what has passed: what is needed was seen for a minute
// at most...
constexpr double kLeastPaceShare = 0.125;
// ...and before it is known what writes cost.
constexpr double kLeastPaceShareUnknown = 0.25;
// What a byte costs before that, and while the level below level 0 has room for all that comes:
// what goes on from there has not been seen, and may be most of it. Half of the least that a full
// tree of leveled compaction writes (10 to 30 times, RocksDB's tuning guide). With the 1.4 that the
// first seconds of an opening showed a pace cost db_bench's readwhilewriting a fifth of its reads.
constexpr double kUnseenAmplification = 5;
// A level that moves files on stands about its target.
constexpr double kFilledBase = 0.75;
// Who takes longer beside them has to take that share of the objective at least.
constexpr double kNotFastEnough = 0.1;
constexpr double kWrittenSeconds = 10;
// As long as bursts are looked at, in its second half.
constexpr double kPaceEvaluationSeconds = 60;

// The one with the most flushes, or of as many the largest below level 0: null without any.
const ColumnFamilyReading* written_most(const Features& f) {
  const ColumnFamilyReading* most = nullptr;
  for (const ColumnFamilyReading& family : f.column_families) {
    if (family.levels.size() < 2 || family.leveled_compaction.value_or(0) == 0) continue;
    const auto rank = [](const ColumnFamilyReading& one) {
      return std::pair(one.flushes.value_or(0), one.levels[1].bytes);
    };
    if (most == nullptr || rank(family) > rank(*most)) most = &family;
  }
  return most;
}

// Less than moves on from the level that level 0 is compacted into.
bool tree_grows(const Features& f) {
  const ColumnFamilyReading* family = written_most(f);
  if (family == nullptr) return false;
  std::vector<double> bytes(family->levels.size()), targets(family->levels.size());
  std::transform(family->levels.begin(), family->levels.end(), bytes.begin(),
                 [](const LevelReading& level) { return static_cast<double>(level.bytes); });
  const std::size_t base = level_targets(level_shape_of(*family), bytes, targets);
  return bytes[base] < kFilledBase * targets[base];
}

// Bytes/s: of `need`, which was seen, and what may come on top of it.
double whole_need(const Situation& situation, double need) {
  const bool seen = situation.write_amplification && !tree_grows(situation.features);
  return seen ? need : std::max(need, kUnseenAmplification * situation.written.value_or(0));
}

}  // namespace

void Pace::observe(const Situation& situation) {
  others_.observe(situation.features);
  bursts_.observe(situation.features, situation.unstalled_write_p99_us, others_.prevails());
  const bool writes = situation.features.user_write_bytes_per_second.value_or(0) > 0;
  written_seconds_ = written_.update(writes, situation.now);
}

std::string Pace::bursts_text(Side side) const {
  return p99_text(side) + " is " + text::microseconds(bursts_.p99_us_beside(side).value_or(0)) +
         " while compactions run, " + text::microseconds(bursts_.p99_us_without(side).value_or(0)) +
         " while none does";
}

// What makes a compaction slow them: seen of those before, or known beforehand, since others load
// the device already.
std::optional<Pace::Reason> Pace::reason(const Situation& situation, Side side) const {
  const Features& f = situation.features;
  const double fast = kNotFastEnough * p99_slo_us(situation.objective, side);
  const Value beside = bursts_.p99_us_beside(side);
  if (bursts_.slow_down(side) && *beside >= fast) {
    // Judged over bursts and pauses together: between them they were as fast as they can be.
    return Reason{
        bursts_text(side),
        {p99_feature(side), true, bursts_.p99_us(side).value_or(*beside), kPaceEvaluationSeconds}};
  }
  const bool compacts = f.running_compactions.value_or(0) > 0 && side == Side::kReads;
  if (compacts && others_.prevails() && f.read_p99_us.value_or(0) >= fast) {
    return Reason{"read P99 is " + text::microseconds(*f.read_p99_us) +
                      " beside what others write on the same device, and compactions here would "
                      "add to it",
                  no_more_stalls(situation, kPaceEvaluationSeconds)};
  }
  return std::nullopt;
}

std::optional<Proposal> Pace::lower(const Situation& situation, const KnobReading& reading,
                                    double need, double margin) const {
  const auto side = first_side(situation.objective);
  const bool waited_for =
      side && (side == Side::kReads ? situation.read_lately : situation.writes_seen);
  const bool calm = waited_for && situation.comfortable_seconds >= kLimiterComfortSeconds &&
                    written_seconds_ >= kWrittenSeconds;
  if (!calm || !situation.need || !situation.passed_peak || situation.settling) return std::nullopt;
  // What is needed of more writes than before has not been seen yet.
  if (situation.writes_rise || situation.burst_begins) return std::nullopt;
  const auto why = reason(situation, *side);
  if (!why) return std::nullopt;
  need = whole_need(situation, need);
  const double share = situation.write_amplification ? kLeastPaceShare : kLeastPaceShareUnknown;
  const double to =
      std::ceil(std::max({need * std::max(kPaceMargin, margin), share * *situation.passed_peak,
                          situation.budget.rate_limit_min.value}));
  if (kLeastSpread * to > std::min(*situation.passed_peak, static_cast<double>(reading.value))) {
    return std::nullopt;
  }
  Proposal out = propose(reading, static_cast<std::int64_t>(to), "limiter.pace");
  out.reason = why->text + "; at up to " + text::rate(*situation.passed_peak) +
               " they come in bursts, where " + text::rate(need) + " is needed at most";
  out.expected = why->expected;
  out.evidence = slow_evidence(situation, *side);
  return out;
}

}  // namespace rocktune
