// DeviceCalibration: what the device under a recorded run can do, from /sys/block's counters, for
// runs whose device was not probed.
//
// Each byte and each request takes of the device's time as much as explains how busy it was (least
// squares over all readings). A device that works on many requests at once does more than that: its
// capacity is the most that it was seen to do. Either is a capacity only of a device that was seen
// at its limit, where requests take 3 times as long as under light load (model/device_load.h). Of
// bytes and requests that always came together it is a guess how much either takes; a direction
// that took hardly any of its time is taken to be as the other one. Pure.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "model/device_capacities.h"
#include "model/device_load.h"
#include "model/features.h"

namespace rocktune::sim {

class DeviceCalibration {
 public:
  // One reading, in order of its time.
  void update(const Features& features);
  // Absent: the device was not seen at its limit, or its counters were not read.
  [[nodiscard]] std::optional<DeviceCapacities> capacities() const;

 private:
  // Bytes and requests a second that are read, then those that are written.
  using Traffic = Eigen::Vector4d;
  struct Reading {
    Eigen::Vector4f traffic;
    float await_ratio = 0;  // to that under light load; 0: not known
  };

  DeviceLoad load_;
  Eigen::Matrix4d squares_ = Eigen::Matrix4d::Zero();
  Traffic busy_ = Traffic::Zero(), sum_ = Traffic::Zero();
  std::vector<Reading> readings_;
};

}  // namespace rocktune::sim
