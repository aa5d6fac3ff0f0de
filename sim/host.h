// Host: databases on one machine, which share its CPUs and one device. It moves their plants from
// event to event together. Deterministic. Pure; copyable, which is a fork of the run.
#pragma once

#include <optional>
#include <vector>

#include "sim/device.h"
#include "sim/plant.h"

namespace rocktune::sim {

// From then on all of the device's rates are multiplied by this, instead of what was before.
struct DeviceChange {
  double after_seconds = 0;
  double rates = 1;
};

// Deviation of the logarithm of what a device can do, where that was learnt from a recorded run.
inline constexpr double kLearntDeviceSpread = 0.35;

// What the machine has, and what of it nothing has at first: the rest is the databases' and of
// others, who keep theirs. Caches and memtables take of it, and give back to it.
struct MemoryLaws {
  double total_bytes = 0, available_bytes = 0;
};

struct HostLaws {
  double cpus = 4;
  // Absent: nothing waits for a device, jobs go as fast as their laws say.
  std::optional<DeviceLaws> device;
  std::vector<DeviceChange> device_changes = {};  // by rising time
  // Deviation of the logarithm of its rates, as far as they are known: a guess for what was probed,
  // 0 for a device that is made up.
  double device_spread = 0.2;
  bool device_learnt = false;  // it is what a recorded run was seen to do at its limit
  // Absent: nobody knows, so that no policy moves any.
  std::optional<MemoryLaws> memory = {};
};

// Cumulative, as /sys/block/*/stat has them.
struct DeviceTotals {
  double read_requests = 0, read_bytes = 0, read_seconds = 0;
  double write_requests = 0, write_bytes = 0, write_seconds = 0;
  double busy_seconds = 0;
};

class Host {
 public:
  Host(const HostLaws& laws, std::vector<Plant> plants);

  void advance(double seconds);
  // Who is away does nothing and has nothing of the machine; all are there at first.
  void set_away(std::size_t plant, bool away) { away_.at(plant) = away; }
  [[nodiscard]] bool is_away(std::size_t plant) const { return away_.at(plant); }

  [[nodiscard]] std::size_t size() const { return plants_.size(); }
  [[nodiscard]] Plant& plant(std::size_t index) { return plants_.at(index); }
  [[nodiscard]] const Plant& plant(std::size_t index) const { return plants_.at(index); }
  [[nodiscard]] const HostLaws& laws() const { return laws_; }
  [[nodiscard]] double seconds() const { return seconds_; }  // since the host was made
  [[nodiscard]] const DeviceTotals& device_totals() const { return device_totals_; }
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }  // used, in sum
  [[nodiscard]] double queue() const { return use_.queue; }          // requests there now
  // Bytes of memory that nothing has now. Absent: not known.
  [[nodiscard]] std::optional<double> memory_available() const;

 private:
  void change_device();
  void solve();
  ForegroundIo answer(const ForegroundIo& foreground, double threads);
  void pass(double seconds);
  [[nodiscard]] ForegroundIo foreground_io() const;
  [[nodiscard]] double memory_bytes() const;
  // Of plants that are there.
  template <class Use>
  void for_each(const Use& use);
  template <class Use>
  void for_each(const Use& use) const;

  HostLaws laws_;
  std::optional<DeviceLaws> device_;  // as it is now
  std::size_t device_changes_ = 0;    // that have come
  double seconds_ = 0;
  std::vector<Plant> plants_;
  std::vector<bool> away_;  // by plant
  std::vector<DeviceJob> jobs_;
  std::vector<std::size_t> first_jobs_;  // of each plant
  DeviceUse use_;
  double busy_cpus_ = 0;
  DeviceTotals device_totals_;
  double cpu_seconds_ = 0;
  // Of the memory, what others than the databases have. Known once it is known who is there.
  std::optional<double> others_bytes_;
};

}  // namespace rocktune::sim
