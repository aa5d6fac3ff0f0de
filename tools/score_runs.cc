#include "tools/score_runs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "trace/reader.h"

namespace rocktune::tools {
namespace {

namespace fs = std::filesystem;

std::string stem(const std::string& path) {
  return fs::path(path).stem().string();
}

Result<std::vector<std::string>> trace_names(const std::vector<std::string>& traces) {
  std::map<std::string, int> uses;
  std::set<std::string> files;
  for (const std::string& path : traces) {
    std::error_code unknown;  // then it is as it was given; opening it says why
    const fs::path whole = fs::weakly_canonical(path, unknown);
    if (!files.insert(unknown ? path : whole.string()).second) {
      return fail(ErrorCode::kInvalidArgument,
                  "trace " + path + " is given twice; a run may count only once");
    }
    ++uses[stem(path)];
  }
  std::vector<std::string> names;
  names.reserve(traces.size());
  for (const std::string& path : traces) {
    names.push_back(uses[stem(path)] > 1 ? path : stem(path));
  }
  return names;
}

Result<score::RunResult> read_run(trace::Reader& reader, const trace::TargetInfo& target,
                                  const score::Contest& contest, std::string name) {
  auto steps = reader.steps(target.id);
  if (!steps) return tl::unexpected(steps.error());
  score::RunScorer scorer(contest, target.engine.objective);
  while (true) {
    auto step = steps->next();
    if (!step) return tl::unexpected(step.error());
    if (!*step) return scorer.finish(std::move(name));
    scorer.add((*step)->sample);
  }
}

Result<void> read_trace(const std::string& path, const std::string& name,
                        const score::Contest& contest, std::vector<score::RunResult>& runs) {
  auto reader = trace::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  const auto targets = reader->targets();
  if (!targets) return tl::unexpected(targets.error());
  for (const trace::TargetSummary& target : *targets) {
    if (target.samples_with_database == 0) continue;
    const std::string own = targets->size() > 1 ? name + "/" + target.info.name : name;
    auto run = read_run(*reader, target.info, contest, own);
    if (!run) return tl::unexpected(run.error().within("trace " + path));
    runs.push_back(*std::move(run));
  }
  return {};
}

}  // namespace

Result<std::vector<score::RunResult>> read_runs(const std::vector<std::string>& traces,
                                                const score::Contest& contest,
                                                const ScoreProgress& progress) {
  const auto names = trace_names(traces);
  if (!names) return tl::unexpected(names.error());
  std::vector<score::RunResult> runs;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (progress) progress(i + 1, traces[i]);
    if (auto read = read_trace(traces[i], (*names)[i], contest, runs); !read) {
      return tl::unexpected(read.error());
    }
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.begin_wall < b.begin_wall; });
  return runs;
}

}  // namespace rocktune::tools
