// What a scenario, or `--device`, calls its device: the machine's own, or a profile, emulated in
// the database's process or as a throttled loop device. Pure but for the files that are named.
#pragma once

#include <string>
#include <string_view>

#include "model/result.h"
#include "scenario/device/profile.h"

namespace rocktune::scenario {

enum class DeviceKind { kReal, kEmulated, kLoop };

struct DeviceSpec {
  DeviceKind kind = DeviceKind::kReal;
  DeviceProfile profile;  // as used, hence scaled; meaningless for the real device
};

// "none", a profile ("nvme-p41", "FILE.yaml"), or "loop:PROFILE". A profile's degradation is
// replaced by "@SECONDS:FACTOR" behind it, several of them by rising time: "nvme-p41@60:0.5@90:1".
// `scale` divides the profile's sizes and rates.
Result<DeviceSpec> parse_device_spec(const std::string& text, double scale);

// The profile that such a text names: "FILE.yaml" of "loop:FILE.yaml@60:0.5".
std::string profile_named(std::string_view text);

// The same device with the times of its degradation multiplied, those of its profile's own too.
Result<std::string> stretched_device(const std::string& text, double factor);

}  // namespace rocktune::scenario
