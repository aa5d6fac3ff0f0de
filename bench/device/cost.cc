#include "bench/device/cost.h"

#include <thread>

#include "bench/device/device.h"
#include "bench/overhead/usage.h"
#include "bench/time/clock.h"

namespace rocktune::bench {
namespace {

void make_requests(EmulatedDevice& device, std::int64_t requests) {
  for (std::int64_t i = 0; i < requests; ++i) {
    if (i % 2 == 0) {
      device.transfer(IoKind::kRead, 4 << 10);
    } else {
      device.transfer(IoKind::kWrite, 64 << 10);
    }
  }
}

}  // namespace

Result<DeviceCost> measure_device_cost(const scenario::DeviceProfile& profile,
                                       const std::string& directory, std::int64_t threads,
                                       std::int64_t requests) {
  auto device =
      EmulatedDevice::create(profile, directory + "/device", EmulatedDevice::Waiting::kNone);
  if (!device) return tl::unexpected(device.error());
  make_requests(**device, requests / 10);  // warms the caches
  DeviceCost cost;
  cost.threads = threads;
  cost.requests = threads * requests;
  const double cpu_before = own_cpu_seconds();
  const Nanoseconds before = monotonic_now();
  std::vector<std::thread> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (std::int64_t i = 0; i < threads; ++i) {
    workers.emplace_back([&] { make_requests(**device, requests); });
  }
  for (std::thread& worker : workers) worker.join();
  const double count = static_cast<double>(cost.requests);
  cost.wall_ns = seconds_between(before, monotonic_now()) * 1e9 / count;
  cost.cpu_ns = (own_cpu_seconds() - cpu_before) * 1e9 / count;
  return cost;
}

}  // namespace rocktune::bench
