#include "bench/run/session.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "bench/host/database.h"
#include "bench/run/device_watch.h"
#include "bench/run/load.h"
#include "bench/run/runner.h"
#include "bench/time/clock.h"
#include "bench/time/rfc3339.h"
#include "bench/trial/clone.h"

namespace rocktune::bench {
namespace {

constexpr auto kSessionLook = std::chrono::milliseconds(20);
constexpr Nanoseconds kMostOfASecond = std::chrono::milliseconds(500);
// From the last thing that is set up to the first operation, so that all databases begin together.
constexpr Nanoseconds kLeadTime = std::chrono::milliseconds(100);

class Session {
 public:
  Session(const SessionPlan& plan, const std::atomic<bool>& stop, SessionWatcher& watcher)
      : plan_(plan), stop_(stop), watcher_(watcher) {}

  Result<RunResult> run() {
    result_.started = rfc3339_now();
    result_.scenario = plan_.scenario;
    for (const std::string& path : plan_.paths) result_.databases.push_back({path, "", {}});
    if (!plan_.load_only) {
      auto made = make_the_device();
      // Whatever failed: Ctrl-C reaches mkfs as well.
      if (!made && stop_) return stopped("stopped by a signal while the device was set up");
      if (!made) return tl::unexpected(made.error());
    }
    if (auto loaded = load(); !loaded) return tl::unexpected(loaded.error());
    if (stop_) return stopped("stopped by a signal while loading");
    if (plan_.load_only) return std::move(result_);
    if (auto opened = open(); !opened) return tl::unexpected(opened.error());
    if (auto measured = measure(); !measured) return tl::unexpected(measured.error());
    if (result_.partial) return stopped("stopped by a signal");
    return std::move(result_);
  }

 private:
  RunResult stopped(const std::string& reason) {
    result_.partial = true;
    result_.partial_reason = reason;
    return std::move(result_);
  }

  [[nodiscard]] std::size_t count() const { return plan_.paths.size(); }
  [[nodiscard]] const scenario::ScenarioDatabase& database(std::size_t i) const {
    return plan_.scenario.databases[i];
  }

  Result<void> make_the_device() {
    // What an emulated device publishes lies where rocktuned looks for it: beside the first
    // database, whose directory is yet to be made.
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(plan_.paths.front()).parent_path(),
                                        error);
    auto made = make_device(plan_.device, {plan_.paths.front() + ".device", "", capacity_bytes()});
    if (!made) return tl::unexpected(made.error());
    device_ = std::move(*made);
    result_.device.label = device_->label();
    if (device_->profile() != nullptr) result_.device.profile = *device_->profile();
    return device_->set_charging(false);
  }

  // Room for everything that is loaded, and for the space that compaction takes meanwhile.
  [[nodiscard]] std::int64_t capacity_bytes() const {
    constexpr std::int64_t kSpaceAmplification = 4;
    std::int64_t bytes = DevicePlace{}.capacity_bytes;
    for (const scenario::ScenarioDatabase& each : plan_.scenario.databases) {
      bytes += kSpaceAmplification * each.workload.records * each.workload.value_size.largest();
    }
    return bytes;
  }

  Result<void> load() {
    for (std::size_t i = 0; i < count() && !stop_; ++i) {
      auto done = ensure_loaded(i);
      if (!done) return tl::unexpected(done.error().within("database " + database(i).name));
    }
    watcher_.loaded();
    return {};
  }

  Result<std::optional<Loaded>> look(std::size_t i);
  Result<void> ensure_loaded(std::size_t i);
  Result<void> open();
  Result<void> measure();
  Result<void> stop_charging();
  void run_one(std::size_t i, Nanoseconds begin);

  const SessionPlan& plan_;
  const std::atomic<bool>& stop_;
  SessionWatcher& watcher_;
  RunResult result_;
  std::unique_ptr<TargetDevice> device_;              // outlives the databases
  std::vector<std::unique_ptr<Database>> databases_;  // in the scenario's order
  std::atomic<bool> ending_{false};                   // stop_, or one of the databases failed
  std::atomic<std::size_t> running_{0};
  std::mutex mutex_;
  std::vector<Error> failures_;  // guarded by mutex_, as is the watcher
};

std::vector<std::string> family_names(const scenario::Workload& workload) {
  std::vector<std::string> names;
  names.reserve(workload.families.size());
  for (const scenario::Family& family : workload.families) names.push_back(family.name);
  return names;
}

// What there is, before anything there is opened to be written: it may be somebody else's. Nothing
// where there is no database yet.
Result<std::optional<Loaded>> Session::look(std::size_t i) {
  std::error_code ignored;
  if (!std::filesystem::exists(plan_.paths[i] + "/CURRENT", ignored)) {
    return std::optional<Loaded>{};
  }
  OpenSettings settings{plan_.paths[i], database(i).configuration};
  settings.agent = false;
  settings.read_only = true;
  auto opened = Database::open(settings);
  if (!opened) return tl::unexpected(opened.error());
  return read_loaded(**opened);
}

// Loads when the database is empty; refuses one that was loaded otherwise. On the plain disk, with
// all the machine's CPUs, and no limit.
Result<void> Session::ensure_loaded(std::size_t i) {
  const scenario::Workload& workload = database(i).workload;
  const auto loaded = look(i);
  if (!loaded) return tl::unexpected(loaded.error());
  const Loaded wanted = load_of(workload);
  if (*loaded && **loaded == wanted) return {};
  if (*loaded) {
    return fail(ErrorCode::kConflict, plan_.paths[i] + " was loaded with " + loaded_text(**loaded) +
                                          ", the workload has " + loaded_text(wanted) +
                                          ": take another --db or remove it");
  }
  OpenSettings settings{plan_.paths[i], database(i).configuration};
  settings.agent = false;
  settings.compactions = workload.backlog.level0_files == 0;
  settings.families = family_names(workload);
  settings.configuration.rate_limit_bytes_per_second = 0;
  settings.configuration.max_background_jobs =
      std::max<std::int64_t>(4, std::thread::hardware_concurrency());
  auto opened = Database::open(settings);
  if (!opened) return tl::unexpected(opened.error());
  return load_records(**opened, workload, stop_, [&](std::int64_t records, bool settling) {
    watcher_.loading(database(i), records, settling);
  });
}

Result<void> Session::open() {
  for (std::size_t i = 0; i < count(); ++i) {
    DatabaseResult& result = result_.databases[i];
    if (const auto directory = device_->directory()) {
      result.path = *directory + "/" + database(i).name;
      if (auto copied = clone_database(plan_.paths[i], result.path); !copied) return copied;
    }
    if (auto announced = device_->announce(result.path); !announced) return announced;
    OpenSettings settings{result.path, database(i).configuration, device_.get(), plan_.agent};
    settings.families = family_names(database(i).workload);
    auto opened = Database::open(settings);
    if (!opened) return tl::unexpected(opened.error());
    result.agent = (*opened)->agent_status();
    watcher_.note(device_->label() +
                  (plan_.scenario.device == "none" ? "" : " " + plan_.scenario.device) + ", " +
                  database(i).name + ": configuration " + database(i).configuration.name +
                  ", agent " + result.agent);
    databases_.push_back(std::move(*opened));
  }
  return {};
}

Result<void> Session::measure() {
  if (auto charging = device_->set_charging(true); !charging) return charging;
  const Nanoseconds begin = monotonic_now() + kLeadTime;
  DeviceWatch watch(*device_, result_.databases.front().path);
  std::vector<std::thread> threads;
  threads.reserve(count());
  running_ = count();
  for (std::size_t i = 0; i < count(); ++i) {
    threads.emplace_back([this, i, begin] { run_one(i, begin); });
  }
  sleep_until(begin);
  watch.begin();
  Nanoseconds watched = begin;  // the whole second up to which the device has been looked at
  while (running_ > 0) {
    if (stop_ && !ending_) {
      ending_ = true;
      if (auto done = stop_charging(); !done) {
        const std::lock_guard lock(mutex_);
        watcher_.note(done.error().message);
      }
    }
    if (monotonic_now() >= watched + kSecond) {
      watch.second(seconds_between(begin, monotonic_now()));
      watched += kSecond;
    }
    std::this_thread::sleep_for(kSessionLook);
  }
  // The last second ends with the last operation; the rest of one would say little.
  if (monotonic_now() - watched >= kMostOfASecond) {
    watch.second(seconds_between(begin, monotonic_now()));
  }
  for (std::thread& thread : threads) thread.join();
  watch.end(result_.device);
  auto as_planned = stop_charging();
  if (!failures_.empty()) return tl::unexpected(failures_.front());
  return as_planned;
}

// What is left to do - the last operations after a stop, flushes of databases that close - is not
// measured and need not wait for the device.
Result<void> Session::stop_charging() {
  return device_->set_charging(false);
}

void Session::run_one(std::size_t i, Nanoseconds begin) {
  const scenario::ScenarioDatabase& mine = database(i);
  auto done = run_phases(
      *databases_[i], mine.workload, ending_,
      [&](const scenario::Phase& phase, const Interval& second) {
        const std::lock_guard lock(mutex_);
        watcher_.second(mine, phase, second);
      },
      begin);
  {
    const std::lock_guard lock(mutex_);
    if (done) {
      result_.databases[i].phases = std::move(done->phases);
      result_.partial = result_.partial || done->stopped;
    } else {
      failures_.push_back(done.error().within("database " + mine.name));
      ending_ = true;
    }
  }
  --running_;
}

}  // namespace

Result<RunResult> run_session(const SessionPlan& plan, const std::atomic<bool>& stop,
                              SessionWatcher& watcher) {
  return Session(plan, stop, watcher).run();
}

}  // namespace rocktune::bench
