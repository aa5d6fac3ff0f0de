#include "bench/experiment/metrics.h"

#include <algorithm>
#include <array>

namespace rocktune::bench::experiment {
namespace {

using nlohmann::json;

// How a metric comes from the object `total` of a run or of one of its phases (docs/bench.md).
struct Source {
  Metric metric;
  const char* pointer;
  double divisor;
};

constexpr double kMebibyte = 1048576;
constexpr double kMillisecond = 1e3;  // results are in microseconds

constexpr std::array kSources = {
    Source{{"throughput", "ops/s", 0}, "/ops_per_second", 1},
    Source{{"reads", "reads/s", 0}, "/operations/read/ops_per_second", 1},
    Source{{"updates", "updates/s", 0}, "/operations/update/ops_per_second", 1},
    Source{{"read_mean", "read mean, ms", 3}, "/operations/read/mean_us", kMillisecond},
    Source{{"read_p99", "read P99, ms", 3}, "/operations/read/p99_us", kMillisecond},
    Source{{"update_mean", "update mean, ms", 3}, "/operations/update/mean_us", kMillisecond},
    Source{{"update_p99", "update P99, ms", 3}, "/operations/update/p99_us", kMillisecond},
    Source{{"rmw_mean", "read-modify-write mean, ms", 3},
           "/operations/read_modify_write/mean_us",
           kMillisecond},
    Source{{"rmw_p99", "read-modify-write P99, ms", 3},
           "/operations/read_modify_write/p99_us",
           kMillisecond},
    Source{{"write_amplification", "WAF", 2}, "/write_amplification", 1},
    Source{{"cache_hit_ratio", "cache hit ratio", 3}, "/cache_hit_ratio", 1},
    Source{{"stall", "writers waited, s", 1}, "/stall_seconds", 1},
    Source{{"compaction_read", "compaction reads, MiB", 0}, "/compaction_bytes_read", kMebibyte},
    Source{{"compaction_written", "compaction writes, MiB", 0},
           "/compaction_bytes_written",
           kMebibyte},
    Source{{"pending_end", "pending at the end, MiB", 0}, "/pending_compaction_bytes", kMebibyte},
    Source{
        {"device_reads", "device reads, MiB/s", 1}, "/operations/read/bytes_per_second", kMebibyte},
    Source{{"device_writes", "device writes, MiB/s", 1},
           "/operations/write/bytes_per_second",
           kMebibyte},
};

constexpr Metric kPendingMax{"pending_max", "pending at most, MiB", 0};
constexpr Metric kPendingGrowth{"pending_growth", "pending grew by, MiB", 0};
constexpr Metric kPendingOfData{"pending_of_data", "pending over data", 3};
constexpr std::array kSeriesMetrics = {kPendingMax, kPendingGrowth, kPendingOfData};

std::string_view base_of(std::string_view name) {
  return name.substr(0, name.find('@'));
}

std::optional<double> number_at(const json& from, const std::string& pointer) {
  const json::json_pointer path(pointer);
  if (!from.is_structured() || !from.contains(path) || !from.at(path).is_number()) {
    return std::nullopt;
  }
  return from.at(path).get<double>();
}

// The phases that the metric is about: all, or the one that it names.
std::vector<const json*> phases_for(const json& result, std::string_view phase) {
  std::vector<const json*> found;
  if (!result.is_object() || !result.contains("phases")) return found;
  for (const json& each : result.at("phases")) {
    if (phase.empty() || each.value("name", "") == phase) found.push_back(&each);
  }
  return found;
}

// Pending compaction bytes at the end of each second.
std::vector<double> pending_series(const json& result, std::string_view phase) {
  std::vector<double> series;
  for (const json* each : phases_for(result, phase)) {
    if (!each->contains("per_second")) continue;
    for (const json& second : each->at("per_second")) {
      if (auto value = number_at(second, "/pending_compaction_bytes")) series.push_back(*value);
    }
  }
  return series;
}

std::optional<double> read_series(const json& result, std::string_view name) {
  const std::vector<double> series = pending_series(result, phase_of(name));
  if (series.empty()) return std::nullopt;
  const std::string_view base = base_of(name);
  if (base == kPendingMax.name) {
    return *std::max_element(series.begin(), series.end()) / kMebibyte;
  }
  if (base == kPendingGrowth.name) return (series.back() - series.front()) / kMebibyte;
  const auto records = number_at(result, "/workload/records");
  const auto size = number_at(result, "/workload/value_size_bytes");
  constexpr double kKeyBytes = 16;  // bench/run/records.h
  if (!records || !size || *records <= 0) return std::nullopt;
  return series.back() / (*records * (*size + kKeyBytes));
}

}  // namespace

std::optional<Metric> find_metric(std::string_view name) {
  const std::string_view base = base_of(name);
  for (const Source& source : kSources) {
    if (source.metric.name == base) return source.metric;
  }
  for (const Metric& metric : kSeriesMetrics) {
    if (metric.name == base) return metric;
  }
  return std::nullopt;
}

std::string known_metrics() {
  std::string all;
  for (const Source& source : kSources) {
    all += (all.empty() ? "" : ", ") + std::string(source.metric.name);
  }
  for (const Metric& metric : kSeriesMetrics) all += ", " + std::string(metric.name);
  return all + " (each also as METRIC@PHASE)";
}

std::string_view phase_of(std::string_view name) {
  const auto at = name.find('@');
  return at == std::string_view::npos ? std::string_view{} : name.substr(at + 1);
}

std::string heading_of(std::string_view name) {
  const auto metric = find_metric(name);
  std::string heading(metric ? metric->heading : name);
  if (const auto phase = phase_of(name); !phase.empty()) heading += " (" + std::string(phase) + ")";
  return heading;
}

std::optional<double> read_metric(const json& result, std::string_view name) {
  const std::string_view base = base_of(name);
  for (const Source& source : kSources) {
    if (source.metric.name != base) continue;
    std::optional<double> value;
    if (phase_of(name).empty()) {
      value = number_at(result, std::string("/total") + source.pointer);
    } else if (const auto phases = phases_for(result, phase_of(name)); !phases.empty()) {
      value = number_at(*phases.front(), std::string("/total") + source.pointer);
    }
    if (value) *value /= source.divisor;
    return value;
  }
  return find_metric(name) ? read_series(result, name) : std::nullopt;
}

}  // namespace rocktune::bench::experiment
