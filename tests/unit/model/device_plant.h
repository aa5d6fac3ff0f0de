// A device for tests: so many requests in flight give so much throughput, as on a real one: each
// takes the light-load await until the device is full, and then waits.
#pragma once

#include <algorithm>

#include "model/features.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

struct DevicePlant {
  double read_iops = 100'000;  // at 4 KiB
  double await_ms = 0.1;       // light load

  // The next reading, half a second later, with `queue` reads of 4 KiB in flight.
  Features reads(double queue) {
    return reading(queue, std::min(queue / (await_ms / 1e3), read_iops), 4096);
  }
  Features reading(double queue, double iops, double bytes) {
    Features f;
    ++sequence;
    f.sequence = sequence;
    f.fresh = true;
    f.at.tick = at_seconds(0.5 * static_cast<double>(sequence));
    f.device_queue = queue;
    f.device_read_iops = iops;
    f.device_read_bytes_per_second = iops * bytes;
    f.device_read_await_ms = iops > 0 ? queue / iops * 1e3 : 0;
    f.device_write_iops = 0;
    f.device_write_bytes_per_second = 0;
    return f;
  }
  std::uint64_t sequence = 0;
};

// 100,000 reads and 50,000 writes of 4 KiB a second, or 1 GB/s and 500 MB/s.
inline DeviceCapacities probed_capacities() {
  DeviceCapacities capacities;
  capacities.read = DirectionCapacity{1e9, 100'000};
  capacities.write = DirectionCapacity{5e8, 50'000};
  capacities.mixing_loss = 0.5;
  capacities.read_await_seconds = 0.0001;
  return capacities;
}

}  // namespace rocktune::test
