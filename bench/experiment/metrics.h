// What an experiment's tables show: the metrics by name, and how each is read from the JSON result
// of a run. `metric@phase` is the same metric of one phase instead of the whole run. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktune::bench::experiment {

struct Metric {
  std::string_view name;
  std::string_view heading;  // with the unit
  int digits = 0;            // after the point
};

// Nothing when there is no such metric. `name` may have an `@phase`.
std::optional<Metric> find_metric(std::string_view name);
// "throughput, read_mean, ..."
std::string known_metrics();
// "read_mean@read" -> "read"; empty for the whole run.
std::string_view phase_of(std::string_view name);
// The heading with the phase: "ops/s (write)".
std::string heading_of(std::string_view name);

// The value in the heading's unit. Nothing when the run did not measure it (absent is not zero).
std::optional<double> read_metric(const nlohmann::json& result, std::string_view name);

}  // namespace rocktune::bench::experiment
