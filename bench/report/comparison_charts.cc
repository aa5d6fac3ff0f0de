#include "bench/report/comparison_charts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "bench/report/figures.h"
#include "bench/report/result_reader.h"

namespace rocktune::bench::report {
namespace {

using nlohmann::json;

std::string series_name(const Run& run) {
  return run.policy + ", repeat " + std::to_string(run.repeat) + (run.partial ? ", partial" : "");
}

// One value of every element of a `per_second` array, at the end of its second.
void add_seconds(const json& per_second, const std::string& path, double divisor,
                 std::vector<page::Point>& points) {
  for (const json& second : per_second) {
    const auto start = number_at(second, "/start_seconds");
    const auto length = number_at(second, "/seconds");
    if (!start || !length) continue;
    auto value = number_at(second, path);
    if (value) *value /= divisor;
    points.push_back({*start + *length, value});
  }
}

std::vector<page::Point> database_points(const Run& run, const std::string& database,
                                         const std::string& path, double divisor) {
  std::vector<page::Point> points;
  for (const DatabaseResult& one : databases_of(run.result)) {
    if (one.name != database) continue;
    for (const json& phase : array_at(*one.document, "/phases")) {
      add_seconds(array_at(phase, "/per_second"), path, divisor, points);
    }
  }
  return points;
}

std::vector<page::Point> device_points(const Run& run, const std::string& path, double divisor) {
  std::vector<page::Point> points;
  add_seconds(array_at(run.result, "/device/per_second"), path, divisor, points);
  return points;
}

using PointsOf = std::function<std::vector<page::Point>(const Run&)>;

page::Chart chart_of(const std::vector<Run>& runs, std::string title, std::string unit,
                     page::Reduce reduce, const PointsOf& points) {
  page::Chart chart;
  chart.title = std::move(title);
  chart.unit = std::move(unit);
  chart.reduce = reduce;
  for (const Run& run : runs) chart.series.push_back({series_name(run), run.policy, points(run)});
  return chart;
}

// How a knob is shown: its unit is the end of its name.
struct KeyText {
  std::string title;
  std::string unit;
  double divisor = 1;
};

KeyText text_of_key(const std::string& key) {
  constexpr std::string_view kRate = "_bytes_per_second";
  constexpr std::string_view kBytes = "_bytes";
  const auto titled = [&](std::string_view suffix, const char* unit, double divisor) {
    std::string title = key.substr(0, key.size() - suffix.size());
    std::replace(title.begin(), title.end(), '_', ' ');
    return KeyText{title, unit, divisor};
  };
  if (key.ends_with(kRate)) return titled(kRate, "MiB/s", kMiB);
  if (key.ends_with(kBytes)) return titled(kBytes, "MiB", kMiB);
  return titled("", "", 1);
}

// The keys of the object's numbers that are not among `keys` yet.
void add_keys(const json& object, std::vector<std::string>& keys) {
  for (const auto& [key, value] : object.items()) {
    if (!value.is_number()) continue;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
}

class Charts {
 public:
  explicit Charts(const std::vector<Run>& runs) : runs_(runs) {}

  std::vector<page::Chart> make() {
    for (const std::string& database : database_names(runs_)) add_database(database);
    add_device();
    for (const std::string& database : database_names(runs_)) add_knobs(database);
    return std::move(charts_);
  }

 private:
  static std::string titled(const std::string& database, const std::string& title) {
    return database.empty() ? title : database + ": " + title;
  }

  page::Chart& add(const std::string& database, const std::string& title, const std::string& unit,
                   const std::string& path, double divisor, page::Reduce reduce) {
    charts_.push_back(chart_of(runs_, titled(database, title), unit, reduce, [&](const Run& run) {
      return database_points(run, database, path, divisor);
    }));
    return charts_.back();
  }

  void add_database(const std::string& database) {
    add(database, "throughput", "ops/s", "/ops_per_second", 1, page::Reduce::kMean);
    for (const std::string& operation : operations_of(runs_)) add_latencies(database, operation);
    add(database, "writers stalled, all threads together", "s per s", "/stall_seconds", 1,
        page::Reduce::kMax);
    add(database, "level-0 files", "", "/l0_files", 1, page::Reduce::kMax);
    add(database, "pending compaction", "MiB", "/pending_compaction_bytes", kMiB,
        page::Reduce::kMax);
  }

  // P99 always; another percentile where the objective limits it.
  void add_latencies(const std::string& database, const std::string& operation) {
    for (const char* percentile : {"p50_us", "p95_us", "p99_us", "p999_us"}) {
      std::vector<page::Limit> limits;
      for (const LatencyLimit& limit : limits_of(runs_)) {
        if (limit.operation != operation || limit.percentile != percentile) continue;
        limits.push_back({"SLO", limit.limit_us / kMillisecondUs});
      }
      if (limits.empty() && std::string(percentile) != "p99_us") continue;
      page::Chart& chart =
          add(database, operation_text(operation) + " " + percentile_text(percentile), "ms",
              "/operations/" + operation + "/" + percentile, kMillisecondUs, page::Reduce::kMax);
      chart.logarithmic = true;
      chart.limits = std::move(limits);
    }
  }

  void add_device() {
    struct DeviceChart {
      const char* key;
      const char* title;
      const char* unit;
      double divisor;
    };
    constexpr std::array<DeviceChart, 4> kCharts = {
        {{"/utilisation", "device: share of time busy", "", 1},
         {"/queue", "device: requests in flight", "", 1},
         {"/read_bytes_per_second", "device: read", "MiB/s", kMiB},
         {"/write_bytes_per_second", "device: written", "MiB/s", kMiB}}};
    for (const DeviceChart& one : kCharts) {
      charts_.push_back(
          chart_of(runs_, one.title, one.unit, page::Reduce::kMean,
                   [&](const Run& run) { return device_points(run, one.key, one.divisor); }));
    }
  }

  void add_knobs(const std::string& database) {
    std::vector<std::string> keys;
    for (const Run& run : runs_) {
      for (const DatabaseResult& one : databases_of(run.result)) {
        for (const json& phase : array_at(*one.document, "/phases")) {
          for (const json& second : array_at(phase, "/per_second")) {
            add_keys(object_at(second, "/knobs"), keys);
          }
        }
      }
    }
    for (const std::string& key : keys) {
      const KeyText text = text_of_key(key);
      add(database, "knob " + text.title, text.unit, "/knobs/" + key, text.divisor,
          page::Reduce::kLast)
          .steps = true;
    }
  }

  const std::vector<Run>& runs_;
  std::vector<page::Chart> charts_;
};

// Of the run that got furthest; where databases have phases of their own, of the first one.
std::vector<page::Band> bands_of(const std::vector<Run>& runs) {
  std::vector<page::Band> longest;
  for (const Run& run : runs) {
    const auto databases = databases_of(run.result);
    if (databases.empty()) continue;
    std::vector<page::Band> bands;
    for (const json& phase : array_at(*databases.front().document, "/phases")) {
      const auto start = number_at(phase, "/total/start_seconds");
      const auto length = number_at(phase, "/total/seconds");
      if (start && length) bands.push_back({text_at(phase, "/name"), *start, *start + *length});
    }
    const auto end = [](const std::vector<page::Band>& all) {
      return all.empty() ? 0 : all.back().to;
    };
    if (end(bands) > end(longest)) longest = std::move(bands);
  }
  return longest;
}

}  // namespace

page::ChartGroup run_charts(const std::vector<Run>& runs) {
  page::ChartGroup group;
  group.charts = Charts(runs).make();
  group.bands = bands_of(runs);
  for (const Run& run : runs) {
    for (const Event& event : run.events) {
      group.marks.push_back(
          {event.seconds, run.policy, "repeat " + std::to_string(run.repeat) + ": " + event.text});
    }
  }
  return group;
}

}  // namespace rocktune::bench::report
