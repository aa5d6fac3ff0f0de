#include "trace/journal_rows.h"

#include <array>

#include "trace/journal_json.h"

namespace rocktune::trace {
namespace {

Columns with_key(const Columns& columns) {
  Columns all = {{"target", "INTEGER NOT NULL"}, {"sequence", "INTEGER NOT NULL"}};
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

template <class Enum, std::size_t kSize>
Result<Enum> named(const std::string& text, const std::array<Enum, kSize>& known) {
  for (const Enum candidate : known) {
    if (to_string(candidate) == text) return candidate;
  }
  return fail(ErrorCode::kCorrupt, "unknown value \"" + text + "\" in the journal");
}

constexpr std::array kStates = {AlertState::kOk, AlertState::kWarning, AlertState::kCritical};
constexpr std::array kKinds = {IndicatorKind::kP99, IndicatorKind::kCompactionBacklog,
                               IndicatorKind::kDeviceSaturation};
constexpr std::array kVerdicts = {VerdictKind::kAllowed, VerdictKind::kClamped, VerdictKind::kHeld,
                                  VerdictKind::kRejected};

}  // namespace

Columns alert_columns() {
  return with_key({{"id", "TEXT NOT NULL"},
                   {"indicator", "TEXT NOT NULL"},
                   {"cause", "TEXT NOT NULL"},
                   {"from_state", "TEXT NOT NULL"},
                   {"state", "TEXT NOT NULL"},
                   {"raised_wall_ns", "INTEGER NOT NULL"},
                   {"raised_tick_ns", "INTEGER NOT NULL"},
                   {"probability", "REAL"},
                   {"horizon_seconds", "REAL"},
                   {"eta_seconds", "REAL"},
                   {"valid", "INTEGER NOT NULL"},
                   {"why_invalid", "TEXT NOT NULL"},
                   {"event", "INTEGER NOT NULL"},
                   {"calibrated", "INTEGER NOT NULL"},
                   {"drivers", "TEXT NOT NULL"},
                   {"message", "TEXT NOT NULL"},
                   {"event_came", "INTEGER"},
                   {"lead_seconds", "REAL"},
                   {"forecast", "TEXT"}});
}

void put_alert(Statement& statement, const AlertChange& alert) {
  const Indicator& indicator = alert.indicator;
  statement.put(alert.id)
      .put(to_string(indicator.kind))
      .put(indicator.cause)
      .put(to_string(alert.from))
      .put(to_string(indicator.state))
      .put(std::int64_t{alert.raised_at.wall.count()})
      .put(std::int64_t{alert.raised_at.tick.count()})
      .put(indicator.probability)
      .put(indicator.horizon_seconds)
      .put(indicator.eta_seconds)
      .put(indicator.valid)
      .put(indicator.why_invalid)
      .put(indicator.event)
      .put(indicator.calibrated)
      .put(encode_drivers(indicator.drivers))
      .put(alert.message)
      .put(alert.event_came)
      .put(alert.lead_seconds)
      .put(encode_forecast(indicator));
}

Result<AlertChange> take_alert(Statement& row) {
  AlertChange alert;
  Indicator& indicator = alert.indicator;
  alert.id = row.take_text();
  const auto kind = named(row.take_text(), kKinds);
  if (!kind) return tl::unexpected(kind.error());
  indicator.kind = *kind;
  indicator.cause = row.take_text();
  const auto from = named(row.take_text(), kStates);
  if (!from) return tl::unexpected(from.error());
  alert.from = *from;
  const auto state = named(row.take_text(), kStates);
  if (!state) return tl::unexpected(state.error());
  indicator.state = *state;
  alert.raised_at.wall = Nanoseconds(row.take_int());
  alert.raised_at.tick = Nanoseconds(row.take_int());
  if (!is_tick(alert.raised_at.tick)) {
    return fail(ErrorCode::kCorrupt, "the trace is damaged: an alert was raised at no time");
  }
  indicator.probability = row.take_real();
  indicator.horizon_seconds = row.take_real();
  indicator.eta_seconds = row.take_optional_real();
  indicator.valid = row.take_bool();
  indicator.why_invalid = row.take_text();
  indicator.event = row.take_bool();
  indicator.calibrated = row.take_bool();
  auto drivers = decode_drivers(row.take_text());
  if (!drivers) return tl::unexpected(drivers.error());
  indicator.drivers = std::move(*drivers);
  alert.message = row.take_text();
  if (const auto came = row.take_optional_int()) alert.event_came = *came != 0;
  alert.lead_seconds = row.take_optional_real();
  if (const auto forecast = row.take_optional_text()) {
    if (const auto done = decode_forecast(*forecast, indicator); !done) {
      return tl::unexpected(done.error());
    }
  }
  return alert;
}

Columns decision_columns() {
  return with_key({{"id", "TEXT NOT NULL"},
                   {"knob", "TEXT NOT NULL"},
                   {"column_family", "TEXT NOT NULL"},
                   {"from", "INTEGER NOT NULL"},
                   {"to", "INTEGER NOT NULL"},
                   {"rule", "TEXT NOT NULL"},
                   {"reason", "TEXT NOT NULL"},
                   {"expected_feature", "TEXT NOT NULL"},
                   {"expected_lower_is_better", "INTEGER NOT NULL"},
                   {"expected_baseline", "REAL"},
                   {"expected_window_seconds", "REAL"},
                   {"evidence", "TEXT NOT NULL"},
                   {"verdict", "TEXT NOT NULL"},
                   {"verdict_value", "INTEGER NOT NULL"},
                   {"verdict_rule", "TEXT NOT NULL"},
                   {"verdict_reason", "TEXT NOT NULL"}});
}

void put_decision(Statement& statement, const Decision& decision) {
  const Proposal& proposal = decision.proposal;
  const Verdict& verdict = decision.verdict;
  statement.put(decision.id)
      .put(proposal.knob)
      .put(proposal.column_family)
      .put(proposal.from)
      .put(proposal.to)
      .put(proposal.rule)
      .put(proposal.reason)
      .put(proposal.expected.feature)
      .put(proposal.expected.lower_is_better)
      .put(proposal.expected.baseline)
      .put(proposal.expected.window_seconds)
      .put(encode_drivers(proposal.evidence))
      .put(to_string(verdict.kind))
      .put(verdict.value)
      .put(verdict.rule)
      .put(verdict.reason);
}

Result<Decision> take_decision(Statement& row) {
  Decision decision;
  Proposal& proposal = decision.proposal;
  Verdict& verdict = decision.verdict;
  decision.id = row.take_text();
  proposal.knob = row.take_text();
  proposal.column_family = row.take_text();
  proposal.from = row.take_int();
  proposal.to = row.take_int();
  proposal.rule = row.take_text();
  proposal.reason = row.take_text();
  proposal.expected.feature = row.take_text();
  proposal.expected.lower_is_better = row.take_bool();
  proposal.expected.baseline = row.take_optional_real();
  proposal.expected.window_seconds = row.take_real();
  auto evidence = decode_drivers(row.take_text());
  if (!evidence) return tl::unexpected(evidence.error());
  proposal.evidence = std::move(*evidence);
  const auto kind = named(row.take_text(), kVerdicts);
  if (!kind) return tl::unexpected(kind.error());
  verdict.kind = *kind;
  verdict.value = row.take_int();
  verdict.rule = row.take_text();
  verdict.reason = row.take_text();
  return decision;
}

Columns actuation_columns() {
  return with_key({{"decision_id", "TEXT NOT NULL"},
                   {"status", "TEXT NOT NULL"},
                   {"reason", "TEXT NOT NULL"},
                   {"before", "INTEGER NOT NULL"},
                   {"after", "INTEGER NOT NULL"}});
}

void put_actuation(Statement& statement, const Actuation& actuation) {
  statement.put(actuation.decision_id)
      .put(actuation.status)
      .put(actuation.reason)
      .put(actuation.before)
      .put(actuation.after);
}

Result<Actuation> take_actuation(Statement& row) {
  Actuation actuation;
  actuation.decision_id = row.take_text();
  actuation.status = row.take_text();
  actuation.reason = row.take_text();
  actuation.before = row.take_int();
  actuation.after = row.take_int();
  return actuation;
}

Columns outcome_columns() {
  return with_key({{"decision_id", "TEXT NOT NULL"},
                   {"result", "TEXT NOT NULL"},
                   {"measured", "REAL"},
                   {"reason", "TEXT NOT NULL"}});
}

void put_outcome(Statement& statement, const Outcome& outcome) {
  statement.put(outcome.decision_id).put(outcome.result).put(outcome.measured).put(outcome.reason);
}

Result<Outcome> take_outcome(Statement& row) {
  Outcome outcome;
  outcome.decision_id = row.take_text();
  outcome.result = row.take_text();
  outcome.measured = row.take_optional_real();
  outcome.reason = row.take_text();
  return outcome;
}

}  // namespace rocktune::trace
