// Pressure stall information (Documentation/accounting/psi.rst): how long tasks waited for CPU,
// I/O and memory, in total microseconds.
#pragma once

#include <string>
#include <string_view>

#include "daemon/sources/cgroup.h"
#include "model/result.h"
#include "model/sample.h"

namespace rocktune::daemon {

struct PressureTotals {
  Counter some_us, full_us;
};
Result<PressureTotals> parse_pressure(std::string_view text);

// The machine's, from <proc_root>/pressure.
struct Pressure {
  Result<PressureTotals> cpu, io, memory;
};
Pressure read_pressure(const std::string& proc_root);

// Fills the pressure fields: from the cgroup's own files where it has them, else the machine's. An
// error names what could not be read; the rest is filled all the same.
Result<void> take_pressure(const Pressure& machine, const CgroupDirs& cgroup, HostReading& reading);

}  // namespace rocktune::daemon
