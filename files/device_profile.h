// A device profile: the YAML file that `rocktune probe-device` writes, read for what the device can
// do (docs/device.md lists its keys). `measured` says how that was found, and is not interpreted.
#pragma once

#include <string>

#include "model/device_capacities.h"
#include "model/result.h"

namespace rocktune {

// Every mistake at once, each as `file:line:col: key: message`, joined by "; ".
Result<DeviceCapacities> load_device_profile(const std::string& path);

// `file` only names the text in messages.
Result<DeviceCapacities> parse_device_profile(std::string_view text, const std::string& file);

}  // namespace rocktune
