#include "bench/experiment/command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/compare/shared.h"
#include "bench/experiment/experiment.h"
#include "bench/experiment/progress.h"
#include "bench/experiment/report.h"
#include "bench/experiment/run_case.h"
#include "bench/experiment/schedule.h"
#include "bench/experiment/store.h"
#include "bench/report/result_reader.h"
#include "bench/trial/digest.h"
#include "page/table.h"

namespace rocktune::bench {
namespace {

using namespace experiment;

const std::vector<std::string> kExperimentPrograms = {"rocktune-bench"};

// What the settings come to once the file is read.
struct ExperimentPlan {
  Experiment experiment;
  std::vector<const Part*> parts;  // into `experiment`
  SizeName size = SizeName::kScaled;
  std::int64_t rounds = 1;
  Question question;
};

Result<std::unique_ptr<ExperimentPlan>> make_plan(const ExperimentSettings& settings) {
  auto text = scenario::builtin_or_file(builtin_experiments(), settings.name);
  if (!text) return tl::unexpected(text.error());
  auto parsed = parse_experiment(text->content, text->name);
  if (!parsed) return tl::unexpected(parsed.error());
  auto plan = std::make_unique<ExperimentPlan>();
  plan->experiment = std::move(*parsed);
  plan->size = settings.full ? SizeName::kFull : SizeName::kScaled;
  plan->rounds = settings.repeat > 0 ? settings.repeat : plan->experiment.repeat;
  std::string known;
  for (const Part& part : plan->experiment.parts) {
    if (settings.part.empty() || settings.part == part.name) plan->parts.push_back(&part);
    known += (known.empty() ? "" : ", ") + part.name;
  }
  if (plan->parts.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--part " + settings.part + ": " + text->name + " has the parts " + known);
  }
  if (settings.report_only && settings.output.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--report needs --output: whose runs should it show?");
  }
  auto programs = programs_json(kExperimentPrograms);
  if (!programs) return tl::unexpected(programs.error());
  plan->question = {plan->experiment.name, settings.full ? "full" : "scaled",
                    digest(text->content), settings.seconds,
                    std::move(*programs),  machine_json()};
  return plan;
}

// A disk that fills up in the middle of a night's run helps nobody.
Result<void> check_space(const Part& part, SizeName size, const std::string& directory) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  const double needed = disk_bytes_needed(part, size);
  if (error || static_cast<double>(space.available) >= needed) return {};
  return fail(ErrorCode::kUnavailable,
              "part " + part.name + " needs about " + page::number_text(needed / 1e9, 1) +
                  " GB below " + directory + ", which has " +
                  page::number_text(static_cast<double>(space.available) / 1e9, 1) +
                  " GB: take an --output on a larger disk");
}

Result<void> run_part(const ExperimentPlan& plan, const Part& part,
                      const ExperimentSettings& settings, const Store& store,
                      ExperimentProgress& progress) {
  const auto runs = schedule(part.cases.size(), plan.rounds, settings.seed);
  std::size_t number = 0;
  bool checked = false;
  for (const ScheduledRun& scheduled : runs) {
    if (stop_requested()) return {};
    const Case& one = part.cases[scheduled.case_index];
    ++number;
    if (store.finished(part, one, scheduled.round)) continue;
    if (!checked) {  // later runs find the space taken by what they asked for
      if (auto enough = check_space(part, plan.size, store.directory()); !enough) return enough;
      checked = true;
    }
    progress.begin(part.name, one.name, scheduled.round, number, runs.size());
    if (auto same = check_programs(kExperimentPrograms, plan.question.programs); !same) return same;
    const CaseRun run{plan.experiment, part, one, plan.size, settings.seconds, scheduled.round};
    auto done = run_case(run, store, progress.watcher());
    progress.end(store.finished(part, one, scheduled.round), part.metrics);
    if (!done) return done;
  }
  return {};
}

PartSummary summarize(const ExperimentPlan& plan, const Part& part, const Store& store,
                      const ExperimentSettings& settings) {
  PartSummary summary;
  summary.part = &part;
  summary.rounds = settings.report_only && settings.repeat == 0
                       ? std::max<std::int64_t>(1, store.rounds(part))
                       : plan.rounds;
  summary.figures = store.figures(part, summary.rounds);
  summary.verdicts = judge(part, summary.figures);
  summary.runs_partial = store.partial_runs(part);
  for (const Case& one : part.cases) {
    for (std::int64_t round = 1; round <= summary.rounds; ++round) {
      const auto result = store.finished(part, one, round);
      if (!result) continue;
      ++summary.runs_done;
      if (summary.label.empty()) summary.label = report::device_text(*result);
    }
  }
  return summary;
}

std::string command_text(const ExperimentSettings& settings) {
  std::string text = "rocktune-bench experiment " + settings.name;
  if (!settings.part.empty()) text += " --part " + settings.part;
  if (settings.full) text += " --full";
  if (settings.repeat > 0) text += " --repeat " + std::to_string(settings.repeat);
  if (settings.seconds > 0) text += " --seconds " + seconds_text(settings.seconds);
  if (settings.seed != ExperimentSettings{}.seed)
    text += " --seed " + std::to_string(settings.seed);
  return text;
}

Result<void> show(const ExperimentPlan& plan, const Store& store,
                  const ExperimentSettings& settings) {
  Summary summary;
  summary.experiment = &plan.experiment;
  summary.size = plan.size;
  summary.command = command_text(settings);
  summary.machine = report::this_machine();
  summary.seconds = settings.seconds;
  summary.stopped = stop_requested();
  for (const Part* part : plan.parts) {
    summary.parts.push_back(summarize(plan, *part, store, settings));
  }
  const std::string object = summary_json(summary).dump(2) + "\n";
  if (auto done = store.write("report.md", experiment::markdown(summary)); !done) return done;
  if (auto done = store.write("report.json", object); !done) return done;
  std::fputs(settings.json ? object.c_str() : experiment::plain_text(summary).c_str(), stdout);
  if (std::fflush(stdout) != 0) {
    return fail(ErrorCode::kIo, "stdout: the tables cannot be written");
  }
  return {};
}

Result<void> run_planned(const ExperimentPlan& plan, const ExperimentSettings& settings,
                         const std::string& directory) {
  auto store = Store::open(directory, plan.question);
  if (!store) return tl::unexpected(store.error());
  Result<void> done;
  if (!settings.report_only) {
    ExperimentProgress progress(settings.progress != "none");
    for (const Part* part : plan.parts) {
      done = run_part(plan, *part, settings, *store, progress);
      store->remove_work();
      if (!done || stop_requested()) break;
    }
  }
  auto shown = show(plan, *store, settings);  // also what there was before a failure
  return done ? shown : done;
}

}  // namespace

int experiment_command(const ExperimentSettings& settings) {
  const auto plan = make_plan(settings);
  if (!plan) {
    std::fprintf(stderr, "%s\n", plan.error().message.c_str());
    return 2;
  }
  install_stop_signals();
  std::string directory = settings.output;
  if (directory.empty()) {
    auto temporary = TemporaryDirectory::create("rocktune-experiment");
    if (!temporary) {
      std::fprintf(stderr, "rocktune-bench: %s\n", temporary.error().message.c_str());
      return 1;
    }
    temporary->keep();
    directory = temporary->path();
  }
  const auto done = run_planned(**plan, settings, directory);
  std::fprintf(stderr, "results are in %s\n", directory.c_str());
  if (!done) {
    std::fprintf(stderr, "rocktune-bench: %s\n", done.error().message.c_str());
    return done.error().code == ErrorCode::kConflict ? 2 : 1;
  }
  if (stop_requested()) {
    std::fprintf(stderr, "stopped; go on with --output %s\n", directory.c_str());
    return 130;
  }
  return 0;
}

}  // namespace rocktune::bench
