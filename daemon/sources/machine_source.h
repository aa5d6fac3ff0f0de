// What a database's host runs on: the block device under the database, the health of that device
// where it is an NVMe namespace, and the machine with the host's process.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/sources/device_source.h"
#include "daemon/sources/host_reads.h"
#include "daemon/sources/nvme_health.h"
#include "model/clock.h"
#include "model/sample.h"

namespace rocktune::daemon {

struct Roots {
  std::string proc, sys;
  ReadNvmePage read_nvme = libnvme_reader();
  NvmeHealth::Run run_nvme = NvmeHealth::run_on_thread;
  std::shared_ptr<HostReads> host = std::make_shared<HostReads>();  // of all who have these roots
};

// A host's database.
struct OnMachine {
  std::string path;
  std::int64_t pid = 0;     // of the host in the daemon's /proc; 0: it cannot be seen there
  std::string device_stat;  // read instead of the device's own; empty: the device is looked for
};

class MachineSource {
 public:
  MachineSource(Roots roots, OnMachine database, Nanoseconds now);

  // Fills in the sample's device, nvme and host, and their health. A device that was not found is
  // looked for again from time to time: /sys may come later than the host.
  void read(Sample& sample);
  // As logs call the device; empty when none was found.
  [[nodiscard]] std::string device_name() const;
  // The same for all databases on that device; empty when none was found.
  [[nodiscard]] const std::string& device_key() const { return device_key_; }

 private:
  void find(Nanoseconds now);
  void use(FoundDevice found);
  [[nodiscard]] bool other_mounts() const;
  [[nodiscard]] Result<FoundDevice> find_by_path() const;

  Roots roots_;
  OnMachine database_;
  Nanoseconds looked_for_device_{0};
  std::optional<DeviceSource> device_;
  std::string device_error_;  // why none was found
  std::string device_key_;
  std::optional<NvmeHealth> nvme_;
};

}  // namespace rocktune::daemon
