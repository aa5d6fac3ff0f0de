#include "bench/replay_speed/replay_speed.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <vector>

#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/overhead/usage.h"
#include "bench/replay_speed/report.h"
#include "bench/time/clock.h"
#include "replay/run.h"
#include "sim/calibrate/run.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// Of the day's begin, what calibrates the closed loop.
constexpr double kCalibrateSeconds = 600;

void say(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
}

// A line of /proc/self/status, in bytes.
Result<std::uint64_t> own_memory(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t kib = 0;
    if (words >> word && word == name + ":" && words >> kib) return kib * 1024;
  }
  return fail(ErrorCode::kIo, "/proc/self/status: it has no " + name);
}

// The most that was in memory begins anew (proc(5), clear_refs: 5).
Result<void> forget_most_memory() {
  std::ofstream out("/proc/self/clear_refs");
  if (!(out << "5" << std::flush)) {
    return fail(ErrorCode::kIo, "/proc/self/clear_refs: cannot be written");
  }
  return {};
}

Result<SpeedCost> measured(const std::function<Result<void>()>& work) {
  if (auto done = forget_most_memory(); !done) return tl::unexpected(done.error());
  SpeedCost cost;
  const auto before = own_memory("VmRSS");
  if (!before) return tl::unexpected(before.error());
  const double cpu_begin = own_cpu_seconds();
  const Nanoseconds begin = monotonic_now();
  if (auto done = work(); !done) return tl::unexpected(done.error());
  cost.seconds = seconds_between(begin, monotonic_now());
  cost.cpu_seconds = own_cpu_seconds() - cpu_begin;
  cost.memory_before = *before;
  const auto most = own_memory("VmHWM");
  if (!most) return tl::unexpected(most.error());
  // The kernel notes the most only when pages are given back, and its counts lag: what was seen at
  // the beginning may be more.
  cost.memory_most = std::max(*most, *before);
  return cost;
}

constexpr std::array<const char*, 2> kPolicies{"headroom", "static"};

class ReplaySpeed {
 public:
  ReplaySpeed(const ReplaySpeedSettings& settings, std::string trace)
      : settings_(settings), trace_(std::move(trace)) {}

  Result<ReplaySpeedReport> run() {
    report_.samples = settings_.day.samples;
    report_.families = settings_.day.families;
    report_.repeats = settings_.repeats;
    if (auto done = write(); !done) return tl::unexpected(done.error());
    auto open = in_turns<OpenLoopSpeed>([&](const char* policy) { return open_loop(policy); });
    if (!open) return tl::unexpected(open.error());
    report_.open_loop = *std::move(open);
    if (report_.open_loop.empty()) return fail(ErrorCode::kUnavailable, kStoppedMessage);
    if (!stop_requested()) {
      if (auto closed = close_loop(); !closed) return tl::unexpected(closed.error());
    }
    report_.partial = lacks_runs(report_, kPolicies.size());
    return std::move(report_);
  }

 private:
  Result<void> write();
  Result<OpenLoopSpeed> open_loop(const std::string& policy);
  Result<void> close_loop();
  Result<sim::SimulationInput> calibrate();
  Result<ClosedLoopSpeed> closed_loop(const sim::SimulationInput& input, const std::string& policy);
  // The policies take turns; of each the run in the middle (of an even number the faster one).
  // After a stop that of those that were finished, and none where there are none.
  template <class Speed, class Run>
  Result<std::vector<Speed>> in_turns(Run run);

  const ReplaySpeedSettings settings_;
  const std::string trace_;
  ReplaySpeedReport report_;
};

template <class Speed, class Run>
Result<std::vector<Speed>> ReplaySpeed::in_turns(Run run) {
  std::array<std::vector<Speed>, kPolicies.size()> runs;
  for (int turn = 0; turn < settings_.repeats; ++turn) {
    for (std::size_t i = 0; i < kPolicies.size() && !stop_requested(); ++i) {
      auto one = run(kPolicies.at(i));
      if (!one) return tl::unexpected(one.error());
      runs.at(i).push_back(*std::move(one));
    }
  }
  std::vector<Speed> middle;
  for (std::vector<Speed>& of : runs) {
    if (of.empty()) continue;
    std::sort(of.begin(), of.end(),
              [](const Speed& a, const Speed& b) { return a.cost.seconds < b.cost.seconds; });
    Speed& one = middle.emplace_back(of[(of.size() - 1) / 2]);
    one.cost.fastest_seconds = of.front().cost.seconds;
    one.cost.slowest_seconds = of.back().cost.seconds;
    one.cost.runs = static_cast<int>(of.size());
    for (const Speed& other : of) one.add_worst_of(other);
  }
  return middle;
}

Result<void> ReplaySpeed::write() {
  say("making " + std::to_string(settings_.day.samples) + " samples");
  const Nanoseconds begin = monotonic_now();
  if (auto done = write_day(trace_, settings_.day, stop_requested()); !done) return done;
  report_.write_seconds = seconds_between(begin, monotonic_now());
  std::error_code error;
  report_.trace_bytes = fs::file_size(trace_, error);
  if (error) return fail(ErrorCode::kIo, trace_ + ": " + error.message());
  return {};
}

Result<OpenLoopSpeed> ReplaySpeed::open_loop(const std::string& policy) {
  say("open loop: " + policy);
  OpenLoopSpeed speed{policy, {}, false, 0};
  const auto cost = measured([&]() -> Result<void> {
    const auto choice = parse_policy_choice(policy);
    if (!choice) return tl::unexpected(choice.error());
    const auto results = replay::run({trace_, *choice, std::nullopt}, [](const std::string&) {});
    if (!results) return tl::unexpected(results.error());
    speed.as_recorded = results->front().as_recorded;
    speed.steps_that_differ = results->front().steps_that_differ;
    return {};
  });
  if (!cost) return tl::unexpected(cost.error());
  speed.cost = *cost;
  return speed;
}

Result<void> ReplaySpeed::close_loop() {
  const auto input = calibrate();
  if (!input) return tl::unexpected(input.error());
  auto closed =
      in_turns<ClosedLoopSpeed>([&](const char* policy) { return closed_loop(*input, policy); });
  if (!closed) return tl::unexpected(closed.error());
  report_.closed_loop = *std::move(closed);
  return {};
}

Result<sim::SimulationInput> ReplaySpeed::calibrate() {
  say("calibrating the closed loop");
  auto reader = trace::Reader::open(trace_);
  if (!reader) return tl::unexpected(reader.error());
  auto steps = reader->steps(1);  // the only target
  if (!steps) return tl::unexpected(steps.error());
  sim::RunCalibration calibration(kCalibrateSeconds);
  while (true) {
    const auto step = steps->next();
    if (!step) return tl::unexpected(step.error());
    if (!*step) break;
    calibration.add((*step)->sample);
  }
  return calibration.finish(kDayRocksdbVersion, {}, sim::KnobsAt::kFound);
}

Result<ClosedLoopSpeed> ReplaySpeed::closed_loop(const sim::SimulationInput& input,
                                                 const std::string& policy) {
  say("closed loop: " + policy);
  EngineConfig engine;
  engine.policy = policy;
  ClosedLoopSpeed speed{policy, {}, 0};
  const auto cost = measured([&]() -> Result<void> {
    const auto figures = sim::simulate(input, engine, 0);
    if (!figures) return tl::unexpected(figures.error());
    speed.simulated_seconds = figures->seconds;
    return {};
  });
  if (!cost) return tl::unexpected(cost.error());
  speed.cost = *cost;
  return speed;
}

Result<ReplaySpeedReport> measure_day(const ReplaySpeedSettings& settings) {
  if (!settings.keep.empty()) {
    std::error_code error;
    fs::create_directories(settings.keep, error);
    if (error) return fail(ErrorCode::kIo, settings.keep + ": " + error.message());
    return ReplaySpeed(settings, settings.keep + "/day.sqlite").run();
  }
  auto temporary = TemporaryDirectory::create("rocktune-replay-speed");
  if (!temporary) return tl::unexpected(temporary.error());
  return ReplaySpeed(settings, temporary->path() + "/day.sqlite").run();
}

}  // namespace

int replay_speed_command(const ReplaySpeedSettings& settings) {
  install_stop_signals();
  const auto report = measure_day(settings);
  if (!report && report.error().message == kStoppedMessage) {
    say(kStoppedMessage);
    return 130;
  }
  if (!report) {
    say("rocktune-bench: " + report.error().message);
    return 1;
  }
  std::cout << (settings.json ? replay_speed_json(*report).dump(2) + "\n"
                              : replay_speed_text(*report))
            << std::flush;
  if (!std::cout) {
    say("rocktune-bench: stdout: the result cannot be written");
    return 1;
  }
  if (report->partial) say(kStoppedMessage);
  return report->partial ? 130 : 0;
}

}  // namespace rocktune::bench
