#include "bench/overhead/host.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <thread>

#include "bench/cli/stop.h"
#include "bench/host/database.h"
#include "bench/overhead/families.h"
#include "bench/overhead/host_run.h"
#include "bench/overhead/usage.h"
#include "bench/overhead/workloads.h"
#include "bench/run/runner.h"

namespace rocktune::bench {
namespace {

constexpr const char* kSelf = "/proc/self";
constexpr double kHostWarmUpSeconds = 1;
constexpr double kUntilStopped = 1e6;  // seconds

Result<void> read_everything(Database& database) {
  const std::unique_ptr<rocksdb::Iterator> all(database.db().NewIterator(rocksdb::ReadOptions()));
  for (all->SeekToFirst(); all->Valid() && !stop_requested(); all->Next()) {
  }
  if (!all->status().ok()) return fail(ErrorCode::kIo, all->status().ToString());
  return {};
}

Result<PhaseResult> run_phase(Database& database, const scenario::Workload& workload,
                              double seconds) {
  scenario::Workload one = workload;
  one.phases.front().seconds = seconds;
  auto done = run_phases(database, one, stop_requested(), nullptr);
  if (!done) return tl::unexpected(done.error());
  if (done->stopped != (seconds == kUntilStopped) || done->phases.empty()) {
    return fail(ErrorCode::kUnavailable, "stopped");
  }
  return std::move(done->phases.front());
}

Result<HostRun> measure(Database& database, const scenario::Workload& workload) {
  if (auto read = read_everything(database); !read) return tl::unexpected(read.error());
  if (auto warm = run_phase(database, workload, kHostWarmUpSeconds); !warm) {
    return tl::unexpected(warm.error());
  }
  std::cout << "ready" << std::endl;
  const auto agent_before = agent_cpu_ns(kSelf);
  const double cpu_before = own_cpu_seconds();
  const auto phase = run_phase(database, workload, kUntilStopped);
  if (!phase) return tl::unexpected(phase.error());
  const double cpu = own_cpu_seconds() - cpu_before;
  const auto agent_after = agent_cpu_ns(kSelf);
  if (!agent_before) return tl::unexpected(agent_before.error());
  if (!agent_after) return tl::unexpected(agent_after.error());
  Histogram all;
  for (const Histogram& histogram : phase->total.latencies.of) all.add(histogram);
  if (all.count() == 0) return fail(ErrorCode::kUnavailable, "no operation was done");
  const auto operations = static_cast<double>(all.count());
  return HostRun{0, all.percentile_us(0.99), cpu * 1e6 / operations,
                 static_cast<double>(*agent_after - *agent_before) / 1e9, operations};
}

Result<HostRun> run_host(const OverheadHost& settings) {
  for (const auto& each : overhead_workloads(settings.threads, settings.records)) {
    if (each.name != settings.workload) continue;
    auto database = Database::open(
        {settings.database, each.configuration, nullptr, settings.agent, settings.statistics});
    if (!database) return tl::unexpected(database.error());
    const std::string status = (*database)->agent_status();
    if (settings.agent && !status.starts_with("serving")) {
      return fail(ErrorCode::kUnavailable, "the agent does not serve: " + status);
    }
    return measure(**database, each.workload);
  }
  return fail(ErrorCode::kInvalidArgument, "no workload is named " + settings.workload);
}

}  // namespace

int overhead_host_command(const OverheadHost& settings) {
  install_stop_signals();
  if (settings.families > 0) return hold_families(settings.database, settings.families);
  const auto run = run_host(settings);
  if (!run) {
    std::fprintf(stderr, "%s\n", run.error().message.c_str());
    return 1;
  }
  std::cout << host_run_json(*run).dump() << std::endl;
  return 0;
}

std::vector<std::string> host_arguments(const OverheadHost& settings) {
  // Not by its path: an update of the program meanwhile must not mix two versions.
  std::vector<std::string> arguments = {"/proc/self/exe", "overhead-host", "--db",
                                        settings.database};
  const auto add = [&](const char* name, const std::string& value) {
    arguments.emplace_back(name);
    arguments.push_back(value);
  };
  if (settings.families > 0) {
    add("--families", std::to_string(settings.families));
    return arguments;
  }
  add("--workload", settings.workload);
  add("--threads", std::to_string(settings.threads));
  add("--records", std::to_string(settings.records));
  arguments.emplace_back(settings.agent ? "--agent" : "--no-agent");
  arguments.emplace_back(settings.statistics ? "--statistics" : "--no-statistics");
  return arguments;
}

}  // namespace rocktune::bench
