// A random case run under static and under headroom, and what of the difference is harm, much as
// docs/no-harm.md judges real runs: by throughput, the time that writers lost, the P99 of reads and
// the time above the SLO. Deterministic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rocktune::sim {

inline constexpr double kCaseSeconds = 900;  // the length of each run

// What is tolerated, as bench/no_harm/verdict.h has it.
inline constexpr double kMostBehind = 0.03;  // of static's throughput, and of the time lost
inline constexpr double kMostSlowerP99 = 0.5,
                        kLeastSlowerSeconds = 1e-3;  // of static's, and at all
inline constexpr double kMostAboveSlo = 0.1;         // of the time
// Of two databases on one device one may do less for what the other does more, but so much at
// least.
inline constexpr double kLeastOfOne = 2.0 / 3;

// What a policy may be behind in.
enum HarmMeasure : std::size_t { kThroughput, kTimeLost, kReadP99, kAboveSlo, kHarmMeasures };
inline constexpr std::array<const char*, kHarmMeasures> kHarmMeasureTexts = {
    "throughput", "time lost", "read P99", "time above the SLO"};

// What a database came to, or several together.
struct Came {
  double operations = 0, lost_seconds = 0, above_slo_seconds = 0;
  double read_p99_seconds = 0;  // of several the geometric mean of those that read; 0: none does
};

// A pair of runs.
struct HarmPair {
  std::vector<Came> still_each, tuned_each;        // under static and headroom, of each database
  Came still, tuned;                               // of all
  std::array<double, kHarmMeasures> behind{};      // each as a multiple of what is tolerated
  double throughput_ratio = 0, least_ratio = 0;    // of static's: of all; of the worst database
  double lost_seconds = 0, above_slo_seconds = 0;  // more than under static
  double read_p99_ratio = 0;                       // 0: nobody reads

  [[nodiscard]] bool is_behind() const;
  [[nodiscard]] bool lets_writers_go() const;
  // Of reads it is, where writers whom static holds up are let go.
  [[nodiscard]] bool is_excused(std::size_t measure) const;
  // Behind, and not for that alone; or one database does less than kLeastOfOne.
  [[nodiscard]] bool is_unexcused() const;
};

double geometric_mean(std::span<const double> values);  // 0 of nothing

HarmPair compare_runs(std::vector<Came> still, std::vector<Came> tuned);
HarmPair run_pair(std::uint64_t seed, std::uint64_t luck, std::size_t databases);

enum class HarmOutcome { kNone, kReadsPay, kHarm };

// Where the first pair is behind, by more pairs. Here only the luck of single jobs differs between
// those. Warns of what it finds.
HarmOutcome outcome_of(std::uint64_t seed, std::size_t databases, const HarmPair& first);

}  // namespace rocktune::sim
