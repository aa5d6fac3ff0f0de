#include "tools/score_runs.h"

namespace rocktune::tools {

Result<score::RunResult> score_run(const RecordedRun& run, const score::Contest& contest) {
  score::RunScorer scorer(contest, run.engine.objective);
  const auto read = for_each_sample(run, [&](const Sample& sample) { scorer.add(sample); });
  if (!read) return tl::unexpected(read.error());
  score::RunResult result = scorer.finish(run.name);
  result.recording = run.trace;
  return result;
}

Result<std::vector<score::RunResult>> read_runs(const std::vector<std::string>& traces,
                                                score::Contest contest, const RunProgress& progress,
                                                RunPrior prior) {
  const auto recorded = list_recorded_runs(traces);
  if (!recorded) return tl::unexpected(recorded.error());
  std::vector<score::RunResult> runs;
  for (const RecordedRun& one : *recorded) {
    if (progress) progress(runs.size() + 1, recorded->size(), one.name);
    if (prior == RunPrior::kRecorded) contest.prior = one.engine.prior;
    auto run = score_run(one, contest);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(*std::move(run));
  }
  return runs;
}

}  // namespace rocktune::tools
