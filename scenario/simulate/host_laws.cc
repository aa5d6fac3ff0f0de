#include "scenario/simulate/host_laws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/loop.h"

namespace rocktune::scenario {
namespace {

struct Shares {
  double reads = 0, writes = 0;
};

Shares shares_of(const Mix& mix) {
  const double both = mix[Operation::kReadModifyWrite];
  return {mix[Operation::kRead] + mix[Operation::kScan] + mix[Operation::kReadMissing] + both,
          mix[Operation::kUpdate] + mix[Operation::kInsert] + mix[Operation::kDelete] + both};
}

void add_phase(const Phase& phase, sim::Arrivals asked, sim::DemandSeries& demand) {
  const Rate rate(phase.rate, phase.seconds);
  const Shares shares = shares_of(phase.mix);
  asked.closed = !rate.paced();
  asked.catches_up = rate.paced();
  asked.appended = shares.writes > 0 ? phase.mix[Operation::kInsert] / shares.writes : 0;
  const std::size_t intervals = intervals_of(phase);
  const double length = phase.seconds / static_cast<double>(intervals);
  for (std::size_t i = 0; i < intervals; ++i) {
    const auto begin = static_cast<double>(i) * length;
    const double due =
        rate.paced() ? (rate.due_by(begin + length) - rate.due_by(begin)) / length : 1;
    asked.reads_per_second = due * shares.reads;
    asked.writes_per_second = due * shares.writes;
    demand.seconds.push_back(length);
    demand.arrivals.push_back(asked);
    demand.arrivals.back().anew = i == 0;  // at the end of a phase the runner gives up what is late
  }
}

}  // namespace

sim::DeviceLaws device_laws(const DeviceProfile& profile) {
  sim::DeviceLaws laws;
  laws.read = {profile.read_bytes_per_second, profile.read_iops};
  laws.write = {profile.write_bytes_per_second, profile.write_iops};
  laws.mixing_loss = profile.mixing_loss;
  laws.read_latency_seconds = profile.read_latency_us / 1e6;
  return laws;
}

std::vector<std::string> not_in_laws(const DeviceProfile& profile) {
  const DeviceProfile plain;
  const std::pair<const char*, bool> parts[] = {
      {"write_latency_us", profile.write_latency_us != plain.write_latency_us},
      {"sync_latency_us", profile.sync_latency_us != plain.sync_latency_us},
      {"larger_read_latency_us", !profile.larger_read_latency_us.empty()},
      {"larger_write_latency_us", !profile.larger_write_latency_us.empty()},
      {"read_latency_growth", profile.read_latency_growth != plain.read_latency_growth},
      {"write_buffer", profile.write_buffer_bytes != plain.write_buffer_bytes},
      {"write_cache", profile.write_cache != plain.write_cache},
      {"max_request", profile.max_request_bytes != plain.max_request_bytes},
      {"write_gather", profile.write_gather_bytes != plain.write_gather_bytes}};
  std::vector<std::string> names;
  for (const auto& [name, is_set] : parts) {
    if (is_set) names.emplace_back(name);
  }
  return names;
}

std::vector<sim::DeviceChange> device_changes(const DeviceProfile& profile) {
  std::vector<sim::DeviceChange> changes;
  changes.reserve(profile.degradation.size());
  for (const Degradation& step : profile.degradation) {
    changes.push_back({step.after_seconds, step.rates});
  }
  return changes;
}

std::size_t intervals_of(const Phase& phase) {
  const auto polls = std::llround(phase.seconds / sim::kPollSeconds);
  return static_cast<std::size_t>(std::max<std::int64_t>(1, polls));
}

sim::DemandSeries demand_of(const Workload& workload) {
  sim::DemandSeries demand;
  demand.one_queue = true;
  sim::Arrivals asked;
  asked.threads = static_cast<double>(workload.threads);
  asked.one_queue = true;
  for (const Phase& phase : workload.phases) {
    add_phase(phase, asked, demand);
    demand.catches_up = demand.catches_up || phase.rate.paced();
  }
  return demand;
}

}  // namespace rocktune::scenario
