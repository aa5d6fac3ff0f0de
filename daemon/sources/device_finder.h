// Which block device is under a path: the one whose load delays a database there.
//
// The device number of the path leads to /sys/dev/block/MAJ:MIN; a partition leads to its whole
// disk, a device-mapper or md device with one slave to that slave (with several: itself, since its
// own counters cover them all). A loop device is taken as it is. File systems with an anonymous
// device number (btrfs, overlay) are looked up in mountinfo; tmpfs and network file systems have no
// device, and the error says so.
#pragma once

#include <functional>
#include <string>

#include "model/result.h"

namespace rocktune::daemon {

struct DeviceNumber {
  unsigned major = 0;
  unsigned minor = 0;
  bool operator==(const DeviceNumber&) const = default;
};

// The device number of the file system that holds a path.
using DeviceOfPath = std::function<Result<DeviceNumber>(const std::string& path)>;
Result<DeviceNumber> device_of_path(const std::string& path);  // stat(2)

struct FoundDevice {
  std::string name;       // "nvme0n1", "loop3", "emulated:<name>"
  std::string stat_file;  // in the format of /sys/block/<name>/stat
  std::string number;     // "259:0", as control groups call it; empty: it has none
  bool operator==(const FoundDevice&) const = default;
};

// `proc_root` and `sys_root` are /proc and /sys, or trees of a test. The path is as `process`
// ("self" or a pid) sees it, whose mounts may be others than ours.
Result<FoundDevice> find_device(const std::string& path, const std::string& proc_root,
                                const std::string& sys_root,
                                const DeviceOfPath& device_of = device_of_path,
                                const std::string& process = "self");

// A database on an emulated device publishes its counters in `<path>.device/stat`.
std::string emulated_stat_file(const std::string& path);

}  // namespace rocktune::daemon
