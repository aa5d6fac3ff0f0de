// rocktune probe-device: measures what the device under a directory can do, by fio on a scratch
// file of bounded size and for a bounded time.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "files/replace_file.h"
#include "model/text.h"
#include "tools/child_process.h"
#include "tools/command.h"
#include "tools/output_file.h"
#include "tools/probe_plan.h"
#include "tools/probe_text.h"
#include "tools/run_plan.h"
#include "tools/scratch_file.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr int kProbeInterrupted = 130;  // 128 + SIGINT, as shells have it
constexpr std::int64_t kSmallestFile = 16 << 20;
constexpr double kStartSeconds = 30;  // for fio to begin and to end, on a busy host

// Public fio points of an NVMe drive: 0.24 (docs/device.md).
constexpr double kLargeError = 0.3;

constexpr const char* kProbeFooter =
    R"(DIR: on the file system of the databases; or a file there, which is not touched. Everything is
written to one new file without a name, which is gone when the command ends, however it ends; no
device is ever written to directly. It is refused where the disk would be more than 90% full.
The device is busy meanwhile: what else uses it becomes slower, and makes the figures smaller.

Example: rocktune probe-device /var/lib/db -o /etc/rocktune/nvme0n1.yaml
and in rocktuned.yaml: defaults: {device_profile: /etc/rocktune/nvme0n1.yaml}
Needs fio (apt-get install fio). Exit code 130: it was stopped.)";

struct ProbeOptions {
  std::string place, output;
  std::string fio = "fio";
  std::int64_t size_bytes = std::int64_t{1} << 30;
  double seconds = 60;
  bool json = false, force = false;
};

volatile std::sig_atomic_t probe_stopped = 0;

extern "C" void stop_probe(int /*signal*/) {
  probe_stopped = 1;
}

// One that is ignored stays so (nohup).
void take_probe_signals() {
  struct sigaction action{};
  action.sa_handler = stop_probe;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
}

Result<std::string> find_fio(const std::string& name) {
  const char* path = std::getenv("PATH");
  auto found = find_command(name, path != nullptr ? path : "/bin:/usr/bin");
  if (found) return found;
  return fail(ErrorCode::kNotFound,
              found.error().message + ": install fio (apt-get install fio), or give --fio PATH");
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

class Prober {
 public:
  Prober(const ProbeOptions& options, std::string fio, ScratchFile file)
      : options_(options), fio_(std::move(fio)), file_(std::move(file)) {}

  Result<ProbeReport> run() {
    const auto begin = std::chrono::steady_clock::now();
    ProbeReport report;
    report.setting.direct = file_.takes_direct_io();
    if (!report.setting.direct) {
      say("this file system takes no direct I/O: what is measured is the page cache, too");
    }
    if (file_.device().empty()) {
      say("there is no block device under it (memory, or a network): rocktuned sees no load of it");
    }
    auto filled = fill(report.setting.direct);
    if (!filled) return tl::unexpected(filled.error());
    const auto steps = probe_steps(*filled, report.setting.direct, options_.seconds);
    steps_ = steps.size() + 1;
    for (const ProbeStep& step : steps) {
      auto result = measure(step);
      if (!result) return tl::unexpected(result.error());
      report.steps.push_back({step.name, *std::move(result)});
    }
    auto fit = fit_probe(report.steps);
    if (!fit) return tl::unexpected(fit.error());
    report.fit = *std::move(fit);
    if (report.fit.median_error > kLargeError) {
      say("reads and writes together do not follow the model well: the load of mixed ones is good "
          "to " +
          percent_text(report.fit.median_error) + " only");
    }
    report.setting.place = file_.directory();
    report.setting.device = file_.device();
    report.setting.file_bytes = *filled;
    report.setting.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.setting.time = text::rfc3339(std::chrono::system_clock::now().time_since_epoch());
    return report;
  }

 private:
  static void say(const std::string& text) { std::cerr << "rocktune: " << text << std::endl; }

  // How much of the file was written in the time that there is for it.
  Result<std::int64_t> fill(bool direct) {
    ProbeStep step = fill_step(options_.size_bytes, direct, options_.seconds);
    const auto result = measure(step);
    if (!result) return tl::unexpected(result.error());
    const std::int64_t written = std::min(result->write.bytes, options_.size_bytes);
    if (written < kSmallestFile) {
      return fail(ErrorCode::kUnsupported,
                  "only " + std::to_string(written >> 20) +
                      " MiB were written in the time: give more --seconds, or leave it");
    }
    if (written < options_.size_bytes) {
      say("only " + std::to_string(written >> 20) +
          " MiB were written in the time: used as they are");
    }
    return written >> 20 << 20;
  }

  Result<FioResult> measure(const ProbeStep& step) {
    std::cerr << "[" << ++step_ << "/" << steps_ << "] " << step.text << ": " << std::flush;
    const auto ended = run_child(
        {fio_arguments(fio_, step.run), file_.descriptor(), step.run.seconds + kStartSeconds},
        probe_stopped);
    auto result = ended ? read(*ended) : Result<FioResult>(tl::unexpected(ended.error()));
    std::cerr << (result ? measured_text(*result) : "failed") << std::endl;
    if (!result) return tl::unexpected(result.error().within("fio"));
    return result;
  }

  static Result<FioResult> read(const ChildOutput& output) {
    if (output.exit_code == 0) return parse_fio(output.out);
    const std::string& text = output.err.empty() ? output.out : output.err;
    return fail(
        ErrorCode::kUnavailable,
        "ended with exit code " + std::to_string(output.exit_code) + ": " + first_line(text));
  }

  const ProbeOptions& options_;
  std::string fio_;
  ScratchFile file_;
  std::size_t step_ = 0, steps_ = 12;
};

int failed_probe(const Error& error) {
  if (probe_stopped != 0)
    return report_error({error.code, "probe-device: stopped"}, kProbeInterrupted);
  return report_error(error.within("probe-device"),
                      error.code == ErrorCode::kInvalidArgument ? kUsage : kFailed);
}

int probe_device(const ProbeOptions& options) {
  take_probe_signals();
  auto fio = find_fio(options.fio);
  if (!fio) return failed_probe(fio.error());
  const bool to_file = !options.output.empty();
  // Before anything is measured, so that a minute's work is not lost to a typing mistake.
  if (to_file) {
    const auto free = check_new_output(options.output, options.force);
    if (!free) return failed_probe(free.error());
  }
  auto file = ScratchFile::create(options.place, options.size_bytes);
  if (!file) return failed_probe(file.error());
  const auto report = Prober(options, *fio, *std::move(file)).run();
  if (!report) return failed_probe(report.error());
  if (to_file) {
    if (auto written = replace_file(options.output, probe_yaml(*report)); !written) {
      return failed_probe(written.error());
    }
    std::cerr << "rocktune: " << options.output << " is written; name it as device_profile"
              << std::endl;
  }
  if (options.json) {
    std::cout << probe_json(*report) << std::endl;
  } else if (!to_file) {
    std::cout << probe_yaml(*report) << std::flush;
  }
  return kOk;
}

}  // namespace

void add_probe_device(CLI::App& root, Action& chosen) {
  CLI::App* app =
      root.add_subcommand("probe-device", "measure what the device under a directory can do");
  auto options = std::make_shared<ProbeOptions>();
  app->add_option("DIR", options->place, "a directory on the device, or a file there")->required();
  app->add_option("-o,--output", options->output,
                  "the profile to write (YAML); default: standard output")
      ->type_name("FILE");
  app->add_option("--size", options->size_bytes, "of the scratch file: 512MiB, 4GiB; default 1GiB")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::Range(std::int64_t{64} << 20, std::int64_t{1} << 40))
      ->type_name("SIZE");
  app->add_option("--seconds", options->seconds, "that it takes, about")
      ->check(number_between(6.0, 3600.0))
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_option("--fio", options->fio, "the program fio")
      ->type_name("PATH")
      ->capture_default_str();
  app->add_flag("--force", options->force, "replace FILE if it exists");
  app->add_flag("--json", options->json, "the result as one line of JSON on stdout");
  app->footer(kProbeFooter);
  app->callback([options, &chosen] { chosen = [options] { return probe_device(*options); }; });
}

}  // namespace rocktune::tools
