// What `rocktune probe-device` found, as the YAML file that `device_profile` names (docs/device.md)
// and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/probe_plan.h"

namespace rocktune::tools {

// How it was measured.
struct ProbeSetting {
  std::string place;   // the directory
  std::string device;  // empty: there is none under it
  bool direct = true;
  std::int64_t file_bytes = 0;
  double seconds = 0;  // that it took
  std::string time;    // of its end, RFC 3339
};

struct ProbeReport {
  ProbeSetting setting;
  std::vector<MeasuredStep> steps;
  ProbeFit fit;
};

std::string probe_yaml(const ProbeReport& report);
std::string probe_json(const ProbeReport& report);
// "3.51 GB/s, 26800 requests/s, 1.2 ms each (+-2%)"
std::string measured_text(const FioResult& result);

}  // namespace rocktune::tools
