// rocktune validate: the simulator against what was recorded.
#include <iostream>
#include <memory>

#include "tools/command.h"
#include "tools/refused_runs.h"
#include "tools/run_list.h"
#include "tools/status_line.h"
#include "tools/text.h"
#include "tools/validate_text.h"

namespace rocktune::tools {
namespace {

struct ValidateOptions {
  std::vector<std::string> traces;
  double calibrate_seconds = 600;
  std::size_t seeds = 20;
  bool json = false;
};

Result<ValidatedRun> validate_run(const RecordedRun& run, const ValidateOptions& options) {
  sim::Validation validation(options.calibrate_seconds);
  const auto read = for_each_step(
      run, [&](const trace::RecordedStep& step) { validation.add(step.sample, step.events); });
  if (!read) return tl::unexpected(read.error());
  auto result = validation.finish(run.rocksdb_version, options.seeds);
  if (!result) return tl::unexpected(result.error());
  return ValidatedRun{run.name, *std::move(result)};
}

struct Validated {
  std::vector<ValidatedRun> runs;
  std::vector<RefusedRun> refused;
};

Result<Validated> validate_runs(const ValidateOptions& options) {
  const auto recorded = list_recorded_runs(options.traces);
  if (!recorded) return tl::unexpected(recorded.error());
  if (recorded->empty()) {
    return fail(ErrorCode::kNotFound,
                "no database was read in any of these traces; rocktune trace info FILE shows what "
                "is in one");
  }
  const StatusLine line;
  Validated out;
  for (const RecordedRun& one : *recorded) {
    line.show_run("simulating", out.runs.size() + out.refused.size() + 1, recorded->size(),
                  one.name);
    auto run = validate_run(one, options);
    if (run) {
      out.runs.push_back(*std::move(run));
    } else {
      out.refused.push_back(refused_run(one, run.error()));
    }
  }
  return out;
}

int validate_all(const ValidateOptions& options) {
  const auto validated = validate_runs(options);
  if (!validated) {
    const bool usage = validated.error().code == ErrorCode::kInvalidArgument;
    return report_error(validated.error().within("validate"), usage ? kUsage : kFailed);
  }
  const int code =
      report_refusals("validate", refusals(validated->refused, !validated->runs.empty(), true));
  if (validated->runs.empty()) return code;
  if (options.json) {
    std::cout << trace::json_text(validation_json(validated->runs)) << '\n';
  } else {
    for (const std::string& line : validation_lines(validated->runs)) {
      std::cout << printable(line) << '\n';
    }
  }
  return code;
}

}  // namespace

void add_validate(CLI::App& root, Action& chosen) {
  CLI::App* app = root.add_subcommand("validate", "how well the simulator repeats recorded runs");
  auto options = std::make_shared<ValidateOptions>();
  app->add_option("TRACE", options->traces, "traces of runs, in any order")->required();
  app->add_option("--calibrate-until", options->calibrate_seconds,
                  "how much of each run, from its begin, calibrates; the rest is compared")
      ->check(number_between(1, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_option("--seeds", options->seeds, "simulations of each run; their median counts")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_flag("--json", options->json, "one line of JSON, with every figure of every run");
  app->footer(std::string("Example: rocktune validate runs/*.sqlite --calibrate-until 600\n\n") +
              kValidationClaims);
  app->callback([options, &chosen] { chosen = [options] { return validate_all(*options); }; });
}

}  // namespace rocktune::tools
