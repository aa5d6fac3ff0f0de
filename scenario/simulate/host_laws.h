// A scenario as the simulator (sim/) takes it: its device, and what its databases are asked for.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "scenario/device/profile.h"
#include "scenario/workload/workload.h"
#include "sim/demand.h"
#include "sim/host.h"

namespace rocktune::scenario {

// Without what sim/ does not know of a device, which not_in_laws() names.
sim::DeviceLaws device_laws(const DeviceProfile& profile);
// Of what the profile sets, by its keys there: latencies of writes, of syncs and of larger
// requests, their growth beside the queue, the buffer and the cache of writes, and how requests are
// cut.
std::vector<std::string> not_in_laws(const DeviceProfile& profile);
std::vector<sim::DeviceChange> device_changes(const DeviceProfile& profile);

// How many intervals of the demand a phase comes to.
std::size_t intervals_of(const Phase& phase);

// As the runner does it: the threads take read and write operations from one queue; a paced phase
// catches up with what stalls delayed, another goes as fast as the threads can. Scans count as one
// read; what a read-modify-write reads and writes is one of each.
sim::DemandSeries demand_of(const Workload& workload);

}  // namespace rocktune::scenario
