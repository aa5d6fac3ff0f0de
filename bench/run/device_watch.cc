#include "bench/run/device_watch.h"

#include <utility>

namespace rocktune::bench {

DeviceWatch::DeviceWatch(const TargetDevice& device, const std::string& database)
    : stat_path_(device.stat_path()) {
  if (!stat_path_) stat_path_ = kernel_stat_path(database);
}

std::optional<DeviceLook> DeviceWatch::look() const {
  if (!stat_path_) return std::nullopt;
  auto seen = look_at_device(*stat_path_);
  return seen ? std::optional(*seen) : std::nullopt;
}

void DeviceWatch::begin() {
  first_ = last_ = look();
}

void DeviceWatch::second(double at_seconds) {
  auto seen = look();
  if (!seen || !last_) return;
  nlohmann::json activity = device_activity(*last_, *seen);
  if (activity.is_null()) return;  // published too long ago: the next second has both
  activity["start_seconds"] = std::exchange(last_seconds_, at_seconds);
  per_second_.push_back(std::move(activity));
  last_ = seen;
}

void DeviceWatch::end(DeviceResult& result) {
  const auto seen = look();
  if (seen && first_) result.total = device_activity(*first_, *seen);
  result.per_second = std::move(per_second_);
}

}  // namespace rocktune::bench
