// What `rocktune probe-device` measures, and what follows from it. Pure.
//
// Twelve steps: the scratch file is filled; then reads and writes of 128 KiB in order (bandwidth)
// and of 4 KiB anywhere (IOPS), 32 in flight; one read of 4 KiB at a time (light load); and mixed
// ones, 75, 50 and 25% reads, in both sizes. The bandwidth that the model wants is of requests so
// long that their number does not count: it is solved from the two sizes.
#pragma once

#include <string>
#include <vector>

#include "model/device_capacities.h"
#include "model/result.h"
#include "tools/fio.h"

namespace rocktune::tools {

struct ProbeStep {
  std::string name;  // "read_bandwidth", "mixed_4k_75"; stable, part of the output
  std::string text;  // for a person
  FioRun run;
};

// The timed steps, in order, for so many seconds in all. `file_bytes` is what was filled.
std::vector<ProbeStep> probe_steps(std::int64_t file_bytes, bool direct, double seconds);
// Before them: writes the file once, for at most a third of the seconds in all.
ProbeStep fill_step(std::int64_t file_bytes, bool direct, double seconds);

struct MeasuredStep {
  std::string name;
  FioResult result;
};

struct MixedPoint {
  std::string name;
  double read_share = 0, write_share = 0;  // u
};

struct ProbeFit {
  DeviceCapacities capacities;  // all of it
  std::vector<MixedPoint> mixed;
  double median_error = 0;  // of the load at the mixed points, which should be 1
};

// From the results of all timed steps. kUnsupported: a device whose load bytes and requests do not
// tell (a disk that seeks: long requests in order are faster than short ones anywhere).
Result<ProbeFit> fit_probe(const std::vector<MeasuredStep>& steps);

}  // namespace rocktune::tools
