#include "daemon/forecast_notes.h"

#include "model/text.h"

namespace rocktune::daemon {
namespace {

// As long as an alert's state is kept without data (model/alert_tracker.cc).
constexpr double kBlindSeconds = 30;
// As long as a source has to be read again before that is said (daemon/health_notes.cc).
constexpr double kKnownSeconds = 10;
// Operations a second of which a P99 would be known, if they were timed (model/p99.cc).
constexpr double kManyOperations = 10;

// Nobody can forecast how slow operations are of which there are none.
bool is_idle(const Indicator& indicator, const Features& features) {
  if (indicator.kind != IndicatorKind::kP99) return false;
  const bool counted = features.reads_per_second || features.writes_per_second;
  const double done =
      features.reads_per_second.value_or(0) + features.writes_per_second.value_or(0);
  return counted && done < kManyOperations;
}

}  // namespace

std::optional<std::string> ForecastNotes::note(const Indicator& indicator,
                                               const Features& features) {
  State& state = forecasts_[indicator.kind];
  const bool nothing_to_know = !indicator.valid && is_idle(indicator, features);
  if (!features.fresh || nothing_to_know) {
    state.since.reset();
    return std::nullopt;
  }
  state.known = state.known || indicator.valid;
  if (!state.since || state.valid != indicator.valid) state.since = features.at.tick;
  state.valid = indicator.valid;
  const double lasts = seconds_between(*state.since, features.at.tick);
  const std::string name(to_string(indicator.kind));
  if (state.known && !state.said && !state.valid && lasts >= kBlindSeconds) {
    state.said = true;
    return name + ": not known for " + text::duration(lasts) + ": " + indicator.why_invalid;
  }
  if (state.said && state.valid && lasts >= kKnownSeconds) {
    state.said = false;
    return name + ": known again";
  }
  return std::nullopt;
}

}  // namespace rocktune::daemon
