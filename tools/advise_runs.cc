#include "tools/advise_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "advice/rules.h"
#include "tools/options_file.h"

namespace rocktune::tools {
namespace {

// A database that was not read for longer than this at the end of its trace was closed by then. As
// long as the early warnings wait until they take it for a gap (policy/gaps.h): one poll may go
// without an answer, whatever time lies between two.
double most_seconds_unread(const trace::RunInfo& recorded_by) {
  constexpr double kLeastSeconds = 10, kPolls = 3;
  return std::max(kLeastSeconds, kPolls * recorded_by.poll_interval_seconds);
}

// `options`: of the file, where one was given; else those that the trace has.
std::map<std::string, advice::Opening> openings_of(const RecordedRun& run,
                                                   const OpenOptions& options) {
  std::map<std::string, advice::Opening> out;
  for (const trace::IncarnationInfo& one : run.openings) {
    out[one.incarnation] = {one.rocksdb_version, one.limiter, one.statistics,
                            options.empty() ? one.options : options};
  }
  return out;
}

// What the import says of a LOG that does not tell it.
bool is_known(const std::string& host) {
  return !host.empty() && host != "unknown";
}

// Of RocksDB before 6.12 openings are numbered in each LOG ("log:1"): the same number says nothing.
bool is_numbered(const std::string& incarnation) {
  constexpr std::string_view kLog = "log:";
  return incarnation.empty() ||
         (incarnation.starts_with(kLog) &&
          incarnation.find_first_not_of("0123456789", kLog.size()) == std::string::npos);
}

class DatabaseFold {
 public:
  DatabaseFold(const RecordedRun& first, const OptionsFile& file) : options_(file.options) {
    advised_.name = first.database_name;
    advised_.path = first.database_path;
    advised_.host = first.recorded_by.host;
    advised_.options_file = file.path;
  }

  [[nodiscard]] bool is(const RecordedRun& run) const {
    if (advised_.path != run.database_path) return false;
    if (is_known(advised_.host) && is_known(run.recorded_by.host)) {
      return advised_.host == run.recorded_by.host;
    }
    return std::any_of(run.openings.begin(), run.openings.end(),
                       [&](const auto& one) { return openings_.contains(one.incarnation); });
  }
  [[nodiscard]] const std::string& path() const { return advised_.path; }
  [[nodiscard]] const std::string& host() const { return advised_.host; }

  // When it was last read, and the trace of that.
  [[nodiscard]] Nanoseconds last_wall() const { return fold_.evidence().last_wall; }
  [[nodiscard]] const std::string& last_trace() const { return last_trace_; }
  [[nodiscard]] double most_seconds_unread() const { return most_seconds_unread_; }

  Result<void> add(const RecordedRun& run) {
    // A database whose settings were changed by a reload is two targets of one trace.
    auto& traces = advised_.traces;
    if (std::find(traces.begin(), traces.end(), run.trace) == traces.end()) {
      traces.push_back(run.trace);
    }
    last_trace_ = run.trace;
    most_seconds_unread_ = tools::most_seconds_unread(run.recorded_by);
    fold_.begin_recording(memory_max(run.engine.budget));
    for (const trace::IncarnationInfo& one : run.openings) {
      if (!is_numbered(one.incarnation)) openings_.insert(one.incarnation);
    }
    const auto openings = openings_of(run, options_);
    advice::Opening unknown;
    unknown.options = options_;
    return for_each_sample(run, [&](const Sample& sample) {
      const auto found = openings.find(sample.incarnation);
      fold_.add(sample, found == openings.end() ? unknown : found->second);
    });
  }

  // `sharers`: databases that share its host's memory at the end, this one included, in this
  // request. `apart`: a database of its path there may be this one.
  AdvisedDatabase finish(std::size_t sharers, bool apart) {
    advised_.apart = apart;
    advised_.evidence = fold_.evidence();
    // What the trace tells is of one user's databases alone (daemon/share_groups.h); all users' are
    // in this request.
    auto& memory_sharers = advised_.evidence.memory_sharers;
    memory_sharers = std::max<std::uint64_t>(memory_sharers.value_or(1), sharers);
    if (!options_.empty()) advised_.differences = option_differences(options_, advised_.evidence);
    advised_.report = advice::judge(advised_.evidence);
    return std::move(advised_);
  }

 private:
  static std::optional<std::uint64_t> memory_max(const Budget& budget) {
    if (!budget.memory_max || budget.memory_max->value < 0) return std::nullopt;
    return static_cast<std::uint64_t>(budget.memory_max->value);
  }

  AdvisedDatabase advised_;
  OpenOptions options_;
  advice::EvidenceFold fold_;
  std::set<std::string> openings_;
  std::string last_trace_;
  double most_seconds_unread_ = 0;  // as that one was recorded
};

// The last sample of each trace, of whichever database.
std::map<std::string, Nanoseconds> ends_of(const std::vector<RecordedRun>& runs) {
  std::map<std::string, Nanoseconds> ends;
  for (const RecordedRun& run : runs) {
    Nanoseconds& end = ends[run.trace];
    end = std::max(end, run.end_wall);
  }
  return ends;
}

// `ends`: as ends_of().
std::vector<AdvisedDatabase> finished(std::vector<DatabaseFold>& folds,
                                      const std::map<std::string, Nanoseconds>& ends) {
  std::map<std::string, std::set<std::string>> open;  // paths by host, at the end of the trace
  std::map<std::string, std::size_t> at_path;         // databases, of whichever host
  for (const DatabaseFold& fold : folds) {
    const double away = seconds_between(fold.last_wall(), ends.at(fold.last_trace()));
    if (away <= fold.most_seconds_unread()) open[fold.host()].insert(fold.path());
    ++at_path[fold.path()];
  }
  std::vector<AdvisedDatabase> out;
  out.reserve(folds.size());
  for (DatabaseFold& fold : folds) {
    const bool apart = !is_known(fold.host()) && at_path[fold.path()] > 1;
    std::set<std::string> sharing = open[fold.host()];
    sharing.insert(fold.path());
    out.push_back(fold.finish(sharing.size(), apart));
  }
  return out;
}

Result<std::vector<RecordedRun>> chosen_runs(const AdviseRequest& request) {
  auto recorded = list_recorded_runs(request.traces);
  if (!recorded) return recorded;
  std::vector<RecordedRun> out;
  std::string known;
  for (RecordedRun& run : *recorded) {
    if (!request.target || run.database_name == *request.target ||
        run.database_path == *request.target) {
      out.push_back(std::move(run));
    } else {
      known += (known.empty() ? "" : ", ") + run.database_name;
    }
  }
  if (!out.empty()) return out;
  if (request.target && !known.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no target \"" + *request.target + "\"; there are: " + known);
  }
  return fail(ErrorCode::kNotFound,
              "no database was read in any of these traces; rocktune trace info FILE shows what is "
              "in one");
}

}  // namespace

Result<std::vector<AdvisedDatabase>> advise_on(const AdviseRequest& request,
                                               const RunProgress& progress) {
  OptionsFile options;
  if (!request.options.empty()) {
    auto read = read_options(request.options);
    if (!read) return tl::unexpected(read.error());
    options = *std::move(read);
  }
  const auto runs = chosen_runs(request);
  if (!runs) return tl::unexpected(runs.error());
  std::vector<DatabaseFold> folds;
  std::size_t number = 0;
  for (const RecordedRun& run : *runs) {
    if (progress) progress(++number, runs->size(), run.name);
    auto fold = std::find_if(folds.begin(), folds.end(),
                             [&](const DatabaseFold& one) { return one.is(run); });
    if (fold == folds.end()) fold = folds.insert(folds.end(), DatabaseFold(run, options));
    if (folds.size() > 1 && !request.options.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "--options are of one database, and the traces have several: --target chooses");
    }
    if (auto added = fold->add(run); !added) return tl::unexpected(added.error());
  }
  return finished(folds, ends_of(*runs));
}

}  // namespace rocktune::tools
