#include "bench/overhead/overhead.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/host/database.h"
#include "bench/overhead/arm.h"
#include "bench/overhead/host.h"
#include "bench/overhead/poll_cost.h"
#include "bench/overhead/report.h"
#include "bench/overhead/started_host.h"
#include "bench/overhead/workloads.h"
#include "bench/run/load.h"
#include "bench/run/result.h"
#include "bench/time/rfc3339.h"
#include "bench/trial/child.h"
#include "bench/trial/clone.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// The first is what the others are held against.
std::vector<ArmKind> arm_kinds(bool op_trace) {
  if (op_trace) return {{500, false}, {500, true}};
  return {{0, false}, {500, false}, {100, false}};
}

// Of each arm, in random order: long enough that a poll every 500 ms comes in each.
constexpr double kTurnSeconds = 0.5;

// The same host without the agent, and with it at each interval.
struct Host {
  OverheadWorkload workload;
  bool statistics = false;
};

class Overhead {
 public:
  Overhead(const OverheadSettings& settings, std::string directory)
      : settings_(settings),
        directory_(std::move(directory)),
        kinds_(arm_kinds(settings.op_trace)),
        random_(settings.seed) {}

  Result<OverheadReport> run() {
    report_.started = rfc3339_now();
    report_.rocksdb_version = rocksdb_version();
    report_.cpus = std::thread::hardware_concurrency();
    report_.seconds = settings_.seconds;
    report_.rounds = settings_.rounds;
    if (auto loaded = load(); !loaded) return tl::unexpected(loaded.error());
    report_.op_trace = settings_.op_trace;
    auto done = run_rounds();
    if (done && !settings_.op_trace) done = poll();
    if (done) return std::move(report_);
    // A stop ends it with an error, wherever it is; what was finished before stays.
    if (!stop_requested() || !has_pairs(report_)) return tl::unexpected(done.error());
    report_.partial = true;
    return std::move(report_);
  }

 private:
  static void say(const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); }

  Result<void> load();
  Result<void> run_rounds();
  Result<void> run_round(const Host& host, std::size_t first_row);
  Result<void> start_arm(const Host& host, std::size_t kind);
  Result<void> start_recordings();
  [[nodiscard]] std::string arm_directory(std::size_t kind) const {
    return directory_ + "/arm-" + std::to_string(kind);
  }
  Result<void> take_turns();
  Result<void> poll();

  const OverheadSettings settings_;
  const std::string directory_;
  const std::vector<ArmKind> kinds_;
  std::mt19937_64 random_;
  std::vector<Host> hosts_;
  std::vector<std::unique_ptr<Arm>> arms_;  // of the round
  OverheadReport report_;
};

Result<void> Overhead::load() {
  for (const auto& each : overhead_workloads(settings_.threads, settings_.records)) {
    if (!settings_.workload.empty() && each.name != settings_.workload) continue;
    say("loading for " + each.name + ": " + each.about);
    auto database =
        Database::open({directory_ + "/" + each.name, each.configuration, nullptr, false, true});
    if (!database) return tl::unexpected(database.error());
    auto loaded = load_records(**database, each.workload, stop_requested(), [](auto&&...) {});
    if (!loaded) return loaded;
    for (const bool statistics : {true, false}) {
      if (settings_.op_trace && !statistics) continue;
      hosts_.push_back({each, statistics});
      for (std::size_t kind = 1; kind < kinds_.size(); ++kind) {
        report_.rows.push_back({each.name, statistics, kinds_[kind].poll_milliseconds, {}, {}, 0});
      }
    }
  }
  return {};
}

Result<void> Overhead::run_rounds() {
  for (std::int64_t round = 1; round <= settings_.rounds; ++round) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      say("round " + std::to_string(round) + " of " + std::to_string(settings_.rounds) + ": " +
          hosts_[i].workload.name +
          (hosts_[i].statistics ? ", host with statistics" : ", host without statistics"));
      if (auto done = run_round(hosts_[i], i * (kinds_.size() - 1)); !done) return done;
    }
    report_.rounds_finished = round;
  }
  return {};
}

Result<void> Overhead::poll() {
  auto poll = measure_poll_cost(directory_, settings_.families, say);
  if (!poll) return tl::unexpected(poll.error());
  report_.poll = std::move(*poll);
  return {};
}

// Each kind of arm: all are there at once, and go on in turns. Whoever has no turn stands still,
// compactions included. A machine whose speed changes from second to second thus changes it for all
// of them.
Result<void> Overhead::run_round(const Host& host, std::size_t first_row) {
  arms_.clear();
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (auto started = start_arm(host, kind); !started) return started;
  }
  if (auto recorded = start_recordings(); !recorded) return recorded;
  for (const auto& arm : arms_) arm->start_polling();  // no thread before the last process
  if (auto done = take_turns(); !done) return done;
  std::vector<HostRun> runs;
  for (const auto& arm : arms_) {
    auto run = arm->finish();
    if (!run) return tl::unexpected(run.error());
    runs.push_back(*std::move(run));
  }
  for (std::size_t kind = 1; kind < kinds_.size(); ++kind) {
    auto& row = report_.rows[first_row + kind - 1];
    row.without.push_back(runs.front());
    row.with.push_back(runs[kind]);
    row.polls += arms_[kind]->polls();
  }
  arms_.clear();
  return {};
}

Result<void> Overhead::start_recordings() {
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (!kinds_[kind].op_trace) continue;
    const std::string directory = arm_directory(kind) + "/recording";
    std::error_code failed;
    fs::create_directory(directory, failed);
    fs::permissions(directory, fs::perms::owner_all, failed);
    if (auto recorded = arms_[kind]->record_to(directory); !recorded) return recorded;
  }
  return {};
}

Result<void> Overhead::start_arm(const Host& host, std::size_t kind) {
  const std::string directory = arm_directory(kind);
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  fs::create_directory(directory, ignored);
  if (auto cloned = clone_database(directory_ + "/" + host.workload.name, directory + "/db");
      !cloned) {
    return tl::unexpected(cloned.error());
  }
  OverheadHost settings;
  settings.workload = host.workload.name;
  settings.database = directory + "/db";
  settings.threads = settings_.threads;
  settings.records = settings_.records;
  settings.agent = kinds_[kind].poll_milliseconds > 0;
  settings.statistics = host.statistics;
  auto started = StartedHost::start(settings, directory, {});
  if (!started) return tl::unexpected(started.error());
  const auto ready = started->wait_for_line();
  if (!ready) return tl::unexpected(ready.error());
  arms_.push_back(std::make_unique<Arm>(std::move(*started), kinds_[kind]));
  return {};
}

Result<void> Overhead::take_turns() {
  std::vector<Arm*> order;
  order.reserve(arms_.size());
  for (const auto& arm : arms_) order.push_back(arm.get());
  for (double left = settings_.seconds; left > 0; left -= kTurnSeconds) {
    std::shuffle(order.begin(), order.end(), random_);
    for (auto* const arm : order) {
      if (stop_requested()) return fail(ErrorCode::kUnavailable, "stopped");
      arm->turn(std::min(left, kTurnSeconds));
    }
  }
  return {};
}

Result<void> write(const OverheadSettings& settings, const OverheadReport& report) {
  const std::string text = overhead_json(report).dump(2) + "\n";
  std::cout << (settings.json == "-" ? text : overhead_table(report)) << std::flush;
  if (!std::cout) return fail(ErrorCode::kIo, "stdout: the result cannot be written");
  if (settings.json.empty() || settings.json == "-") return {};
  std::ofstream out(settings.json, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) return fail(ErrorCode::kIo, settings.json + ": cannot be written");
  return {};
}

Result<void> measure_and_write(const OverheadSettings& settings) {
  auto temporary = TemporaryDirectory::create("rocktune-overhead");
  if (!temporary) return tl::unexpected(temporary.error());
  const auto report = Overhead(settings, temporary->path()).run();
  if (!report) return tl::unexpected(report.error());
  return write(settings, *report);
}

}  // namespace

int overhead_command(const OverheadSettings& settings) {
  install_stop_signals();
  const auto done = measure_and_write(settings);
  if (stop_requested()) {
    std::fprintf(stderr, "stopped; nothing is left running\n");
    return 130;
  }
  if (!done) {
    std::fprintf(stderr, "rocktune-bench: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace rocktune::bench
