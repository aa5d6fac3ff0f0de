// A scenario as the simulator (sim/) takes it: its device, and what its databases are asked for.
// Pure.
#pragma once

#include "scenario/device/profile.h"
#include "scenario/workload/workload.h"
#include "sim/demand.h"
#include "sim/host.h"

namespace rocktune::scenario {

// Without what sim/ does not know of a device: the growth of latencies beside the queue, the write
// cache, and latencies of larger requests.
sim::DeviceLaws device_laws(const DeviceProfile& profile);
std::vector<sim::DeviceChange> device_changes(const DeviceProfile& profile);

// How many intervals of the demand a phase comes to.
std::size_t intervals_of(const Phase& phase);

// As the runner does it: the threads take read and write operations from one queue; a paced phase
// catches up with what stalls delayed, another goes as fast as the threads can. Scans count as one
// read; what a read-modify-write reads and writes is one of each.
sim::DemandSeries demand_of(const Workload& workload);

}  // namespace rocktune::scenario
