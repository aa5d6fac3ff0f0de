#include "bench/overhead/poll_cost.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "bench/cli/stop.h"
#include "bench/overhead/poller.h"
#include "bench/overhead/started_host.h"
#include "bench/overhead/usage.h"

namespace rocktune::bench {
namespace {

using std::chrono::milliseconds;

constexpr int kPairs = 5;
constexpr milliseconds kInterval{20};
constexpr std::uint64_t kWarmUp = 20;  // polls
constexpr std::uint64_t kCounted = 100;
constexpr auto kEventPatience = std::chrono::seconds(60);

Result<void> wait_for(const Poller& poller, std::uint64_t polls) {
  const auto deadline = std::chrono::steady_clock::now() + kEventPatience;
  while (poller.polls() < polls) {
    if (stop_requested()) return fail(ErrorCode::kUnavailable, "stopped");
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(ErrorCode::kUnavailable, "the agent does not answer its polls");
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return {};
}

// Polls it and adds to `cost`.
Result<void> poll(const StartedHost& host, PollCost& cost, double& cpu_ns) {
  const Poller poller(host.socket(), kInterval);
  if (auto warm = wait_for(poller, kWarmUp); !warm) return warm;
  const auto cpu_before = agent_cpu_ns(host.process());
  const std::uint64_t polls_before = poller.polls();
  const std::uint64_t bytes_before = poller.bytes();
  if (auto done = wait_for(poller, polls_before + kCounted); !done) return done;
  const auto cpu_after = agent_cpu_ns(host.process());
  if (!cpu_before) return tl::unexpected(cpu_before.error());
  if (!cpu_after) return tl::unexpected(cpu_after.error());
  const std::uint64_t polls = poller.polls() - polls_before;
  cpu_ns += static_cast<double>(*cpu_after - *cpu_before);
  cost.bytes_per_poll =
      static_cast<double>(poller.bytes() - bytes_before) / static_cast<double>(polls);
  cost.polls += polls;
  return {};
}

Result<Memory> run(const std::string& directory, bool agent, PollCost& cost, double& cpu_ns) {
  OverheadHost settings;
  settings.database = directory + "/families";
  settings.families = cost.families;
  std::error_code ignored;
  std::filesystem::remove_all(settings.database, ignored);
  auto host =
      StartedHost::start(settings, directory, {{"ROCKTUNE_AGENT_MODE", agent ? "" : "off"}});
  if (!host) return tl::unexpected(host.error());
  if (const auto ready = host->wait_for_line(); !ready) return tl::unexpected(ready.error());
  if (agent) {
    if (auto polled = poll(*host, cost, cpu_ns); !polled) return tl::unexpected(polled.error());
  }
  return memory_of(host->process());
}

}  // namespace

Result<PollCost> measure_poll_cost(const std::string& directory, std::int64_t families,
                                   const std::function<void(const std::string&)>& say) {
  say("one poll, and memory: " + std::to_string(families) + " column families");
  PollCost cost;
  cost.families = families;
  double cpu_ns = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const auto without = run(directory, false, cost, cpu_ns);
    if (!without) return tl::unexpected(without.error());
    const auto with = run(directory, true, cost, cpu_ns);
    if (!with) return tl::unexpected(with.error());
    const auto difference = [](std::uint64_t a, std::uint64_t b) {
      return static_cast<double>(a) - static_cast<double>(b);
    };
    cost.resident_bytes.push_back(difference(with->resident, without->resident));
    cost.anonymous_bytes.push_back(difference(with->anonymous, without->anonymous));
  }
  cost.agent_cpu_us_per_poll = cpu_ns / 1e3 / static_cast<double>(cost.polls);
  return cost;
}

}  // namespace rocktune::bench
