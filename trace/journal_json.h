// The records of the journal as JSON: one object on one line, keys in a fixed order, numbers in
// their shortest exact form. The alert log, the trace's JSON columns, `rocktune replay --json` and
// `rocktune status --json` all print through these, which is what makes live and replay comparable
// byte for byte. docs/alerts.md documents every key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/decision.h"
#include "model/engine_config.h"
#include "model/indicators.h"
#include "model/result.h"

namespace rocktune::trace {

// What text::rfc3339() writes, of the years 1970 to 2200; nullopt for anything else.
std::optional<Nanoseconds> parse_rfc3339(std::string_view text);

// Whole alert-log lines (without the newline): time, target, kind, id, and the kind's own keys.
std::string alert_line(Nanoseconds wall, std::string_view target, const AlertChange& alert);
// kind "indicator", which no alert log has: a forecast as it stood at a sample, with an alert's
// keys.
std::string indicator_line(Nanoseconds wall, std::string_view target, std::uint64_t sequence,
                           const Indicator& indicator);
std::string decision_line(Nanoseconds wall, std::string_view target, const Decision& decision,
                          std::string_view mode);
std::string outcome_line(Nanoseconds wall, std::string_view target, const Outcome& outcome);
std::string actuation_line(Nanoseconds wall, std::string_view target, const Actuation& actuation);
// What a step came to, in the order in which the daemon writes it. Of a Step or a RecordedStep.
template <class AnyStep>
std::vector<std::string> step_lines(Nanoseconds wall, std::string_view target, const AnyStep& step,
                                    std::string_view mode) {
  std::vector<std::string> lines;
  lines.reserve(step.alerts.size() + step.outcomes.size() + step.decisions.size());
  for (const auto& alert : step.alerts) lines.push_back(alert_line(wall, target, alert));
  for (const auto& outcome : step.outcomes) lines.push_back(outcome_line(wall, target, outcome));
  for (const auto& decision : step.decisions) {
    lines.push_back(decision_line(wall, target, decision, mode));
  }
  return lines;
}
// kind "guard".
std::string guard_line(Nanoseconds wall, std::string_view target, const GuardNote& note);
// kind "manual", "source", "event" or "daemon". `decision`: that an operator has taken back.
std::string event_line(Nanoseconds wall, std::string_view target, std::string_view kind,
                       std::string_view id, std::string_view message,
                       std::string_view decision = {});

// Parts that the trace stores as JSON columns, and back.
std::string encode_drivers(const std::vector<Driver>& drivers);
Result<std::vector<Driver>> decode_drivers(std::string_view json);
// What is foreseen: warn_probability, probabilities, foreseen, answered.
std::string encode_forecast(const Indicator& indicator);
Result<void> decode_forecast(std::string_view json, Indicator& indicator);
std::string encode_indicator(const Indicator& indicator);
Result<Indicator> decode_indicator(std::string_view json);
std::string encode_engine_config(const EngineConfig& config);
Result<EngineConfig> decode_engine_config(std::string_view json);

}  // namespace rocktune::trace
