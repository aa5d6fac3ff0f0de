// rocktune sweep: policies and their parameters over many recorded runs.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <sstream>
#include <thread>

#include "files/device_profile.h"
#include "files/file_digest.h"
#include "files/text_file.h"
#include "tools/command.h"
#include "tools/output_file.h"
#include "tools/status_line.h"
#include "tools/stop.h"
#include "tools/sweep_file.h"
#include "tools/sweep_plan.h"
#include "tools/sweep_run.h"
#include "tools/sweep_text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr const char* kSweepFooter =
    R"(GRID.yaml:
  rung: closed_loop              # or open_loop: what would have been decided, nothing simulated
  policies:
    - name: headroom
      params:
        limiter_raise_factor: [1.25, 1.5, 2]
        jobs_return_seconds: {from: 60, to: 600, steps: 4}
    - name: static
  seeds: 20                      # as those of rocktune simulate
  calibrate_until: 60            # seconds; or whole: true
  device: device.yaml            # where it is not as recorded

RESULT.jsonl has a line for each database, policy with parameters, and seed: for
pandas.read_json(lines=True) and DuckDB's read_json_auto (docs/sweep.md). It is there when all is
done; until then RESULT.jsonl.partial has what is, and the same command goes on from there.
Exit code 1: some units failed, their lines say why. 130: stopped.

Example: rocktune sweep grid.yaml runs/*.sqlite -o result.jsonl)";

struct SweepOptions {
  std::string grid, output, units, units_from;
  std::vector<std::string> traces;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool fresh = false, keep_failed = false;
  bool list_units = false;
};

// A grid's mistakes come all at once, one on each line.
int failed_sweep(const Error& error) {
  const int code = error.code == ErrorCode::kInvalidArgument ? kUsage : kFailed;
  std::istringstream mistakes(error.message);
  for (std::string one; std::getline(mistakes, one);) {
    report_error({error.code, "sweep: " + one}, code);
  }
  return code;
}

Result<SweepGrid> load_grid(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  auto grid = parse_sweep_grid(*text, path);
  if (!grid) return fail(ErrorCode::kInvalidArgument, grid.error().message);
  if (grid->device_file.empty()) return grid;
  auto device = load_device_profile(grid->device_file);
  if (!device) return fail(ErrorCode::kInvalidArgument, device.error().message);
  grid->source.device = *std::move(device);
  return grid;
}

Result<SweepPlan> plan_of(const SweepOptions& options) {
  auto grid = load_grid(options.grid);
  if (!grid) return tl::unexpected(grid.error());
  auto build = file_digest("/proc/self/exe");  // a version does not tell builds apart
  if (!build) return tl::unexpected(build.error());
  return SweepPlan::make(*std::move(grid), options.traces, *std::move(build));
}

Result<std::vector<SweepUnit>> chosen_units(const SweepPlan& plan, const SweepOptions& options) {
  if (!options.units.empty()) return plan.numbered(options.units);
  if (options.units_from.empty()) return plan.all();
  constexpr std::size_t kMostListed = std::size_t{1} << 30;  // bytes
  const auto lines = read_text_file(options.units_from, kMostListed);
  if (!lines) return tl::unexpected(lines.error());
  auto units = plan.listed(*lines);
  if (!units) return tl::unexpected(units.error().within(options.units_from));
  return units;
}

// Those that `file` does not have.
int print_units(const SweepPlan& plan, const std::vector<SweepUnit>& units, const SweepFile* file) {
  for (const SweepUnit& unit : units) {
    if (file != nullptr && file->has(unit.number)) continue;
    std::cout << trace::json_text(plan.columns(unit)) << '\n';
  }
  return kOk;
}

class SweepProgress {
 public:
  SweepProgress(std::size_t done, std::size_t total) : before_(done), done_(done), total_(total) {
    show();
  }
  void add(bool failed) {
    ++done_;
    if (failed) ++failed_;
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(100) && done_ < total_) return;
    shown_ = now;
    show();
  }

 private:
  void show() const {
    constexpr std::size_t kBarWidth = 30;
    const std::size_t full = total_ == 0 ? kBarWidth : kBarWidth * done_ / total_;
    std::string text = "[" + std::string(full, '#') + std::string(kBarWidth - full, ' ') + "] " +
                       std::to_string(done_) + " of " + std::to_string(total_) + " units";
    if (failed_ > 0) text += ", " + std::to_string(failed_) + " failed";
    if (done_ > before_) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
      const auto of_now = static_cast<double>(done_ - before_);
      text += ", " + seconds_text(passed.count() / of_now * static_cast<double>(total_ - done_)) +
              " left";
    }
    line_.show(text);
  }

  StatusLine line_;
  std::size_t before_, done_, total_, failed_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), shown_ = begin_;
};

Result<void> run_missing(const SweepPlan& plan, const std::vector<SweepUnit>& units,
                         std::size_t jobs, SweepFile& file) {
  std::vector<SweepUnit> missing;
  std::copy_if(units.begin(), units.end(), std::back_inserter(missing),
               [&](const SweepUnit& unit) { return !file.has(unit.number); });
  SweepProgress progress(file.done(), units.size());
  SweepHooks hooks;
  hooks.stopped = stop_requested;
  hooks.store = [&](const SweepUnit& unit, const std::string& line, bool failed) {
    progress.add(failed);
    return file.append(unit.number, line);
  };
  return run_units(plan, missing, jobs, hooks);
}

// How many units failed, and why the first did.
int report_failed_units(const std::vector<std::string>& results) {
  std::size_t failed = 0;
  std::string first;
  for (const std::string& line : results) {
    const auto row = trace::Json::parse(line);
    if (row.at("error").is_null()) continue;
    if (failed++ == 0) {
      first = "unit " + std::to_string(row.at("unit").get<std::size_t>()) + ", " +
              row.at("trace").get<std::string>() + ": " + row.at("error").get<std::string>();
    }
  }
  if (failed == 0) return kOk;
  return report_error({ErrorCode::kIo, "sweep: " + std::to_string(failed) + " of " +
                                           std::to_string(results.size()) +
                                           " units failed; the first is " + first});
}

// Nothing that is read may be written over, whatever it has in it.
Result<void> check_written(const SweepPlan& plan, const SweepOptions& options) {
  std::vector<std::string> read = options.traces;
  read.push_back(options.grid);
  if (!options.units_from.empty()) read.push_back(options.units_from);
  if (!plan.grid().device_file.empty()) read.push_back(plan.grid().device_file);
  for (const std::string& written : {options.output, partial_of(options.output)}) {
    if (auto other = check_output(written, read); !other) return other;
  }
  return {};
}

Result<SweepFile> open_result(const SweepPlan& plan, const std::vector<SweepUnit>& units,
                              const SweepOptions& options) {
  if (auto other = check_written(plan, options); !other) return tl::unexpected(other.error());
  SweepFile::Units expected;
  for (const SweepUnit& unit : units) expected[unit.number] = {plan.key_of(unit.index), unit.trace};
  return SweepFile::open(options.output, std::move(expected),
                         options.fresh         ? SweepFile::Before::kRemove
                         : options.keep_failed ? SweepFile::Before::kKeepAll
                                               : SweepFile::Before::kKeepGood);
}

int run_sweep(const SweepPlan& plan, const std::vector<SweepUnit>& units,
              const SweepOptions& options, SweepFile& file) {
  take_stop_signals();
  if (auto run = run_missing(plan, units, options.jobs, file); !run) {
    return failed_sweep(run.error());
  }
  if (file.done() < units.size()) {
    return report_error(
        {ErrorCode::kUnavailable, "sweep: stopped with " + std::to_string(file.done()) + " of " +
                                      std::to_string(units.size()) +
                                      " units done; the same command goes on from there"},
        kStopped);
  }
  if (auto finished = file.finish(); !finished) return failed_sweep(finished.error());
  const std::vector<std::string> results = file.lines();
  if (options.units.empty() && options.units_from.empty()) {
    SweepResult result;
    for (const std::string& line : results) {
      if (auto added = result.add(trace::Json::parse(line)); !added) {
        return failed_sweep(added.error());
      }
    }
    for (const std::string& line : sweep_lines(result)) std::cout << printable(line) << '\n';
  }
  return report_failed_units(results);
}

int sweep_all(const SweepOptions& options) {
  const auto plan = plan_of(options);
  if (!plan) return failed_sweep(plan.error());
  const auto units = chosen_units(*plan, options);
  if (!units) return failed_sweep(units.error());
  if (options.output.empty()) {
    if (options.list_units) return print_units(*plan, *units, nullptr);
    return failed_sweep({ErrorCode::kInvalidArgument, "say where the result goes: -o RESULT"});
  }
  auto file = open_result(*plan, *units, options);
  if (!file) return failed_sweep(file.error());
  if (options.list_units) return print_units(*plan, *units, &*file);
  return run_sweep(*plan, *units, options, *file);
}

}  // namespace

void add_sweep(CLI::App& root, Action& chosen) {
  CLI::App* app =
      root.add_subcommand("sweep", "policies and their parameters over many recorded runs");
  auto options = std::make_shared<SweepOptions>();
  app->add_option("GRID", options->grid, "what to go through, a YAML file; see below")->required();
  app->add_option("TRACE", options->traces, "traces of runs")->required();
  app->add_option("-o,--output", options->output, "the result, JSON Lines")->type_name("RESULT");
  app->add_option("--jobs", options->jobs, "units at a time; default: as many as there are CPUs")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}))
      ->type_name("NUMBER");
  auto* fresh = app->add_flag("--fresh", options->fresh,
                              "begin anew, whatever sweep RESULT and RESULT.partial are of");
  app->add_flag("--keep-failed", options->keep_failed,
                "units that failed before are not tried again");
  auto* numbers = app->add_option("--units", options->units, "these units alone, by their numbers")
                      ->type_name("FROM-TO,...");
  app->add_option("--units-from", options->units_from,
                  "these units alone: lines that --list-units printed")
      ->type_name("FILE")
      ->excludes(numbers);
  app->add_flag("--list-units", options->list_units,
                "print the units as JSON Lines, with -o those that it does not have yet; run none")
      ->excludes(fresh);
  app->footer(kSweepFooter);
  app->callback([options, &chosen] { chosen = [options] { return sweep_all(*options); }; });
}

}  // namespace rocktune::tools
