// AlertTracker: turns one indicator's probability into states and alerts, with hysteresis. Raises
// at once, clears after a quiet time; remembers whether the forecast event came and when. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/assessment.h"
#include "model/indicators.h"

namespace rocktune {

// What came of an alert whose event began so long after the raise, in seconds: "the write stall
// came 3.0 s after the warning"; absent: "no write stall came".
std::string verdict(IndicatorKind kind, const std::optional<double>& lead_seconds);

class AlertTracker {
 public:
  // Those of the assessment at hand. Asked for when the alert changed.
  using Drivers = std::function<std::vector<Driver>()>;

  // Sets the indicator's state and returns the alert's change, if it changed. The alert's id is
  // "<kind>-<text::moment() of the raise>".
  std::optional<AlertChange> update(Assessment& assessment, Instant at, const Drivers& drivers);
  // Clears whatever is raised because what it spoke of is gone; `why` ends the message.
  std::optional<AlertChange> end(Assessment& assessment, Instant at, const std::string& why,
                                 const Drivers& drivers);

 private:
  [[nodiscard]] AlertState next_state(const Assessment& assessment, Nanoseconds now);
  void note_event(const Indicator& indicator, Nanoseconds now);
  void note_verdict(const Indicator& indicator);
  AlertChange change(const Assessment& assessment, AlertState from, Instant at,
                     const Drivers& drivers);

  AlertState state_ = AlertState::kOk;
  std::string id_;
  Instant raised_at_;
  std::optional<Nanoseconds> event_onset_;  // since the raise
  bool came_true_ = false;                  // what the last alert foresaw
  // When a critical or a warning state was last justified, or could not be judged.
  Nanoseconds last_critical_{0};
  Nanoseconds last_warning_{0};
  Nanoseconds last_event_{0};
  std::optional<Nanoseconds> blind_since_;
};

}  // namespace rocktune
