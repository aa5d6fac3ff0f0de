// Writes samples as rows. What changes now and then (source health, knobs, the drive's health,
// slices of shared budgets, a column family's options and state) is written when it changed and
// referred to by the id of the sample that wrote it; histograms are written as increments. Every
// now and then a sample is a keyframe: it refers to no row before it, so that everything before it
// can be deleted. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/sample.h"
#include "trace/age.h"
#include "trace/columns.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

class SampleWriter {
 public:
  static Result<SampleWriter> create(const Connection& connection, std::uint64_t keyframe_every);

  Result<void> write(std::int64_t target, const Sample& sample);
  // The id of a target's incarnation; makes the row when there is none.
  Result<std::int64_t> incarnation_id(std::int64_t target, const std::string& incarnation);
  // The next sample of each target will be a keyframe: call it when rows were lost.
  void forget();
  void forget(std::int64_t target);  // of one that was closed
  // The same, for bounds: what was written stays valid.
  void begin_keyframes();

 private:
  struct ColumnFamilyState {
    ColumnFamilyReading last;
    std::array<Age, kFamilyAges> ages;
    std::int64_t options_at = 0;
    std::int64_t state_at = 0;
  };
  template <class Reading>
  struct Noted {  // a reading with the sample that wrote it
    std::optional<Reading> last;
    std::optional<std::int64_t> at;
  };
  struct TargetState {
    std::uint64_t since_keyframe = 0;  // 0: the next one is a keyframe
    std::string incarnation;
    std::vector<SourceHealth> health;
    std::int64_t health_at = 0;
    KnobReadings knobs;
    std::int64_t knobs_at = 0;
    Noted<NvmeReading> nvme;
    Noted<SharedBudget> shared;
    std::vector<std::optional<LatencyHistogram>> histograms;
    std::vector<ColumnFamilyState> column_families;
  };

  Result<void> write_health(std::int64_t id, const Sample& sample, TargetState& state, bool anew);
  Result<void> write_knobs(std::int64_t id, const Sample& sample, TargetState& state, bool anew);
  template <class Reading>
  Result<void> write_noted(std::int64_t id, Statement& row, const std::optional<Reading>& reading,
                           Noted<Reading>& noted, bool anew);
  Result<void> write_column_families(std::int64_t id, const Sample& sample, TargetState& state,
                                     bool anew);
  Result<void> write_column_family(std::int64_t id, std::size_t position, Nanoseconds tick,
                                   const ColumnFamilyReading& reading, ColumnFamilyState& state,
                                   bool anew);
  Result<void> write_options(std::int64_t id, std::size_t position,
                             const ColumnFamilyReading& reading);
  Result<void> write_state(std::int64_t id, std::size_t position,
                           const ColumnFamilyReading& reading, const ColumnFamilyState& state);
  void put_database(const Sample& sample, TargetState& state);
  Result<std::optional<std::int64_t>> device_id(const Sample& sample);

  std::uint64_t keyframe_every_ = 0;
  std::int64_t next_id_ = 1;
  std::map<std::int64_t, TargetState> targets_;
  std::map<std::string, std::int64_t> devices_;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> incarnations_;
  std::optional<Statement> insert_sample_, insert_health_, insert_knob_, insert_nvme_,
      insert_shared_, insert_column_family_, insert_options_, insert_state_, find_device_,
      insert_device_, find_incarnation_, insert_incarnation_;
};

}  // namespace rocktune::trace
