// What the heads look at: about forty physical quantities of one moment, each scaled so that one
// unit is a large change (shares of limits, logarithms of rates, seconds over a typical time). A
// value that is not known is NaN and counts as its mean.
//
// Each input belongs to a feature that people know (`feature`), under which alerts name it.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

namespace rocktune {

enum class HeadInput : std::size_t {
  // The physical forecast of the indicator itself, as log odds, within 10, 30 and 60 s.
  kPhysical10,
  kPhysical30,
  kPhysical60,
  // How the indicator's event behaved until now.
  kQuiet,     // since it last held, over 60 s, at most 2
  kJustOver,  // 1 right after it, falling to 0 in 30 s
  kDue,       // since its last onset, over the mean time between onsets, at most 2
  // L0 and compaction.
  kL0Use,      // files / slowdown trigger
  kL0Above04,  // hinges: what lies above 0.4 and 0.7 of the trigger
  kL0Above07,
  kL0Slope15,  // mean of the last seconds minus that of 15 s; 15 s minus 60 s
  kL0Slope60,
  kL0Peak10,  // roll-out: the most files foreseen / trigger
  kL0Peak30,
  kL0Peak60,
  kL0CompactionRuns,
  kL0CompactionBegins10,  // roll-out: that the next one begins within 10, 30 and 60 s, softly
  kL0CompactionBegins30,
  kL0CompactionBegins60,
  kCompactionsBusy,  // roll-out: the share of the next 30 s with a compaction
  kJobAge,           // ln(1 + s) of the oldest running compaction
  kJobInput,         // ln(1 + MB) of its input
  kFlushRate,        // ln(1 + MB/s)
  kCompactionRate,   // ln(1 + MB/s) read and written
  kPendingUse,
  kMemtableUse,
  kStalled,
  // The device.
  kDeviceLoad,
  kDeviceQueue,       // ln(queue / limit)
  kDeviceAwait,       // ln(await / limit)
  kDeviceAwaitRatio,  // ln(1 + await / await under light load)
  kDeviceSlope15,
  kDeviceSlope60,
  kIoPressure,
  // The foreground.
  kReadUse,  // ln(P99 / SLO)
  kReadSlope15,
  kReadSlope60,
  kWriteUse,
  kWriteSlope15,
  kWriteSlope60,
  kDemand,  // ln(operations/s now / mean of 60 s)
  kDemandSlope60,
  kP99Physical,  // log odds within 30 s of each indicator: they drive each other
  kBacklogPhysical,
  kDevicePhysical,
  kCacheMisses,  // ln(misses/s over the mean of 60 s)
  kCount
};

inline constexpr std::size_t kHeadInputs = static_cast<std::size_t>(HeadInput::kCount);

struct HeadInputSpec {
  std::string_view name;     // in model files: "l0_slope_15"
  std::string_view feature;  // in alerts: "l0_files"; "forecast": the physical forecast itself
};
const std::array<HeadInputSpec, kHeadInputs>& head_input_specs();

// What is larger is as large: one absurd reading must not overflow a mean.
inline constexpr double kLargestInput = 100;
inline constexpr double kNoInput = std::numeric_limits<double>::quiet_NaN();

class HeadInputs {
 public:
  HeadInputs() { values_.fill(kNoInput); }
  // What is not finite counts as not known; what is beyond kLargestInput as that.
  void set(HeadInput input, double value);
  void set(HeadInput input, const std::optional<double>& value) {
    set(input, value.value_or(kNoInput));
  }
  [[nodiscard]] double operator[](std::size_t place) const { return values_.at(place); }
  [[nodiscard]] double get(HeadInput input) const {
    return values_.at(static_cast<std::size_t>(input));
  }

 private:
  std::array<double, kHeadInputs> values_;
};

}  // namespace rocktune
