// Did the policy do harm? Judged by turns: runs of static and of the policy that stood beside each
// other. Pure.
//
// One turn is enough where the policy kept up. Where it fell behind, the same scenario takes more
// turns before that is called harm, since single runs differ by chance - and it is called harm only
// where it is behind by more than static differs from itself, and in (nearly) every turn. P99s
// differ by far more, and without a bound: there each of the policy's runs has to be slower than
// all of static's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/run.h"
#include "bench/report/statistics.h"
#include "model/result.h"

namespace rocktune::bench {

// What a policy may be behind in.
enum class HarmMeasure { kThroughput, kStalled, kReadP99, kWriteP99, kAboveSlo };
inline constexpr std::size_t kMeasures = 5;
std::string measure_text(HarmMeasure measure);  // "throughput", "read P99", ...

// By how much a policy may be behind: of static's throughput, and of the run's length in time that
// writers stalled (3%); of static's P99, which a few compactions decide in a run of 10 s (half, and
// a millisecond in any case); of the run's length in time above the SLO, which is counted in whole
// seconds (10%, and half of one). As docs/no-harm.md.
inline constexpr double kMostBehind = 0.03;
inline constexpr double kMostSlowerP99 = 0.5;
inline constexpr double kLeastSlowerP99Us = 1000;
inline constexpr double kMostAboveSlo = 0.1;
inline constexpr double kSloGrainSeconds = 0.5;
// Of fewer operations of a kind static has no P99 to be held against.
inline constexpr double kLeastOperations = 100;
// A policy that did fewer than that, and less than this share of static's, has starved the kind:
// its P99 is infinite. (A policy that is 2% slower may do 99 where static does 101.)
inline constexpr double kStarvedShare = 0.5;
inline constexpr double kStarved = std::numeric_limits<double>::infinity();
// The same of each, in the unit of Standing::lag. `seconds`: how long a run is.
double tolerated(HarmMeasure measure, double seconds);

// What both sides of a turn came to.
struct TurnSide {
  double ops_per_second = 0;
  double stalled_seconds = 0;  // added up over databases
  // Geometric means over every kind of reads, or writes, of every database that static did
  // kLeastOperations of in the median of its runs; of each its P99 or, where that is more, the P99
  // at any moment. kStarved: the policy has starved one of them. Absent: there is no such kind, or
  // static did none of one in this turn.
  std::optional<double> read_p99_us, write_p99_us;
  std::optional<double> above_slo_seconds;  // absent: its objective has no limits
};

struct Turn {
  TurnSide reference;  // static
  TurnSide policy;
  std::optional<std::int64_t> changes;  // absent: no daemon, or not counted
};

enum class Harm {
  kNone,        // kept up: in its first turn, and in the median where there are enough others
  kCleared,     // fell behind in its first turn and not in the median of all
  kTooNoisy,    // is behind, by less than static differs from itself or not in every turn
  kHarm,        // is behind, by more and in every turn
  kUnfinished,  // turns are missing
};
// "Every" turn leaves out one of so many: of four, none may be otherwise, of eight one. By the sign
// test chance alone does the first in 1 of 16 scenarios, the second in 1 of 28, whatever else
// holds.
inline constexpr std::size_t kTurnsForOneOtherwise = 8;
std::string harm_text(Harm harm);  // "no harm", "cleared", ...

// How a scenario stands by one measure.
struct Standing {
  // By how much the policy is behind in the medians: a share of static's throughput or P99 (0: less
  // than a millisecond apart; infinite: it has starved a kind), or seconds. Below zero: ahead.
  // Absent: not measured, or static has none of it.
  std::optional<double> lag;
  bool behind = false;  // by more than is tolerated
  // By how much static differs from itself, in the median of all pairs of its runs: a share of
  // their mean, of the smaller P99, or seconds. Absent with one turn.
  std::optional<double> spread;
  std::size_t turns =
      0;  // in which the policy is behind, by however little; in P99 all of static's
};

struct ScenarioVerdict {
  Harm harm = Harm::kUnfinished;
  std::size_t turns = 0;
  TurnSide reference, policy;     // medians
  std::optional<double> changes;  // median
  std::array<Standing, kMeasures> standings;

  [[nodiscard]] const Standing& by(HarmMeasure measure) const {
    return standings[static_cast<std::size_t>(measure)];
  }
  // Of the medians; absent where static did nothing.
  [[nodiscard]] std::optional<double> throughput_ratio() const;
};

// Whether a scenario has to take more turns. `seconds`: how long a run is.
bool fell_behind(const Turn& turn, double seconds);

// `confirm`: how many more turns a scenario takes where the policy fell behind in the first. With
// more turns than that the medians of all decide, however they came about.
ScenarioVerdict judge_scenario(const std::vector<Turn>& turns, double seconds, std::size_t confirm);

// All scenarios together. Of each the first turn alone counts: taking more turns where the policy
// fell behind, and only there, would flatter it.
struct OverallVerdict {
  std::size_t scenarios = 0;                             // that have a turn
  std::optional<report::MeanInterval> throughput_ratio;  // geometric mean
  double reference_stalled_seconds = 0;                  // sums
  double policy_stalled_seconds = 0;
};
OverallVerdict judge_all(const std::vector<Turn>& first_turns, std::uint64_t seed);

// The turns of a scenario: repeats of which both sides ran to their end, by number. An Error where
// a run lacks a figure.
Result<std::vector<Turn>> turns_of(const std::vector<report::Run>& runs,
                                   const std::string& reference, const std::string& policy);

}  // namespace rocktune::bench
