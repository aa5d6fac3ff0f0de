#include "bench/experiment/device_mix.h"

#include "bench/run/result.h"
#include "bench/time/rfc3339.h"

namespace rocktune::bench::experiment {
namespace {

using nlohmann::json;

// The mixing window of the model is 20 ms: after a second of device time its state is steady.
constexpr double kMixWarmUpSeconds = 1;

json operation_json(double per_second, double mean_us, const ClosedLoad& load) {
  return {{"ops_per_second", per_second},
          {"bytes_per_second", per_second * static_cast<double>(load.request_bytes)},
          {"mean_us", mean_us}};
}

}  // namespace

json run_device_mix(const DeviceMix& mix) {
  const ClosedThroughput seen =
      run_closed_loop(mix.profile, mix.load, kMixWarmUpSeconds, mix.seconds, mix.seed);
  json operations = json::object();
  if (mix.load.read_share > 0) {
    operations["read"] = operation_json(seen.reads_per_second, seen.read_mean_us, mix.load);
  }
  if (mix.load.read_share < 1) {
    operations["write"] = operation_json(seen.writes_per_second, seen.write_mean_us, mix.load);
  }
  return {{"schema", "rocktune-device-mix/1"},
          {"started", rfc3339_now()},
          {"partial", false},
          {"device",
           {{"label", "emulated device in virtual time,"},
            {"name", mix.profile.name},
            {"description", mix.profile.description}}},
          {"request_bytes", mix.load.request_bytes},
          {"read_share", mix.load.read_share},
          {"requests_in_flight", mix.load.in_flight()},
          {"total",
           {{"seconds", mix.seconds},
            {"ops_per_second", seen.requests_per_second()},
            {"operations", std::move(operations)}}}};
}

}  // namespace rocktune::bench::experiment
