// Open-loop replay: a recorded trace through policy/Engine, sample by sample, the same code that
// ran live. A policy that was the recorded one is also told what was done then (the recorded
// actuations), and so must come to the same steps; another one is told that nothing was applied.
// Deterministic; streams the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "policy/policy_choice.h"
#include "trace/reader.h"

namespace rocktune::replay {

struct Difference {
  std::uint64_t sequence = 0;
  std::string recorded;  // alert-log line; empty: there is none
  std::string replayed;
};

struct JournalCounts {
  std::uint64_t alerts = 0, decisions = 0, outcomes = 0;
  std::map<std::string, std::uint64_t> verdicts;  // decisions by verdict
  std::map<std::string, std::uint64_t> knobs;     // decisions by knob
};

struct ReplayResult {
  trace::RunInfo recorded_by;
  std::int64_t id = 0;  // of the target
  std::string target;   // its name; "NAME#2" is the second of that name in its trace
  std::string mode;
  std::string policy;        // its label
  bool as_recorded = false;  // the policy, with its parameters, that ran live
  std::uint64_t samples = 0, samples_with_database = 0;
  std::uint64_t first_sequence = 0;
  JournalCounts replayed, recorded;
  std::uint64_t steps_that_differ = 0;  // as_recorded only
  std::optional<Difference> first_difference;
  // Of the changes that were allowed live, how many this policy also wanted: the same knob in the
  // same direction, within kAgreementWindow.
  std::uint64_t changes_live = 0, changes_agreed = 0;
};

inline constexpr Nanoseconds kAgreementWindow = std::chrono::seconds(10);

struct ReplayRequest {
  std::string trace;
  std::optional<PolicyChoice> policy;  // absent: as recorded, for each target
  std::optional<std::string> target;   // by name or path; all when absent
  // By the target's id: just these, and no more than so many samples of each. For a trace that may
  // still grow.
  std::optional<std::map<std::int64_t, std::uint64_t>> extent{};
};

// A sample of a replay with what the engine forecast at it; gone when the call returns.
struct ReplayedSample {
  std::size_t place = 0;  // of its target in the results
  const trace::TargetInfo& target;
  const std::string& called;  // as in the results
  Instant at;
  std::uint64_t sequence = 0;
  const std::vector<Indicator>& indicators;                   // all three, without drivers
  std::function<std::vector<Driver>(IndicatorKind)> drivers;  // valid during the call
};

// `line` gets each alert, decision and outcome as its alert-log line, in the order of time; `seen`,
// where it is given, each sample after its lines. One result for each target.
Result<std::vector<ReplayResult>> run(const ReplayRequest& request,
                                      const std::function<void(const std::string&)>& line,
                                      const std::function<void(const ReplayedSample&)>& seen = {});

}  // namespace rocktune::replay
