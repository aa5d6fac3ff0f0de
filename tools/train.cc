// rocktune train: fits what the early warnings begin with to recorded runs.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "files/text_file.h"
#include "tools/command.h"
#include "tools/output_file.h"
#include "tools/score_text.h"
#include "tools/status_line.h"
#include "tools/text.h"
#include "tools/train_run.h"
#include "trace/json_text.h"

namespace rocktune::tools {
namespace {

struct TrainOptions {
  TrainRequest request;
  std::string output;
  double per_day = 0;
  bool with_budget = false;
  bool json = false;
};

// Before hours of work: that there can be a file, and nothing but a model file is replaced, since
// anything else is somebody's work.
Result<void> check_model_file(const std::string& path) {
  if (path == "-") {
    return fail(ErrorCode::kInvalidArgument, "a model goes into a file: name it, not -");
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return fail(ErrorCode::kInvalidArgument, path + " is a directory; name the model's file");
  }
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (::access(parent.empty() ? "." : parent.c_str(), W_OK | X_OK) != 0) {
    return fail(ErrorCode::kIo,
                path + " cannot be written: " + std::system_category().message(errno));
  }
  if (!std::filesystem::exists(path, error)) return {};
  const auto text = read_text_file(path, kLargestPriorFile);
  if (text && is_prior_text(*text)) return {};
  return fail(ErrorCode::kConflict,
              path + " exists and is no model file, so it is not replaced; name another file");
}

Json train_json(const TrainOptions& options, const Trained& trained) {
  Json out{{"kind", "train"}, {"model", options.output}, {"trained_on", Json::array()}};
  for (const TrainedOn& one : trained.prior.notes.trained_on) {
    Json onsets = Json::object();
    for (std::size_t i = 0; i < one.onsets.size(); ++i) {
      onsets[std::string(to_string(score::kKinds.at(i)))] = one.onsets.at(i);
    }
    out["trained_on"].push_back(
        {{"trace", one.trace}, {"seconds", one.seconds}, {"onsets", std::move(onsets)}});
  }
  out["score"] = trained.evaluation ? score_json(trained.runs, trained.asked, *trained.evaluation)
                                    : Json(nullptr);
  return out;
}

void print_trained(const TrainOptions& options, const Trained& trained) {
  if (trained.evaluation) {
    std::cout << "Walk-forward: each run under a model of the runs before it.\n";
    for (const std::string& line : score_lines(trained.runs, trained.asked, *trained.evaluation)) {
      std::cout << printable(line) << '\n';
    }
    std::cout << '\n';
  } else {
    std::cout << "No score: no run ended before another one began, and nothing else was there to "
                 "learn from.\n";
  }
  const std::size_t runs = trained.prior.notes.trained_on.size();
  std::cout << options.output << ": learnt from " << runs << (runs == 1 ? " run" : " runs");
  for (const IndicatorKind kind : score::kKinds) {
    std::uint64_t onsets = 0;
    for (const TrainedOn& one : trained.prior.notes.trained_on) {
      onsets += one.onsets.at(static_cast<std::size_t>(kind));
    }
    std::cout << ", " << onsets << " events of " << to_string(kind);
  }
  std::cout << '\n';
}

int train_model(const TrainOptions& options) {
  const auto refused = [](const Error& error) {
    const bool usage = error.code == ErrorCode::kInvalidArgument;
    return report_error(error.within("train"), usage ? kUsage : kFailed);
  };
  if (auto good = check_model_file(options.output); !good) return refused(good.error());
  if (auto good = check_output(options.output, options.request.traces); !good) {
    return refused(good.error());
  }
  TrainRequest request = options.request;
  if (options.with_budget) request.false_alarms_per_day = options.per_day;
  const auto trained = [&] {
    const StatusLine line;
    return train(request,
                 [&](const std::string& doing, std::size_t number, std::size_t total,
                     const std::string& name) { line.show_run(doing, number, total, name); });
  }();
  if (!trained) return refused(trained.error());
  if (auto written = write_prior(options.output, trained->prior); !written) {
    return refused(written.error());
  }
  if (options.json) {
    std::cout << trace::json_text(train_json(options, *trained)) << '\n';
  } else {
    print_trained(options, *trained);
  }
  return kOk;
}

}  // namespace

void add_train(CLI::App& root, Action& chosen) {
  CLI::App* app =
      root.add_subcommand("train", "fit what the early warnings begin with to recorded runs");
  auto options = std::make_shared<TrainOptions>();
  TrainRequest& request = options->request;
  app->add_option("TRACE", request.traces, "traces of runs, in any order")->required();
  app->add_option("-o,--output", options->output, "the model file to write")
      ->required()
      ->type_name("FILE");
  app->add_option("--epochs", request.epochs, "passes over all runs")
      ->check(CLI::Range(1U, 100U))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_option("--hold-out", request.hold_out,
                  "never learn from the runs with this in their name, and score them alone (* "
                  "stands for anything)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  app->add_option("--false-alarms-per-day", options->per_day,
                  "how many are accepted of each indicator; default: as each trace's target had "
                  "it (and 12 for the thresholds of what the model is compared with)")
      ->check(number_between(1e-9, 1e9))
      ->type_name("NUMBER")
      ->each([options = options.get()](const std::string&) { options->with_budget = true; });
  app->add_option("--seed", request.seed, "of the order of later epochs, and of the bootstrap")
      ->capture_default_str();
  app->add_flag("--json", options->json, "one line of JSON, with every figure of every run");
  app->footer(
      "Example: rocktune train runs/*.sqlite -o model.yaml; rocktune score later/*.sqlite --model "
      "model.yaml\nInterrupted, it writes nothing. The format, and how rocktuned uses it: "
      "docs/train.md");
  app->callback([options, &chosen] { chosen = [options] { return train_model(*options); }; });
}

}  // namespace rocktune::tools
