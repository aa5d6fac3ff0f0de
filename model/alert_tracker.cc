#include "model/alert_tracker.h"

#include <algorithm>

#include "model/heads/learnt_reason.h"
#include "model/text.h"

namespace rocktune {
namespace {

// From its warn_probability on an indicator warns; it may fall again below this share of it.
constexpr double kKeepWarning = 0.7;
// It is critical from here on, or from half of what is left above a higher warn_probability.
constexpr double kRaiseCritical = 0.85;
constexpr double kKeepCritical = 0.82;  // of that
// Ours: below this share of its limit a forecast alone is critical only where the last one came
// true (docs/warning.md, "Critical").
constexpr double kLeastUseToBelieve = 0.5;
// How long it has to stay below before it falls: longer than most L0 compactions' saw-tooth. This
// long after its event an alert is over in any case: what is foreseen then is another one's.
constexpr double kQuietSeconds = 10;
// Without data a state is kept this long (a restart of the agent takes less), then given up.
constexpr double kBlindSeconds = 30;

double critical_probability(const Indicator& indicator) {
  return std::max(kRaiseCritical, (1 + indicator.warn_probability) / 2);
}

bool is_at_least(const Indicator& indicator, double probability) {
  return indicator.event || indicator.near_probability >= probability;
}

std::string said(const Words& words) {
  return words ? words() : std::string();
}

// The forecast condition, for "<condition> 3.0 s after the warning" and "no <condition> came".
std::string condition(IndicatorKind kind) {
  switch (kind) {
    case IndicatorKind::kP99:
      return "broken latency limit";
    case IndicatorKind::kCompactionBacklog:
      return "write stall";
    case IndicatorKind::kDeviceSaturation:
      return "device saturation";
  }
  return "event";
}

}  // namespace

std::string verdict(IndicatorKind kind, const std::optional<double>& lead_seconds) {
  const std::string what = condition(kind);
  if (!lead_seconds) return "no " + what + " came";
  if (!(*lead_seconds > 0)) return "the " + what + " came without an earlier warning";
  return "the " + what + " came " + text::number(*lead_seconds, 1) + " s after the warning";
}

void AlertTracker::note_event(const Indicator& indicator, Nanoseconds now) {
  if (indicator.event && !event_onset_) event_onset_ = now;
}

// Of an alert that is over. One that its event raised foresaw nothing; that none came has to be
// seen.
void AlertTracker::note_verdict(const Indicator& indicator) {
  const bool foreseen = !event_onset_ || *event_onset_ > raised_at_.tick;
  if (foreseen && (event_onset_ || indicator.valid)) came_true_ = event_onset_.has_value();
}

AlertState AlertTracker::next_state(const Assessment& assessment, Nanoseconds now) {
  const Indicator& indicator = assessment.indicator;
  if (!indicator.valid) {
    if (!blind_since_) blind_since_ = now;
    return seconds_between(*blind_since_, now) >= kBlindSeconds ? AlertState::kOk : state_;
  }
  if (blind_since_) {  // the time without data was neither quiet nor loud
    last_critical_ = std::max(last_critical_, now - Nanoseconds(1));
    last_warning_ = std::max(last_warning_, now - Nanoseconds(1));
    last_event_ = std::max(last_event_, now - Nanoseconds(1));
    blind_since_.reset();
  }
  const double critical = critical_probability(indicator);
  const bool warns = is_at_least(indicator, indicator.warn_probability);
  if (indicator.event) last_event_ = now;
  const bool over = event_onset_ && seconds_between(last_event_, now) >= kQuietSeconds;
  if (state_ != AlertState::kOk && over) return AlertState::kOk;
  if (is_at_least(indicator, kKeepCritical * critical)) last_critical_ = now;
  if (is_at_least(indicator, kKeepWarning * indicator.warn_probability)) last_warning_ = now;
  const bool believed = indicator.event || came_true_ || assessment.use >= kLeastUseToBelieve;
  if (believed && is_at_least(indicator, critical)) return AlertState::kCritical;
  bool warning_quiet = seconds_between(last_warning_, now) >= kQuietSeconds;
  bool critical_quiet = seconds_between(last_critical_, now) >= kQuietSeconds;
  if (state_ == AlertState::kCritical && !critical_quiet) return AlertState::kCritical;
  if (state_ != AlertState::kOk && !warning_quiet) return AlertState::kWarning;
  return warns ? AlertState::kWarning : AlertState::kOk;
}

AlertChange AlertTracker::change(const Assessment& assessment, AlertState from, Instant at,
                                 const Drivers& drivers) {
  AlertChange out;
  out.id = id_;
  out.indicator = assessment.indicator;
  out.indicator.drivers = drivers();
  out.from = from;
  out.raised_at = raised_at_;
  if (assessment.indicator.state != AlertState::kOk) {
    // A state that only hysteresis keeps up has no outlook any more.
    bool likely = is_at_least(assessment.indicator, assessment.indicator.warn_probability);
    out.message = said(assessment.sentence);
    if (likely) out.message += said(assessment.outlook);
    if (likely && assessment.by_learnt) out.message += learnt_reason(out.indicator);
    return out;
  }
  out.event_came = event_onset_.has_value();
  if (event_onset_) out.lead_seconds = seconds_between(raised_at_.tick, *event_onset_);
  out.message = "over after " + text::duration(seconds_between(raised_at_.tick, at.tick)) + ": " +
                verdict(assessment.indicator.kind, out.lead_seconds);
  const std::string now = said(assessment.sentence);
  if (!now.empty()) out.message += "; now " + now;
  const Indicator& left = out.indicator;
  const bool likely = left.valid && is_at_least(left, left.warn_probability);
  if (likely) out.message += "; another one is foreseen";
  return out;
}

std::optional<AlertChange> AlertTracker::update(Assessment& assessment, Instant at,
                                                const Drivers& drivers) {
  Indicator& indicator = assessment.indicator;
  AlertState from = state_;
  state_ = next_state(assessment, at.tick);
  indicator.state = state_;
  if (from == AlertState::kOk && state_ != AlertState::kOk) {
    id_ = std::string(to_string(indicator.kind)) + "-" + text::moment(at.wall);
    raised_at_ = at;
    event_onset_.reset();
  }
  if (from == AlertState::kOk && state_ == AlertState::kOk) return std::nullopt;
  note_event(indicator, at.tick);
  indicator.answered = state_ != AlertState::kOk && event_onset_.has_value();
  if (from == state_) return std::nullopt;
  if (state_ == AlertState::kOk) note_verdict(indicator);
  AlertChange out = change(assessment, from, at, drivers);
  if (state_ == AlertState::kOk && !indicator.valid) {
    out.message +=
        "; given up, because " + indicator.why_invalid + " for " + text::duration(kBlindSeconds);
  }
  return out;
}

std::optional<AlertChange> AlertTracker::end(Assessment& assessment, Instant at,
                                             const std::string& why, const Drivers& drivers) {
  AlertState from = state_;
  state_ = AlertState::kOk;
  blind_since_.reset();
  if (from == AlertState::kOk) return std::nullopt;
  if (event_onset_) note_verdict(assessment.indicator);  // what did not come may have been about to
  assessment.indicator.state = AlertState::kOk;
  assessment.sentence = nullptr;
  AlertChange out = change(assessment, from, at, drivers);
  out.message += "; " + why;
  return out;
}

}  // namespace rocktune
