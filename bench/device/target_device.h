// What the databases of a run live on: the disk itself, an emulated NVMe, or a throttled loop
// device. One interface, so that whoever runs a workload need not know which:
//
//   auto spec = scenario::parse_device_spec(text, scale);  // usage errors: exit code 2
//   auto device = make_device(*spec, place);               // may refuse: exit code 1
//   path = device->directory() ? *device->directory() + "/db" : path;
//   device->announce(path);                                // for each database
//   env = device->file_system() ? NewCompositeEnv(device->file_system()) : Env::Default();
//   ... load, with device->set_charging(false); then set_charging(true) and run ...
//
// Close the databases before the device goes: its destructor unmounts and detaches. For options,
// device->direct_io() says that flush, compaction and reads must bypass the page cache
// (use_direct_io_for_flush_and_compaction, use_direct_reads) to be slowed down at all.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "scenario/device/spec.h"

namespace rocktune::bench {

struct DevicePlace {
  // Where an emulated device publishes its counters; "<database>.device" for the first database.
  std::string control_directory;
  // Where the loop device's sparse image and mount point go; empty: the temporary directory.
  std::string work_directory;
  // How large the loop device's file system is. The image takes no more than what is written.
  std::int64_t capacity_bytes = std::int64_t{32} << 30;
};

class TargetDevice {
 public:
  virtual ~TargetDevice() = default;  // takes down whatever was set up
  TargetDevice(const TargetDevice&) = delete;
  TargetDevice& operator=(const TargetDevice&) = delete;

  // "real device", "emulated device" or "throttled loop device": stands beside every figure.
  [[nodiscard]] virtual std::string label() const = 0;
  // The profile in use; none for the real device.
  [[nodiscard]] virtual const scenario::DeviceProfile* profile() const { return nullptr; }
  // What databases are opened with; null: the operating system's files.
  [[nodiscard]] virtual std::shared_ptr<rocksdb::FileSystem> file_system() { return nullptr; }
  // The directory that databases must live under; nothing: anywhere.
  [[nodiscard]] virtual std::optional<std::string> directory() const { return std::nullopt; }
  // A /sys/block-style stat file with this device's counters; nothing: look it up as ever.
  [[nodiscard]] virtual std::optional<std::string> stat_path() const { return std::nullopt; }
  [[nodiscard]] virtual bool direct_io() const { return false; }
  // Off: as fast as the disk below (for loading). Turning it on starts the time that the profile's
  // degradation counts from; turning it off is an Error, too, where a step of that was not made.
  // On when the device is made.
  virtual Result<void> set_charging(bool) { return {}; }
  // Lets rocktuned find the counters of a database that opens on this device.
  virtual Result<void> announce(const std::string& /*database_path*/) { return {}; }

 protected:
  TargetDevice() = default;
};

Result<std::unique_ptr<TargetDevice>> make_device(const scenario::DeviceSpec& spec,
                                                  const DevicePlace& place);

}  // namespace rocktune::bench
