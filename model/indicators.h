// Indicators: the early warnings. For each of p99, compaction_backlog and device_saturation a
// probability that its limit is crossed within a horizon, the estimated time to it, a state with
// hysteresis, and the features that drove it. Pure: the same features in the same order give the
// same indicators.
//
// This first model joins static thresholds with the time to the limit from flow rates (how fast
// L0, pending bytes, memtables, P99 and device load move towards their limits, by least squares
// over a short window). Its probability is a monotone function of the margin left and of
// eta/horizon; it is not yet calibrated, and says so (`calibrated` is false).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "model/objective.h"

namespace rocktune {

enum class IndicatorKind { kP99, kCompactionBacklog, kDeviceSaturation };
enum class AlertState { kOk, kWarning, kCritical };

std::string_view to_string(IndicatorKind kind);  // "p99", "compaction_backlog", "device_saturation"
std::string_view to_string(AlertState state);    // "ok", "warning", "critical"

struct Driver {
  // A name of Features::visit_values, or what a model derived from them: l0_peak_files (what is
  // foreseen), device_load and device_read_await_ratio (model/device_load.h).
  std::string feature;
  double value = 0;
  std::optional<double> limit;  // the limit it is measured against, same unit
  bool operator==(const Driver&) const = default;
};

struct Indicator {
  IndicatorKind kind = IndicatorKind::kP99;
  std::string
      cause;  // "read", "write"; "l0", "pending_bytes", "memtables"; "queue", "await", "load"
  AlertState state = AlertState::kOk;
  double probability = 0;  // within the horizon
  double horizon_seconds = 0;
  std::optional<double> eta_seconds;  // to the limit; 0 while it holds; absent: not approaching
  bool valid = false;  // false: not enough to tell, `why_invalid` says what is missing
  std::string why_invalid;
  bool event = false;  // the forecast condition holds now (SLO broken, stalled, saturated)
  bool calibrated = false;
  std::vector<Driver> drivers;  // strongest first, at most 5
  bool operator==(const Indicator&) const = default;
};

// An alert raised, changed or cleared; the alert log's `alert` lines.
struct AlertChange {
  std::string id;  // stable from raise to clear
  Indicator indicator;
  AlertState from = AlertState::kOk;
  Instant raised_at;
  std::string message;                 // one sentence for a person
  std::optional<bool> event_came;      // on clear: did the forecast condition hold meanwhile
  std::optional<double> lead_seconds;  // on clear, when it came: from the raise to its onset
  bool operator==(const AlertChange&) const = default;
};

// Keeps the history of one target (bounded). Not thread-safe.
class IndicatorModel {
 public:
  explicit IndicatorModel(Objective objective);
  ~IndicatorModel();
  IndicatorModel(IndicatorModel&&) noexcept;
  IndicatorModel& operator=(IndicatorModel&&) noexcept;

  struct Step {
    std::vector<Indicator> indicators;  // always all three, in the order of IndicatorKind
    std::vector<AlertChange> alerts;
  };
  Step update(const Features& features);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktune
