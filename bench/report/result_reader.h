// Reads the JSON result of a run (docs/bench.md), schema 1 or 2, for those who report it: schema 1
// has one nameless database, schema 2 one or more with names. What a result lacks is absent, never
// zero, whichever part is missing. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rocktune::bench::report {

// Follows a path like "/total/ops_per_second"; nothing when a part of it is missing or the end is
// no number.
std::optional<double> number_at(const nlohmann::json& document, const std::string& path);
// As number_at; "" when it is missing or no text.
std::string text_at(const nlohmann::json& document, const std::string& path);
// The array at `path`; an empty one when there is none.
const nlohmann::json& array_at(const nlohmann::json& document, const std::string& path);
// Whatever is at `path`; null when there is nothing.
const nlohmann::json& value_at(const nlohmann::json& document, const std::string& path);
// The object at `path`; an empty one when there is none.
const nlohmann::json& object_at(const nlohmann::json& document, const std::string& path);

// One database of a run: an object with `workload`, `configuration`, `phases` and `total`.
struct DatabaseResult {
  std::string name;  // empty in a run of one nameless database
  const nlohmann::json* document = nullptr;
};

// Points into `result`, which must outlive it.
std::vector<DatabaseResult> databases_of(const nlohmann::json& result);

// A limit on latency that the scenario's objective states.
struct LatencyLimit {
  std::string metric;      // "read_p99"
  std::string operation;   // "read"
  std::string percentile;  // "p99_us"
  double limit_us = 0;
};

std::vector<LatencyLimit> latency_limits(const nlohmann::json& result);

// Whether one second of one database, in that phase, was above a limit; nothing where it does not
// tell. One without any operation of the kind, of which the phase has a share, is above it where
// nothing was done at all, and where others were done in such numbers that it must have been kept
// waiting.
std::optional<bool> second_is_above(const nlohmann::json& second, const nlohmann::json& phase,
                                    const LatencyLimit& limit);

// How long the limit was exceeded, second by second: the lengths of those in which any database's
// percentile lay above it (second_is_above). Nothing when no second of the run tells.
std::optional<double> seconds_above(const nlohmann::json& result,
                                    const std::vector<LatencyLimit>& limits);

// "emulated device nvme-p41", "real device"; empty when the result does not say.
std::string device_text(const nlohmann::json& result);

}  // namespace rocktune::bench::report
