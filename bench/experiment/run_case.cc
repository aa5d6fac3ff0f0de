#include "bench/experiment/run_case.h"

#include <filesystem>
#include <fstream>

#include "bench/cli/stop.h"
#include "bench/experiment/device_mix.h"
#include "bench/trial/loaded_database.h"
#include "bench/trial/trial.h"
#include "scenario/device/profile.h"

namespace rocktune::bench::experiment {
namespace {

namespace fs = std::filesystem;

double seconds_of(const CaseRun& run) {
  return run.seconds > 0 ? run.seconds : run.part.size(run.size).seconds;
}

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text << '\n';
  if (!out.flush()) return fail(ErrorCode::kIo, path + ": cannot be written");
  return {};
}

Result<void> make_run_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(ErrorCode::kIo, path + ": cannot be created: " + error.message());
  return {};
}

Result<void> run_on_device(const CaseRun& run, const Store& store) {
  const Size& size = run.part.size(run.size);
  auto profile = scenario::load_device_profile(run.one.device);
  if (!profile) return tl::unexpected(profile.error());
  const std::string directory = store.run_directory(run.part, run.one, run.round);
  if (auto made = make_run_directory(directory); !made) return made;
  DeviceMix mix;
  mix.profile = profile->scaled(size.device_scale > 0 ? size.device_scale : size.scale);
  mix.load.read_share = run.one.read_share;
  mix.load.queue_depth = size.threads;
  mix.load.request_bytes = run.part.request_bytes;
  mix.seconds = seconds_of(run);
  mix.seed = static_cast<std::uint64_t>(run.round);
  return write_text(directory + "/run.json", run_device_mix(mix).dump(2));
}

Result<void> run_on_rocksdb(const CaseRun& run, const Store& store, const Watcher& watcher) {
  if (auto made = make_run_directory(store.work()); !made) return made;
  auto subject = subject_of(run, store.work());
  if (!subject) return tl::unexpected(subject.error());
  auto loaded = loaded_database(*subject, store.work(), watcher);
  if (!loaded) return tl::unexpected(loaded.error());
  if (!*loaded) return {};  // stopped
  TrialPlan plan;
  plan.subject = std::move(*subject);
  plan.loaded = **loaded;
  plan.directory = store.run_directory(run.part, run.one, run.round);
  auto outcome = run_trial(plan, watcher);
  if (!outcome) return tl::unexpected(outcome.error());
  return {};
}

}  // namespace

Result<TrialSubject> subject_of(const CaseRun& run, const std::string& work) {
  const Size& size = run.part.size(run.size);
  const std::string stem = work + "/" + file_name(run.part.name) + "." + file_name(run.one.name);
  TrialSubject subject;
  subject.workload = stem + ".workload.yaml";
  if (auto done = write_text(subject.workload, run.one.workload_yaml); !done) {
    return tl::unexpected(done.error());
  }
  subject.configuration = run.one.configuration;
  if (subject.configuration.empty()) {
    const std::string file = stem + ".configuration.yaml";
    if (auto done = write_text(file, run.one.configuration_yaml); !done) {
      return tl::unexpected(done.error());
    }
    subject.configuration = file + ":" + run.one.name;
  }
  subject.device = run.one.device;
  subject.scale = size.scale;
  subject.device_scale = size.device_scale;
  subject.records = size.records;
  subject.threads = size.threads;
  subject.seconds = seconds_of(run);
  OptionSet options = run.one.options;
  const OptionSet& sized =
      run.size == SizeName::kScaled ? run.one.options_scaled : run.one.options_full;
  for (const auto& [key, value] : sized) options[key] = value;
  for (const auto& [key, value] : options) {
    subject.load_options.emplace_back(key).append("=").append(value);
  }
  return subject;
}

Result<void> run_case(const CaseRun& run, const Store& store, const Watcher& watcher) {
  if (auto cleared = store.clear(run.part, run.one, run.round); !cleared) return cleared;
  auto done = run.part.kind == PartKind::kDevice ? run_on_device(run, store)
                                                 : run_on_rocksdb(run, store, watcher);
  if (!done) {
    return tl::unexpected(done.error().within("experiment " + run.experiment.name + ", part " +
                                              run.part.name + ", case " + run.one.name));
  }
  return done;
}

}  // namespace rocktune::bench::experiment
