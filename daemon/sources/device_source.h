// The block device source: /sys/block/<name>/stat (Documentation/block/stat.rst).
#pragma once

#include <string>

#include "daemon/sources/device_finder.h"
#include "model/result.h"
#include "model/sample.h"

namespace rocktune::daemon {

// Strict: at least the 11 fields that every kernel since 2.6 has, all of them plain numbers.
Result<DeviceReading> parse_device_stat(std::string_view text);

class DeviceSource {
 public:
  explicit DeviceSource(FoundDevice device) : device_(std::move(device)) {}
  [[nodiscard]] Result<DeviceReading> read() const;
  [[nodiscard]] const FoundDevice& device() const { return device_; }

 private:
  FoundDevice device_;
};

}  // namespace rocktune::daemon
