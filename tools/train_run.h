// `rocktune train`: what the early warnings learn from recorded runs, and how good it was on runs
// that it had not seen. Deterministic: the same traces and options give the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prior/prior.h"
#include "score/evaluation.h"
#include "tools/run_list.h"

namespace rocktune::tools {

struct TrainRequest {
  std::vector<std::string> traces;
  std::vector<std::string> hold_out;  // patterns as of score/walk_forward.h: scored, never learnt
  unsigned epochs = 5;                // passes over all runs; the first by date, others shuffled
  std::optional<double> false_alarms_per_day;  // in place of each trace's own
  std::uint64_t seed = 1;                      // of the shuffles and of the bootstrap
};

// At most so many priors are trained to score with: more only take time.
inline constexpr std::size_t kMostFolds = 8;

struct Trained {
  Prior prior;
  // Walk-forward: each run under a prior of the runs that ended before it began. Absent where there
  // is one run only.
  std::vector<score::RunResult> runs;
  score::EvaluationRequest asked;
  std::optional<score::Evaluation> evaluation;
};

// `progress` gets "learning" or "scoring" and the run.
using TrainProgress = std::function<void(const std::string& doing, std::size_t number,
                                         std::size_t total, const std::string& name)>;

Result<Trained> train(const TrainRequest& request, const TrainProgress& progress);

}  // namespace rocktune::tools
