// Looks at the device's counters once a second while a session runs, for the result.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/target_device.h"
#include "bench/measure/device_activity.h"
#include "bench/run/result.h"

namespace rocktune::bench {

class DeviceWatch {
 public:
  // `database` finds the real device, which has no stat file of its own.
  DeviceWatch(const TargetDevice& device, const std::string& database);

  void begin();                    // when the first phase begins
  void second(double at_seconds);  // at each second since
  void end(DeviceResult& result);  // what was seen; nothing where there are no counters

 private:
  [[nodiscard]] std::optional<DeviceLook> look() const;
  std::optional<std::string> stat_path_;
  std::optional<DeviceLook> first_, last_;
  double last_seconds_ = 0;
  std::vector<nlohmann::json> per_second_;
};

}  // namespace rocktune::bench
