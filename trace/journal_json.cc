#include "trace/journal_json.h"

#include <chrono>

#include "model/text.h"
#include "trace/json_text.h"
#include "trace/learnt_json.h"

namespace rocktune::trace {
namespace {

Json head(Nanoseconds wall, std::string_view target, std::string_view kind, std::string_view id) {
  return Json{{"time", text::rfc3339(wall)}, {"target", target}, {"kind", kind}, {"id", id}};
}

Json drivers_json(const std::vector<Driver>& drivers) {
  Json list = Json::array();
  for (const Driver& driver : drivers) {
    Json entry{{"feature", driver.feature}, {"value", driver.value}};
    if (driver.limit) entry["limit"] = *driver.limit;
    if (driver.weight) entry["weight"] = *driver.weight;
    list.push_back(std::move(entry));
  }
  return list;
}

// {"10": 0.1, "30": 0.4, "60": 0.7}
Json probabilities_json(const std::vector<double>& probabilities) {
  Json out = Json::object();
  for (std::size_t i = 0; i < probabilities.size() && i < kHeadHorizons.size(); ++i) {
    out[std::to_string(static_cast<int>(kHeadHorizons.at(i)))] = probabilities[i];
  }
  return out;
}

Json foreseen_json(const std::vector<Foreseen>& foreseen) {
  Json list = Json::array();
  for (const Foreseen& one : foreseen) {
    list.push_back({{"feature", one.feature}, {"median", one.median}, {"p90", one.p90}});
  }
  return list;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void add_foreseen(Json& line, const Indicator& indicator) {
  line["near_probability"] = indicator.near_probability;
  line["warn_probability"] = indicator.warn_probability;
  line["probabilities"] = probabilities_json(indicator.probabilities);
  line["foreseen"] = foreseen_json(indicator.foreseen);
  line["answered"] = indicator.answered;
  line["seconds_since_event"] = or_null(indicator.seconds_since_event);
}

Json direction_json(const std::optional<DirectionCapacity>& capacity) {
  if (!capacity) return nullptr;
  return {{"bytes_per_second", capacity->bytes_per_second}, {"iops", capacity->iops}};
}

Json capacities_json(const DeviceCapacities& capacities) {
  return {{"read", direction_json(capacities.read)},
          {"write", direction_json(capacities.write)},
          {"mixing_loss", or_null(capacities.mixing_loss)},
          {"read_await_seconds", or_null(capacities.read_await_seconds)}};
}

void add_indicator(Json& line, const Indicator& indicator) {
  line["indicator"] = to_string(indicator.kind);
  line["cause"] = indicator.cause;
  line["state"] = to_string(indicator.state);
}

void add_forecast(Json& line, const Indicator& indicator) {
  line["probability"] = indicator.probability;
  line["horizon_seconds"] = indicator.horizon_seconds;
  line["eta_seconds"] = or_null(indicator.eta_seconds);
  line["valid"] = indicator.valid;
  if (!indicator.valid) line["why_invalid"] = indicator.why_invalid;
  line["event"] = indicator.event;
  line["calibrated"] = indicator.calibrated;
  line["evidence"] = drivers_json(indicator.drivers);
  add_foreseen(line, indicator);
}

}  // namespace

std::optional<Nanoseconds> parse_rfc3339(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != kShape.size()) return std::nullopt;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (const char c : text.substr(from, count)) value = value * 10 + (c - '0');
    return value;
  };
  using namespace std::chrono;
  const year_month_day date{year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2)))};
  const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  // Beyond these years no 64 bits of nanoseconds reach, and no log is from then.
  if (!date.ok() || date.year() < year(1970) || date.year() > year(2200)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;  // 60: a leap second
  return sys_days(date).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second) +
         milliseconds(number(20, 3));
}

std::string alert_line(Nanoseconds wall, std::string_view target, const AlertChange& alert) {
  const Indicator& indicator = alert.indicator;
  Json line = head(wall, target, "alert", alert.id);
  add_indicator(line, indicator);
  line["from"] = to_string(alert.from);
  line["raised_at"] = text::rfc3339(alert.raised_at.wall);
  add_forecast(line, indicator);
  line["message"] = alert.message;
  if (indicator.state == AlertState::kOk) {
    line["event_came"] = or_null(alert.event_came);
    line["lead_seconds"] = or_null(alert.lead_seconds);
  }
  return json_text(line);
}

std::string indicator_line(Nanoseconds wall, std::string_view target, std::uint64_t sequence,
                           const Indicator& indicator) {
  Json line = head(wall, target, "indicator", std::to_string(sequence));
  add_indicator(line, indicator);
  add_forecast(line, indicator);
  return json_text(line);
}

std::string decision_line(Nanoseconds wall, std::string_view target, const Decision& decision,
                          std::string_view mode) {
  const Proposal& proposal = decision.proposal;
  const Expectation& expected = proposal.expected;
  const Verdict& verdict = decision.verdict;
  Json line = head(wall, target, "decision", decision.id);
  line["mode"] = mode;
  line["knob"] = proposal.knob;
  line["column_family"] = proposal.column_family;
  line["from"] = proposal.from;
  line["to"] = proposal.to;
  line["rule"] = proposal.rule;
  line["reason"] = proposal.reason;
  line["expected"] = Json{{"feature", expected.feature},
                          {"direction", expected.lower_is_better ? "lower" : "higher"},
                          {"baseline", or_null(expected.baseline)},
                          {"window_seconds", expected.window_seconds}};
  line["verdict"] = Json{{"kind", to_string(verdict.kind)},
                         {"value", verdict.value},
                         {"rule", verdict.rule},
                         {"reason", verdict.reason}};
  line["evidence"] = drivers_json(proposal.evidence);
  return json_text(line);
}

std::string outcome_line(Nanoseconds wall, std::string_view target, const Outcome& outcome) {
  Json line = head(wall, target, "outcome", outcome.decision_id);
  line["result"] = outcome.result;
  line["measured"] = or_null(outcome.measured);
  line["reason"] = outcome.reason;
  return json_text(line);
}

std::string actuation_line(Nanoseconds wall, std::string_view target, const Actuation& actuation) {
  Json line = head(wall, target, "actuation", actuation.decision_id);
  line["status"] = actuation.status;
  line["reason"] = actuation.reason;
  line["before"] = actuation.before;
  line["after"] = actuation.after;
  return json_text(line);
}

std::string guard_line(Nanoseconds wall, std::string_view target, const GuardNote& note) {
  Json line = head(wall, target, "guard", note.knob);
  line["column_family"] = note.column_family;
  line["message"] = note.message;
  return json_text(line);
}

std::string event_line(Nanoseconds wall, std::string_view target, std::string_view kind,
                       std::string_view id, std::string_view message, std::string_view decision) {
  Json line = head(wall, target, kind, id);
  line["message"] = message;
  if (!decision.empty()) line["decision"] = decision;
  return json_text(line);
}

std::string encode_drivers(const std::vector<Driver>& drivers) {
  return json_text(drivers_json(drivers));
}

std::string encode_indicator(const Indicator& indicator) {
  Json object{{"indicator", to_string(indicator.kind)},
              {"cause", indicator.cause},
              {"state", to_string(indicator.state)}};
  add_forecast(object, indicator);
  return json_text(object);
}

std::string encode_forecast(const Indicator& indicator) {
  Json object = Json::object();
  add_foreseen(object, indicator);
  return json_text(object);
}

std::string encode_engine_config(const EngineConfig& config) {
  const Objective& objective = config.objective;
  const Budget& budget = config.budget;
  Json params = Json::object();
  for (const auto& [name, value] : config.policy_params) params[name] = value;
  Json drifts = Json::object();
  for (const auto& [name, factor] : budget.drift_max_of) drifts[name] = or_null(factor);
  Json object{
      {"policy", config.policy},
      {"policy_params", std::move(params)},
      {"objective",
       {{"read_p99_seconds", objective.read_p99_seconds},
        {"write_p99_seconds", objective.write_p99_seconds},
        {"first", to_string(objective.first)},
        {"horizon_seconds", objective.horizon_seconds},
        {"device_queue_limit", objective.device_queue_limit},
        {"device_await_limit_seconds", objective.device_await_limit_seconds},
        {"false_alarms_per_day", objective.false_alarms_per_day},
        {"device_capacities", capacities_json(objective.device_capacities)}}},
      {"budget",
       {{"memory_max_bytes", budget.memory_max ? Json(budget.memory_max->value) : Json(nullptr)},
        {"jobs_max", or_null(budget.jobs_max)},
        {"device_share", budget.device_share},
        {"write_amplification_max", or_null(budget.write_amplification_max)},
        {"rate_limit_min_bytes_per_second", budget.rate_limit_min.value},
        {"changes_per_hour", budget.changes_per_hour},
        {"drift_max", or_null(budget.drift_max)},
        {"drift_max_of", std::move(drifts)}}}};
  if (!config.pins.empty()) object["pins"] = config.pins;
  if (config.prior) object["prior"] = learnt_json(*config.prior);
  return json_text(object);
}

}  // namespace rocktune::trace
