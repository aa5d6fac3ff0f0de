// The way back from JSON: the parts that the trace stores in JSON columns, and that the tools read
// from the daemon. Unknown keys are ignored; missing ones, and other types, are errors.
#include <algorithm>
#include <array>

#include "trace/journal_json.h"
#include "trace/json_text.h"
#include "trace/learnt_json.h"

namespace rocktune::trace {
namespace {

template <class T>
std::optional<T> optional_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->template get<T>();
}

std::vector<Driver> drivers_from(const Json& list) {
  std::vector<Driver> drivers;
  for (const Json& entry : list) {
    drivers.push_back({entry.at("feature").get<std::string>(), entry.at("value").get<double>(),
                       optional_at<double>(entry, "limit"), optional_at<double>(entry, "weight")});
  }
  return drivers;
}

template <class Enum, std::size_t kSize>
Enum named(const Json& value, const std::array<Enum, kSize>& known) {
  const auto& text = value.get_ref<const std::string&>();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](Enum candidate) { return to_string(candidate) == text; });
  if (found == known.end()) throw std::invalid_argument("unknown value \"" + text + "\"");
  return *found;
}

// Absent in what an older rocktune wrote.
void foreseen_from(const Json& object, Indicator& indicator) {
  indicator.near_probability = object.value("near_probability", indicator.probability);
  indicator.warn_probability = object.value("warn_probability", 0.5);
  indicator.answered = object.value("answered", false);
  indicator.seconds_since_event = optional_at<double>(object, "seconds_since_event");
  const Json probabilities = object.value("probabilities", Json::object());
  for (const double horizon : kHeadHorizons) {
    const auto found = probabilities.find(std::to_string(static_cast<int>(horizon)));
    if (found != probabilities.end()) indicator.probabilities.push_back(found->get<double>());
  }
  for (const Json& one : object.value("foreseen", Json::array())) {
    indicator.foreseen.push_back({one.at("feature").get<std::string>(),
                                  one.at("median").get<double>(), one.at("p90").get<double>()});
  }
}

Indicator indicator_from(const Json& object) {
  Indicator indicator;
  indicator.kind = named(object.at("indicator"),
                         std::array{IndicatorKind::kP99, IndicatorKind::kCompactionBacklog,
                                    IndicatorKind::kDeviceSaturation});
  indicator.cause = object.at("cause").get<std::string>();
  indicator.state = named(object.at("state"),
                          std::array{AlertState::kOk, AlertState::kWarning, AlertState::kCritical});
  indicator.probability = object.at("probability").get<double>();
  indicator.horizon_seconds = object.at("horizon_seconds").get<double>();
  indicator.eta_seconds = optional_at<double>(object, "eta_seconds");
  indicator.valid = object.at("valid").get<bool>();
  indicator.why_invalid = object.value("why_invalid", std::string());
  indicator.event = object.at("event").get<bool>();
  indicator.calibrated = object.at("calibrated").get<bool>();
  indicator.drivers = drivers_from(object.at("evidence"));
  foreseen_from(object, indicator);
  return indicator;
}

std::optional<DirectionCapacity> direction_at(const Json& object, const char* key) {
  const Json& direction = object.at(key);
  if (direction.is_null()) return std::nullopt;
  return DirectionCapacity{direction.at("bytes_per_second").get<double>(),
                           direction.at("iops").get<double>()};
}

// Traces of before do not have it: nothing was probed then.
DeviceCapacities capacities_from(const Json& objective) {
  const auto found = objective.find("device_capacities");
  if (found == objective.end()) return {};
  return {direction_at(*found, "read"), direction_at(*found, "write"),
          optional_at<double>(*found, "mixing_loss"),
          optional_at<double>(*found, "read_await_seconds")};
}

EngineConfig engine_config_from(const Json& object) {
  EngineConfig config;
  config.policy = object.at("policy").get<std::string>();
  for (const auto& [name, value] : object.at("policy_params").items()) {
    config.policy_params[name] = value.get<double>();
  }
  const Json& objective = object.at("objective");
  config.objective.read_p99_seconds = objective.at("read_p99_seconds").get<double>();
  config.objective.write_p99_seconds = objective.at("write_p99_seconds").get<double>();
  if (const auto first = objective.find("first"); first != objective.end()) {
    config.objective.first = named(*first, kPriorities);
  }
  config.objective.horizon_seconds = objective.at("horizon_seconds").get<double>();
  config.objective.device_queue_limit = objective.at("device_queue_limit").get<double>();
  config.objective.device_await_limit_seconds =
      objective.at("device_await_limit_seconds").get<double>();
  config.objective.false_alarms_per_day =
      objective.value("false_alarms_per_day", Objective().false_alarms_per_day);
  config.objective.device_capacities = capacities_from(objective);
  const Json& budget = object.at("budget");
  // Traces of before have `cache_max_bytes` instead, of the cache alone: it was no such budget.
  const Json none;
  if (const Json memory = budget.value("memory_max_bytes", none); !memory.is_null()) {
    config.budget.memory_max = Bytes{memory.get<std::int64_t>()};
  }
  config.budget.device_share = budget.value("device_share", config.budget.device_share);
  if (const Json most = budget.value("write_amplification_max", none); !most.is_null()) {
    config.budget.write_amplification_max = most.get<double>();
  }
  config.budget.jobs_max = optional_at<std::int64_t>(budget, "jobs_max");
  config.budget.rate_limit_min.value = budget.at("rate_limit_min_bytes_per_second").get<double>();
  config.budget.changes_per_hour = budget.at("changes_per_hour").get<int>();
  // A trace from before there was such a limit had none.
  config.budget.drift_max = optional_at<double>(budget, "drift_max");
  const Json drifts = budget.value("drift_max_of", Json::object());
  for (const auto& [name, factor] : drifts.items()) {
    config.budget.drift_max_of[name] =
        factor.is_null() ? std::optional<double>() : std::optional(factor.get<double>());
  }
  config.pins = object.value("pins", Pins());
  if (const auto prior = object.find("prior"); prior != object.end()) {
    if (const auto learnt = learnt_from(*prior)) {
      config.prior = std::make_shared<const Learnt>(*learnt);
    }
  }
  return config;
}

// The JSON library reports by exceptions: they end here.
template <class Read>
auto decode(std::string_view text, const char* what, Read read)
    -> Result<decltype(read(std::declval<const Json&>()))> {
  try {
    return read(Json::parse(text));
  } catch (const std::exception& problem) {
    return fail(ErrorCode::kCorrupt, std::string(what) + ": " + problem.what());
  }
}

}  // namespace

Result<std::vector<Driver>> decode_drivers(std::string_view json) {
  return decode(json, "evidence", drivers_from);
}

Result<void> decode_forecast(std::string_view json, Indicator& indicator) {
  const auto done = decode(json, "forecast", [&](const Json& object) {
    foreseen_from(object, indicator);
    return true;
  });
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<Indicator> decode_indicator(std::string_view json) {
  return decode(json, "indicator", indicator_from);
}

Result<EngineConfig> decode_engine_config(std::string_view json) {
  return decode(json, "engine configuration", engine_config_from);
}

}  // namespace rocktune::trace
