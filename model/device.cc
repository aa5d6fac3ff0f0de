// device_saturation: the device has more requests in flight, or takes longer for each, than the
// objective allows. %util is no saturation on NVMe and is not used.
#include <algorithm>

#include "model/assessment.h"
#include "model/probability.h"
#include "model/text.h"

namespace rocktune {
namespace {

// Saturation is a state that lasts: the mean over this time counts.
constexpr double kMeanSeconds = 3;
// The mean await of fewer requests than this is one request's accident.
constexpr double kFewestIops = 10;

// Reads are what users wait for: their await counts where there are any. Large writes that the
// kernel gathered take long on an idle device, too, so they count only when nothing reads.
Value await_ms(const Features& features) {
  if (features.device_read_iops.value_or(0) >= kFewestIops) return features.device_read_await_ms;
  if (features.device_write_iops.value_or(0) >= kFewestIops) return features.device_write_await_ms;
  if (features.device_read_iops || features.device_write_iops) return 0.0;  // an idle device
  return std::nullopt;
}

// At its limit over the mean's time; the first readings after a start prove nothing.
bool saturated(const Trend& use) {
  return use.span_seconds() >= kMeanSeconds / 2 && use.mean(kMeanSeconds).value_or(0) >= 1;
}

std::string limit_in(const std::optional<double>& eta) {
  return eta && *eta > 0 ? ": the limit in about " + text::duration(*eta) : "";
}

}  // namespace

void DeviceAssessor::clear() {
  queue_.clear();
  await_.clear();
}

void DeviceAssessor::add_queue(const Features& features, const Objective& objective,
                               std::vector<Pressure>& out) {
  if (!features.device_queue || !(objective.device_queue_limit > 0)) return;
  queue_.add(features.at.tick, *features.device_queue / objective.device_queue_limit);
  double use = queue_.mean(kMeanSeconds).value_or(0);
  Pressure pressure{"queue", use, time_to_limit(use, queue_.slope()), "", "", std::nullopt};
  pressure.sentence = "the device has " + text::amount(use * objective.device_queue_limit) +
                      " requests in flight (limit " + text::amount(objective.device_queue_limit) +
                      ")";
  pressure.outlook = limit_in(pressure.eta_seconds);
  out.push_back(std::move(pressure));
}

void DeviceAssessor::add_await(const Features& features, const Objective& objective,
                               std::vector<Pressure>& out) {
  Value await = await_ms(features);
  double limit_ms = objective.device_await_limit_seconds * 1e3;
  if (!await || !(limit_ms > 0)) return;
  await_.add(features.at.tick, *await / limit_ms);
  double use = await_.mean(kMeanSeconds).value_or(0);
  Pressure pressure{"await", use, time_to_limit(use, await_.slope()), "", "", std::nullopt};
  pressure.sentence = "the device takes " + text::microseconds(use * limit_ms * 1e3) +
                      " for a request (limit " + text::microseconds(limit_ms * 1e3) + ")";
  pressure.outlook = limit_in(pressure.eta_seconds);
  out.push_back(std::move(pressure));
}

Assessment DeviceAssessor::assess(const Features& features, const Objective& objective) {
  constexpr auto kKind = IndicatorKind::kDeviceSaturation;
  if (features.missed_polls > kLongestGapPolls) clear();
  std::vector<Pressure> pressures;
  add_queue(features, objective, pressures);
  add_await(features, objective, pressures);
  if (pressures.empty()) {
    return unknown(kKind, "the device's statistics were not read twice in a row",
                   objective.horizon_seconds);
  }
  bool event = saturated(queue_) || saturated(await_);
  std::vector<Driver> drivers;
  add_driver(drivers, "device_queue", features.device_queue, objective.device_queue_limit);
  add_driver(drivers, "device_read_await_ms", features.device_read_await_ms,
             objective.device_await_limit_seconds * 1e3);
  add_driver(drivers, "device_write_await_ms", features.device_write_await_ms,
             objective.device_await_limit_seconds * 1e3);
  add_driver(drivers, "device_write_bytes_per_second", features.device_write_bytes_per_second);
  add_driver(drivers, "device_read_iops", features.device_read_iops);
  return rocktune::assess(kKind, pressures, event, std::move(drivers), objective.horizon_seconds);
}

}  // namespace rocktune
