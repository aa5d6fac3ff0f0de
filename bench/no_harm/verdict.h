// Did the policy do harm? Judged by turns: runs of static and of the policy that stood beside each
// other. Pure.
//
// One turn is enough where the policy kept up. Where it fell behind, the same scenario takes more
// turns before that is called harm, since single runs differ by chance - and it is called harm only
// where it is behind by more than static differs from itself, and in (nearly) every turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/run.h"
#include "bench/report/statistics.h"
#include "model/result.h"

namespace rocktune::bench {

// By how much a policy may be behind: of static's throughput, and of the run's length in time that
// writers stalled (3%, as docs/no-harm.md).
inline constexpr double kMostBehind = 0.03;

// What both sides of a turn came to.
struct TurnSide {
  double ops_per_second = 0;
  double stalled_seconds = 0;  // added up over databases
};

struct Turn {
  TurnSide reference;  // static
  TurnSide policy;
  std::optional<std::int64_t> changes;  // absent: no daemon, or not counted
};

enum class Harm {
  kNone,        // kept up in its first turn
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

struct ScenarioVerdict {
  Harm harm = Harm::kUnfinished;
  std::size_t turns = 0;
  std::optional<double> throughput_ratio;  // of medians; absent where static did nothing
  TurnSide reference, policy;              // medians
  // By how much static differs from itself, in the median of all pairs of its runs: throughput over
  // the mean, and seconds stalled. Absent with one turn.
  std::optional<double> reference_spread, reference_stalled_spread;
  std::optional<double> changes;  // median
  bool slower = false;            // behind in throughput
  bool stalled = false;           // behind in time stalled
  // Turns in which the policy did less, and in which it stalled longer, by however little.
  std::size_t slower_turns = 0, stalled_turns = 0;
};

// Whether a scenario has to take more turns. `seconds`: how long a run is.
bool fell_behind(const Turn& turn, double seconds);

// `confirm`: how many more turns a scenario takes where the policy fell behind in the first.
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
