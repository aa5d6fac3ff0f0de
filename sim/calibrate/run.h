// RunCalibration: a recorded run as the input of simulations. Its first part calibrates the laws;
// the rest is simulated, from the state at that moment and under the demand that the rest had. Of
// the rest nothing else is used. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_capacities.h"
#include "model/result.h"
#include "model/sample.h"
#include "sim/calibrate/device.h"
#include "sim/calibrate/lsm.h"
#include "sim/calibrate/reads.h"
#include "sim/ensemble.h"
#include "sim/reading.h"

namespace rocktune::sim {

class RunCalibration {
 public:
  explicit RunCalibration(double calibrate_seconds) : calibrate_seconds_(calibrate_seconds) {}

  // In order. Whether it ends an interval of the simulated part, that began with the sample before.
  bool add(const Sample& sample);
  // `rocksdb_version`: "7.8.3"; `device`: as probed. Where either direction is missing it is as
  // the first part has seen it at its limit (sim/calibrate/device.h); where that was not seen
  // either, nothing waits for the device. Errors: the run is too short, tells no operations, has a
  // gap of more than a day or amounts that no machine does, or cannot be simulated.
  [[nodiscard]] Result<SimulationInput> finish(std::string_view rocksdb_version,
                                               const DeviceCapacities& device,
                                               KnobsAt knobs = KnobsAt::kRecorded) const;
  // All of the run again, calibrated by all that was learnt, and from its begin: for other policies
  // than the one it was recorded with. Errors as finish()'s.
  [[nodiscard]] Result<SimulationInput> whole(std::string_view rocksdb_version,
                                              const DeviceCapacities& device,
                                              KnobsAt knobs = KnobsAt::kFound) const;
  // The same on a machine that is known otherwise than from samples.
  [[nodiscard]] Result<SimulationInput> whole(std::string_view rocksdb_version,
                                              const HostLaws& machine,
                                              KnobsAt knobs = KnobsAt::kFound) const;
  // How much compactions read ahead at a time, where that is known.
  void know_readahead(double bytes) { readahead_bytes_ = bytes; }
  // As learnt by now, the overlap at its prior.
  [[nodiscard]] Laws laws() const;
  [[nodiscard]] Seen seen() const;

 private:
  struct Intervals {
    std::vector<DemandInterval> demand;
    std::vector<CacheUse> reads;
    std::vector<Absence> absences;
  };
  void note(const Sample& older, const Sample& newer, Intervals& intervals);
  void doubt(const Sample& older, const Sample& newer);
  void learn(const Sample& older, const Sample& newer);
  [[nodiscard]] HostLaws machine(const Sample& begin, const DeviceCapacities& device) const;
  [[nodiscard]] Result<SimulationInput> input_from(const Sample& begin, const Intervals& intervals,
                                                   std::string_view rocksdb_version,
                                                   const HostLaws& machine, KnobsAt knobs) const;
  [[nodiscard]] Result<SimulationInput> calibrated(const Sample& begin, const Intervals& intervals,
                                                   std::string_view rocksdb_version,
                                                   const HostLaws& machine, KnobsAt knobs) const;
  [[nodiscard]] std::optional<double> fitted_overlap(std::string_view rocksdb_version) const;

  double calibrate_seconds_;
  std::optional<double> readahead_bytes_;
  LsmCalibration lsm_;
  ReadCalibration reads_;
  DeviceCalibration device_;
  std::optional<Sample> begin_, start_, last_;  // of the first part, of the rest; the latest
  Intervals learning_, intervals_;
  double compaction_bytes_read_ = 0;  // in the first part
  std::string absurd_;  // why the run cannot be what a daemon has seen; empty: it may be
  bool writes_known_ = false;
  bool learnt_ = false;  // the first part is over
};

// Whether writes are delayed or stopped at that sample, which has a database.
bool is_held_back(const Sample& sample);

}  // namespace rocktune::sim
