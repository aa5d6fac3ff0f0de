// How much is left of the CPU time that a process may take. Pure.
#pragma once

#include <algorithm>

#include "model/features.h"

namespace rocktune {

// CPUs' time that the process may take, seconds a second: whole CPUs by its affinity, a fraction by
// its control groups' quota.
inline Value own_cpus(const Features& f) {
  if (!f.cpus || !f.cpu_quota) return f.cpus;
  return std::min(*f.cpus, *f.cpu_quota);
}

// ...and how much of it the process leaves; below 0 where samples and clock ticks do not meet.
inline Value own_idle_cpus(const Features& f) {
  const Value own = own_cpus(f);
  return own && f.process_cpu_cores ? Value(*own - *f.process_cpu_cores) : std::nullopt;
}

// Busy share, 0 to 1, of the CPUs that the process may use: as busy as the machine's, or by what
// the process takes of its own, where a quota or its affinity lets it have only some of them.
// Absent: the machine's is not known.
inline Value cpu_use(const Features& f) {
  const double own = own_cpus(f).value_or(0);
  if (!f.cpu_busy_ratio || own <= 0) return f.cpu_busy_ratio;
  return std::max(*f.cpu_busy_ratio, std::min(1.0, f.process_cpu_cores.value_or(0) / own));
}

}  // namespace rocktune
