// Indicators: the early warnings. For each of p99, compaction_backlog and device_saturation a
// probability that its limit is crossed within a horizon, the estimated time to it, a state with
// hysteresis, and the features that drove it. Pure: the same features in the same order give the
// same indicators.
//
// Physics first: for L0 a simulation of flushes and compactions (model/stall_forecast.h), for the
// others the time to the limit from how fast they move towards it (model/probability.h). Heads that
// learn online (model/heads/) correct it, and a threshold that moves with each false alarm decides
// when to warn. docs/warning.md has it all.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "model/heads/learnt.h"
#include "model/objective.h"

namespace rocktune {

enum class IndicatorKind { kP99, kCompactionBacklog, kDeviceSaturation };
enum class AlertState { kOk, kWarning, kCritical };

// An event that begins sooner after another one is the same (docs/score.md).
inline constexpr double kNewEventAfterSeconds = 30;

std::string_view to_string(IndicatorKind kind);  // "p99", "compaction_backlog", "device_saturation"
std::string_view to_string(AlertState state);    // "ok", "warning", "critical"

struct Driver {
  // A name of Features::visit_values, or what a model derived from them: l0_peak_files (what is
  // foreseen), device_load and device_read_await_ratio (model/device_load.h).
  std::string feature;
  double value = 0;
  std::optional<double> limit = std::nullopt;  // the limit it is measured against, same unit
  // What it adds to the log odds of the event; absent: nothing learnt.
  std::optional<double> weight = std::nullopt;
  bool operator==(const Driver&) const = default;
};

// The largest value within the horizon: its median, and what nine in ten stay below.
struct Foreseen {
  std::string feature;  // read_p99_us, write_p99_us, l0_files, device_queue
  double median = 0, p90 = 0;
  bool operator==(const Foreseen&) const = default;
};

struct Indicator {
  IndicatorKind kind = IndicatorKind::kP99;
  // "read", "write"; "l0", "pending_bytes", "memtables", "write_buffer_manager"; "queue", "await",
  // "load"
  std::string cause;
  AlertState state = AlertState::kOk;
  bool answered = false;   // an alert is raised, and its event has come since
  double probability = 0;  // within the horizon; 1 while the event holds
  // Within 10, 30 and 60 s, none below a shorter one's, as `probability` is not; empty while it is
  // not valid.
  std::vector<double> probabilities;
  // Within half the horizon. This is what warns: so near, an event that comes later than foreseen
  // still comes within the horizon. 1 while the event holds.
  double near_probability = 0;
  double warn_probability =
      0.5;  // of near: from which on it warns, to keep the budget of false alarms
  double horizon_seconds = 0;
  std::optional<double> eta_seconds;  // to the limit; 0 while it holds; absent: not approaching
  bool valid = false;  // false: not enough to tell, `why_invalid` says what is missing
  std::string why_invalid;
  bool event = false;  // the forecast condition holds now (SLO broken, stalled, saturated)
  // Since it last held, 0 while it does; absent: not in this opening, nor before a long gap. What
  // is foreseen is a new event, one after kNewEventAfterSeconds without.
  std::optional<double> seconds_since_event = std::nullopt;
  bool calibrated = false;  // learnt from enough events, and no drift of late
  // Strongest first, at most 5. An AlertChange has them; else IndicatorModel::drivers() is asked.
  std::vector<Driver> drivers;
  std::vector<Foreseen> foreseen;
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
  explicit IndicatorModel(const Objective& objective, const Learnt& prior = {});
  ~IndicatorModel();
  IndicatorModel(IndicatorModel&&) noexcept;
  IndicatorModel& operator=(IndicatorModel&&) noexcept;

  struct Step {
    std::vector<Indicator> indicators;  // always all three, in the order of IndicatorKind
    std::vector<AlertChange> alerts;
    // What the horizon's heads say by themselves, which `probability` is not below; by
    // IndicatorKind. Neither told nor recorded: score/ measures the heads by it.
    std::array<double, 3> head_probabilities{};
  };
  Step update(const Features& features);
  // Why the indicator stands as it does since the last update(), whose features are given.
  [[nodiscard]] std::vector<Driver> drivers(IndicatorKind kind, const Features& features) const;
  // How things stand by the indicator since the last update(), as an alert would say: "writes are
  // stopped: ..."; empty: it has nothing to say.
  [[nodiscard]] std::string sentence(IndicatorKind kind) const;
  // What the heads know by now, to be the prior of another model of the same database.
  [[nodiscard]] Learnt learnt() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktune
