// Validation: how well the plant repeats what was recorded. The first part of a run calibrates it,
// the rest is simulated without any policy (sim/calibrate/run.h) and compared with what really
// came. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/result.h"
#include "model/sample.h"
#include "sim/calibrate/run.h"

namespace rocktune::sim {

// Of the compared part of a run.
struct RunFigures {
  double seconds = 0;
  double keys_written = 0;
  double compaction_bytes_read = 0;
  double stalled_seconds = 0;  // writes were delayed or stopped
};

struct ValidationResult {
  RunFigures recorded;
  std::vector<RunFigures> simulated;  // by seed
  Laws laws;
  double demand_known_ratio = 0;
};

// The medians over the seeds against what was recorded; ratios of what was recorded.
struct ValidationErrors {
  bool stalls = false;           // as recorded
  double stalling_seeds = 0;     // the share of the seeds that stall
  double ingest = 0;             // (simulated - recorded) / recorded
  double compaction_bytes = 0;   // ...
  double stalled_ratio = 0;      // of the time, as recorded
  double stalled_ratio_off = 0;  // simulated - recorded
  [[nodiscard]] bool is_stall_right() const { return (stalling_seeds >= 0.5) == stalls; }
};

ValidationErrors validation_errors(const ValidationResult& result);

class Validation {
 public:
  // The first `calibrate_seconds` of the run are not compared.
  explicit Validation(double calibrate_seconds) : calibration_(calibrate_seconds) {}

  // In order; `events` are those recorded since the sample before.
  void add(const Sample& sample, std::span<const DatabaseEvent> events);
  // Simulates with seeds 0, 1, ... Errors as RunCalibration's.
  [[nodiscard]] Result<ValidationResult> finish(std::string_view rocksdb_version,
                                                std::size_t seeds) const;

 private:
  void compare(const Sample& sample);
  void note_stalls(std::span<const DatabaseEvent> events);

  RunCalibration calibration_;
  std::optional<Sample> last_;
  RunFigures recorded_;
  // What is compared of one opening of the database; ticks in seconds.
  struct Part {
    std::string incarnation;
    double begin = 0, end = 0;
  };
  std::vector<Part> compared_;
  // Of stalls that events tell; ticks in seconds.
  struct Stall {
    std::string incarnation;
    double begin = 0, end = 0;
  };
  [[nodiscard]] double told_seconds() const;
  std::vector<Stall> told_;
  // By incarnation and column family: those whose end was not told.
  std::map<std::pair<std::string, std::string>, double> stalled_since_;
};

}  // namespace rocktune::sim
