#include "tools/run_list.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "model/digest.h"
#include "tools/text.h"

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

Result<void> list_trace(const std::string& path, const std::string& name,
                        std::vector<RecordedRun>& runs) {
  auto reader = trace::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  auto targets = reader->targets();
  if (!targets) return tl::unexpected(targets.error());
  std::map<std::string, int> uses;
  for (trace::TargetSummary& target : *targets) {
    const std::string called = trace::called_in_trace(target.info.name, ++uses[target.info.name]);
    if (target.samples_with_database == 0) continue;
    std::string own = name;
    if (targets->size() > 1) own.append("/").append(called);
    const std::string version =
        target.incarnations.empty() ? "" : target.incarnations.back().rocksdb_version;
    runs.push_back({own, path, target.info.id, called, target.info.engine, version,
                    target.first_wall, target.last_wall, reader->run(), target.samples,
                    std::move(target.info.name), std::move(target.info.path),
                    std::move(target.incarnations)});
  }
  return {};
}

// Were a run and its copy to count as two, they would agree with each other.
Result<void> refuse_copies(const std::vector<RecordedRun>& runs) {
  std::map<std::string, const RecordedRun*> known;
  for (const RecordedRun& run : runs) {
    const auto [other, is_new] = known.emplace(identity_of(run), &run);
    if (is_new) continue;
    return fail(ErrorCode::kInvalidArgument, "trace " + run.trace + " is the same run as " +
                                                 other->second->trace +
                                                 "; a run may count only once");
  }
  return {};
}

}  // namespace

std::string identity_of(const RecordedRun& run) {
  std::ostringstream text;
  text << run.recorded_by.host << '\n'
       << run.recorded_by.daemon_version << '\n'
       << run.recorded_by.started_wall.count() << '\n'
       << run.target << '\n'
       << run.target_name << '\n'
       << run.samples << '\n'
       << run.begin_wall.count() << '\n'
       << run.end_wall.count() << '\n';
  return digest(text.str());
}

Result<std::vector<RecordedRun>> list_recorded_runs(const std::vector<std::string>& traces) {
  const auto names = trace_names(traces);
  if (!names) return tl::unexpected(names.error());
  std::vector<RecordedRun> runs;
  std::vector<std::string> unread;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::size_t before = runs.size();
    if (auto listed = list_trace(traces[i], (*names)[i], runs); !listed) {
      return tl::unexpected(listed.error());
    }
    if (runs.size() == before) unread.push_back(traces[i]);
  }
  if (runs.empty()) unread.clear();  // whoever asked says so
  for (const std::string& trace : unread) {
    std::cerr << "rocktune: left out: no database was read in trace " << printable(trace)
              << std::endl;
  }
  if (auto single = refuse_copies(runs); !single) return tl::unexpected(single.error());
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.begin_wall < b.begin_wall; });
  return runs;
}

Result<void> for_each_step(const RecordedRun& run,
                           const std::function<void(const trace::RecordedStep&)>& use) {
  auto reader = trace::Reader::open(run.trace);
  if (!reader) return tl::unexpected(reader.error());
  auto steps = reader->steps(run.target);
  if (!steps) return tl::unexpected(steps.error());
  for (std::uint64_t i = 0; i < run.samples; ++i) {
    auto step = steps->next();
    if (!step) return tl::unexpected(step.error());
    if (!*step) return {};
    use(**step);
  }
  return {};
}

Result<void> for_each_sample(const RecordedRun& run,
                             const std::function<void(const Sample&)>& use) {
  return for_each_step(run, [&](const trace::RecordedStep& step) { use(step.sample); });
}

}  // namespace rocktune::tools
