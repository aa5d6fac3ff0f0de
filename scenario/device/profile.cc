#include "scenario/device/profile.h"

#include "scenario/builtin.h"

namespace rocktune::scenario {

DeviceProfile DeviceProfile::scaled(double factor) const {
  DeviceProfile smaller = *this;
  for (double* rate :
       {&smaller.read_bytes_per_second, &smaller.write_bytes_per_second, &smaller.read_iops,
        &smaller.write_iops, &smaller.write_cache.behind_bytes_per_second,
        &smaller.write_cache.drain_bytes_per_second}) {
    *rate /= factor;
  }
  for (std::int64_t* size : {&smaller.write_buffer_bytes, &smaller.write_cache.bytes}) {
    *size = static_cast<std::int64_t>(static_cast<double>(*size) / factor);
  }
  return smaller;
}

void DeviceProfile::stretch(double factor) {
  for (Degradation& step : degradation) step.after_seconds *= factor;
}

Result<DeviceProfile> load_device_profile(const std::string& name_or_path) {
  auto text = builtin_or_file(builtin_devices(), name_or_path);
  if (!text) return tl::unexpected(text.error());
  return parse_device_profile(text->content, text->name);
}

}  // namespace rocktune::scenario
