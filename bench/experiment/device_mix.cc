#include "bench/experiment/device_mix.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>
#include <vector>

#include "bench/device/device.h"
#include "bench/run/result.h"
#include "bench/time/clock.h"
#include "bench/workload/generator.h"

namespace rocktune::bench::experiment {
namespace {

using nlohmann::json;

struct Done {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
};

Done issue(EmulatedDevice& device, const DeviceMix& mix, std::uint64_t seed, Nanoseconds end,
           const std::atomic<bool>& stop) {
  Random random(seed);
  Done done;
  while (!stop.load(std::memory_order_relaxed) && monotonic_now() < end) {
    if (random.uniform() < mix.read_share) {
      device.transfer(IoKind::kRead, mix.request_bytes);
      ++done.reads;
    } else {
      device.transfer(IoKind::kWrite, mix.request_bytes);
      ++done.writes;
    }
  }
  return done;
}

json operation_json(std::uint64_t count, std::int64_t bytes, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(count) / seconds : 0;
  return {{"count", count},
          {"ops_per_second", rate},
          {"bytes_per_second", rate * static_cast<double>(bytes)}};
}

json mix_json(const DeviceMix& mix, const Done& done, double seconds, bool partial) {
  // A direction that was not asked for was not measured.
  json operations = json::object();
  if (mix.read_share > 0) {
    operations["read"] = operation_json(done.reads, mix.request_bytes, seconds);
  }
  if (mix.read_share < 1) {
    operations["write"] = operation_json(done.writes, mix.request_bytes, seconds);
  }
  const double all = static_cast<double>(done.reads + done.writes);
  return {{"schema", "rocktune-device-mix/1"},
          {"label", "emulated device"},
          {"started", rfc3339_now()},
          {"partial", partial},
          {"device", {{"name", mix.profile.name}, {"description", mix.profile.description}}},
          {"request_bytes", mix.request_bytes},
          {"read_share", mix.read_share},
          {"threads", mix.threads},
          {"total",
           {{"seconds", seconds},
            {"ops_per_second", seconds > 0 ? all / seconds : 0.0},
            {"operations", std::move(operations)}}}};
}

}  // namespace

Result<json> run_device_mix(const DeviceMix& mix, const std::string& directory,
                            const std::atomic<bool>& stop) {
  const std::string files = directory + "/device";
  Done sum;
  double seconds = 0;
  {
    auto device = EmulatedDevice::create(mix.profile, files);
    if (!device) return tl::unexpected(device.error());
    const Nanoseconds start = monotonic_now();
    const Nanoseconds end = start + Nanoseconds(static_cast<std::int64_t>(mix.seconds * 1e9));
    std::vector<Done> done(static_cast<std::size_t>(mix.threads));
    std::vector<std::thread> threads;
    threads.reserve(done.size());
    for (std::size_t i = 0; i < done.size(); ++i) {
      threads.emplace_back(
          [&, i] { done[i] = issue(**device, mix, mix.seed * 1000003 + i, end, stop); });
    }
    for (std::thread& thread : threads) thread.join();
    seconds = seconds_between(start, monotonic_now());
    for (const Done& each : done) {
      sum.reads += each.reads;
      sum.writes += each.writes;
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(files, ignored);
  return mix_json(mix, sum, seconds, stop.load());
}

}  // namespace rocktune::bench::experiment
