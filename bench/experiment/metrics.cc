#include "bench/experiment/metrics.h"

#include <algorithm>
#include <array>

#include "bench/report/result_reader.h"

namespace rocktune::bench::experiment {
namespace {

using nlohmann::json;

// How a metric comes from the object `total` of a database or of one of its phases (docs/bench.md).
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

// Of the device, for the whole run only (docs/bench.md, schema 2).
constexpr std::array kDeviceSources = {
    Source{{"device_utilisation", "device busy", 2}, "/device/total/utilisation", 1},
    Source{{"device_read", "device reads, MiB", 0}, "/device/total/read_bytes", kMebibyte},
    Source{{"device_written", "device writes, MiB", 0}, "/device/total/write_bytes", kMebibyte},
};

constexpr Metric kPendingMax{"pending_max", "pending at most, MiB", 0};
constexpr Metric kPendingGrowth{"pending_growth", "pending grew by, MiB", 0};
// Source 002: bytes written to storage over bytes written to the database.
constexpr Metric kDeviceWriteAmplification{"device_write_amplification", "WAF of the device", 2};
constexpr std::array kDerived = {kPendingMax, kPendingGrowth, kDeviceWriteAmplification};

std::string_view base_of(std::string_view name) {
  return name.substr(0, name.find('@'));
}

// A run's only database; null when it has none, or several that the metric would have to choose
// from.
const json* database_of(const json& result) {
  const auto databases = report::databases_of(result);
  return databases.size() == 1 ? databases.front().document : nullptr;
}

// The object `total` that the metric is about: the whole run's or the named phase's.
const json* total_of(const json& result, std::string_view phase) {
  const json* database = database_of(result);
  if (database == nullptr) return nullptr;
  if (phase.empty()) return database->contains("total") ? &database->at("total") : nullptr;
  for (const json& each : report::array_at(*database, "/phases")) {
    if (each.value("name", "") == phase && each.contains("total")) return &each.at("total");
  }
  return nullptr;
}

// Pending compaction bytes at the end of each second.
std::vector<double> pending_series(const json& result, std::string_view phase) {
  std::vector<double> series;
  const json* database = database_of(result);
  if (database == nullptr) return series;
  for (const json& each : report::array_at(*database, "/phases")) {
    if (!phase.empty() && each.value("name", "") != phase) continue;
    for (const json& second : report::array_at(each, "/per_second")) {
      if (auto value = report::number_at(second, "/pending_compaction_bytes")) {
        series.push_back(*value);
      }
    }
  }
  return series;
}

std::optional<double> read_derived(const json& result, std::string_view name) {
  const std::string_view base = base_of(name);
  if (base == kDeviceWriteAmplification.name) {
    const json* total = total_of(result, "");
    const auto device = report::number_at(result, "/device/total/write_bytes");
    const auto user =
        total == nullptr ? std::nullopt : report::number_at(*total, "/user_bytes_written");
    if (!device || !user || *user <= 0) return std::nullopt;
    return *device / *user;
  }
  const std::vector<double> series = pending_series(result, phase_of(name));
  if (series.empty()) return std::nullopt;
  if (base == kPendingMax.name) return *std::max_element(series.begin(), series.end()) / kMebibyte;
  return (series.back() - series.front()) / kMebibyte;
}

}  // namespace

std::optional<Metric> find_metric(std::string_view name) {
  const std::string_view base = base_of(name);
  for (const Source& source : kSources) {
    if (source.metric.name == base) return source.metric;
  }
  // These are counted for the run, not by phase.
  const bool whole = phase_of(name).empty();
  for (const Source& source : kDeviceSources) {
    if (whole && source.metric.name == base) return source.metric;
  }
  for (const Metric& metric : kDerived) {
    const bool by_phase = metric.name != kDeviceWriteAmplification.name;
    if ((whole || by_phase) && metric.name == base) return metric;
  }
  return std::nullopt;
}

std::string known_metrics() {
  std::string all;
  for (const Source& source : kSources) all += std::string(source.metric.name) + ", ";
  for (const Metric& metric : {kPendingMax, kPendingGrowth}) all += std::string(metric.name) + ", ";
  all.resize(all.size() - 2);
  all += " (each also as METRIC@PHASE)";
  for (const Source& source : kDeviceSources) all += ", " + std::string(source.metric.name);
  return all + ", " + std::string(kDeviceWriteAmplification.name);
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
  if (!find_metric(name)) return std::nullopt;
  const auto scaled = [](std::optional<double> value, double divisor) {
    return value ? std::optional(*value / divisor) : std::nullopt;
  };
  for (const Source& source : kDeviceSources) {
    if (source.metric.name == name) {
      return scaled(report::number_at(result, source.pointer), source.divisor);
    }
  }
  for (const Source& source : kSources) {
    if (source.metric.name != base_of(name)) continue;
    const json* total = total_of(result, phase_of(name));
    if (total == nullptr) return std::nullopt;
    return scaled(report::number_at(*total, source.pointer), source.divisor);
  }
  return read_derived(result, name);
}

}  // namespace rocktune::bench::experiment
