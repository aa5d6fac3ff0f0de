#include "bench/report/figures.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "scenario/workload/operation.h"

namespace rocktune::bench::report {
namespace {

void add_once(std::vector<std::string>& all, const std::string& name) {
  if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
}

const nlohmann::json* database_named(const Run& run, const std::string& name) {
  for (const DatabaseResult& database : databases_of(run.result)) {
    if (database.name == name) return database.document;
  }
  return nullptr;
}

std::optional<double> of_database(const Run& run, const std::string& name,
                                  const std::string& path) {
  const nlohmann::json* document = database_named(run, name);
  return document == nullptr ? std::nullopt : number_at(*document, path);
}

// The sum over the databases; nothing when one of them lacks it.
std::optional<double> sum(const Run& run, const std::string& path) {
  std::optional<double> total;
  for (const DatabaseResult& database : databases_of(run.result)) {
    const auto part = number_at(*database.document, path);
    if (!part) return std::nullopt;
    total = total.value_or(0) + *part;
  }
  return total;
}

// Written by flush and compaction over written by the user, of all databases together (source 003).
std::optional<double> write_amplification(const Run& run) {
  const auto flush = sum(run, "/total/flush_bytes_written");
  const auto compaction = sum(run, "/total/compaction_bytes_written");
  const auto user = sum(run, "/total/user_bytes_written");
  if (!flush || !compaction || user.value_or(0) <= 0) return std::nullopt;
  return (*flush + *compaction) / *user;
}

FigureSource summed(Figure figure, const std::string& path) {
  return {std::move(figure), [path](const Run& run) { return sum(run, path); }};
}

// What the run's device did as a whole.
FigureSource of_device(Figure figure, const std::string& key) {
  return {std::move(figure),
          [path = "/device/total/" + key](const Run& run) { return number_at(run.result, path); }};
}

void add_databases(const std::vector<Run>& runs, std::vector<FigureSource>& sources) {
  const auto names = database_names(runs);
  const auto prefix = [](const std::string& name, const char* after) {
    return name.empty() ? "" : name + after;
  };
  for (const std::string& name : names) {
    if (name.empty()) continue;  // the sum says it
    sources.push_back(
        {{name + ".ops_per_second", name + ": throughput, ops/s", Better::kHigher, 1, 0},
         [name](const Run& run) { return of_database(run, name, "/total/ops_per_second"); }});
  }
  for (const std::string& name : names) {
    for (const std::string& operation : operations_of(runs)) {
      for (const char* percentile : {"p50_us", "p99_us", "any_moment_p99_us", "p999_us"}) {
        const std::string path = "/total/operations/" + operation + "/" + percentile;
        sources.push_back({{prefix(name, ".") + operation + "_" + percentile,
                            prefix(name, ": ") + operation_text(operation) + " " +
                                percentile_text(percentile) + ", ms",
                            Better::kLower, kMillisecondUs, 3},
                           [name, path](const Run& run) { return of_database(run, name, path); }});
      }
    }
  }
}

const nlohmann::json* phase_named(const Run& run, const std::string& database,
                                  const std::string& phase) {
  const nlohmann::json* document = database_named(run, database);
  if (document == nullptr) return nullptr;
  for (const nlohmann::json& one : array_at(*document, "/phases")) {
    if (text_at(one, "/name") == phase) return &one;
  }
  return nullptr;
}

struct PhaseName {
  std::string database;
  std::string phase;
};

std::vector<PhaseName> phase_names(const std::vector<Run>& runs) {
  std::vector<PhaseName> all;
  for (const std::string& database : database_names(runs)) {
    std::vector<std::string> names;
    for (const Run& run : runs) {
      const nlohmann::json* document = database_named(run, database);
      if (document == nullptr) continue;
      for (const auto& phase : array_at(*document, "/phases")) {
        add_once(names, text_at(phase, "/name"));
      }
    }
    if (names.size() < 2) continue;
    for (const std::string& name : names) all.push_back({database, name});
  }
  return all;
}

FigureSource of_phase(const PhaseName& name, Figure figure, const std::string& path) {
  const std::string label = (name.database.empty() ? "" : name.database + ", ") + name.phase;
  figure.key =
      "phase." + (name.database.empty() ? "" : name.database + ".") + name.phase + "." + figure.key;
  figure.label = label + ": " + figure.label;
  return {std::move(figure), [name, path](const Run& run) {
            const nlohmann::json* phase = phase_named(run, name.database, name.phase);
            return phase == nullptr ? std::nullopt : number_at(*phase, path);
          }};
}

void add_limits(const std::vector<Run>& runs, std::vector<FigureSource>& sources) {
  const auto limits = limits_of(runs);
  if (limits.empty()) return;
  // Each run by its own objective, which is the same for all unless the summary says otherwise.
  sources.push_back(
      {{kSecondsAboveSlo, "time above the SLO, s", Better::kLower, 1, 1}, [](const Run& run) {
         const auto own = latency_limits(run.result);
         return own.empty() ? std::nullopt : seconds_above(run.result, own);
       }});
  if (limits.size() == 1) {
    sources.back().figure.label = "time with " + limit_text(limits.front()) + ", s";
    return;
  }
  for (const LatencyLimit& limit : limits) {
    sources.push_back({{"seconds_above_" + limit.metric, "time with " + limit_text(limit) + ", s",
                        Better::kLower, 1, 1},
                       [limit](const Run& run) { return seconds_above(run.result, {limit}); }});
  }
}

}  // namespace

std::vector<FigureSource> figure_sources(const std::vector<Run>& runs) {
  std::vector<FigureSource> sources;
  sources.push_back(
      summed({kThroughput, "throughput, ops/s", Better::kHigher, 1, 0}, "/total/ops_per_second"));
  add_databases(runs, sources);
  add_limits(runs, sources);
  sources.push_back(
      summed({"operations_never_started", "operations never begun", Better::kLower, 1, 0},
             "/total/operations_never_started"));
  sources.push_back(summed({kStallSeconds, "time writers stalled, s", Better::kLower, 1, 2},
                           "/total/stall_seconds"));
  sources.push_back(
      {{"write_amplification", "write amplification", Better::kLower, 1, 2}, write_amplification});
  sources.push_back(summed({"pending_compaction_bytes_at_end", "pending compaction at the end, MiB",
                            Better::kLower, kMiB, 1},
                           "/total/pending_compaction_bytes"));
  sources.push_back(of_device({"device_read_bytes", "device read, MiB", Better::kNeither, kMiB, 0},
                              "read_bytes"));
  sources.push_back(of_device(
      {"device_written_bytes", "device written, MiB", Better::kNeither, kMiB, 0}, "write_bytes"));
  sources.push_back({{"daemon_cpu_seconds", "daemon CPU time, s", Better::kLower, 1, 2},
                     [](const Run& run) { return run.daemon_cpu_seconds; }});
  sources.push_back({{"changes", "changes made", Better::kNeither, 1, 0}, [](const Run& run) {
                       return run.changes ? std::optional(static_cast<double>(*run.changes))
                                          : std::nullopt;
                     }});
  return sources;
}

std::vector<FigureSource> phase_figure_sources(const std::vector<Run>& runs) {
  std::vector<FigureSource> sources;
  const auto operations = operations_of(runs);
  for (const PhaseName& name : phase_names(runs)) {
    sources.push_back(of_phase(name, {kThroughput, "throughput, ops/s", Better::kHigher, 1, 0},
                               "/total/ops_per_second"));
    for (const std::string& operation : operations) {
      for (const char* percentile : {"p99_us", "any_moment_p99_us"}) {
        sources.push_back(
            of_phase(name,
                     {operation + "_" + percentile,
                      operation_text(operation) + " " + percentile_text(percentile) + ", ms",
                      Better::kLower, kMillisecondUs, 3},
                     "/total/operations/" + operation + "/" + percentile));
      }
    }
  }
  return sources;
}

std::vector<LatencyLimit> limits_of(const std::vector<Run>& runs) {
  std::vector<LatencyLimit> all;
  for (const Run& run : runs) {
    for (const LatencyLimit& limit : latency_limits(run.result)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const LatencyLimit& one) {
        return one.metric == limit.metric && one.limit_us == limit.limit_us;
      });
      if (!known) all.push_back(limit);
    }
  }
  return all;
}

std::string limit_text(const LatencyLimit& limit) {
  char text[64];
  std::snprintf(text, sizeof text, " above %.4g ms", limit.limit_us / kMillisecondUs);
  return operation_text(limit.operation) + " " + percentile_text(limit.percentile) + text;
}

std::string percentile_text(const std::string& percentile) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kTexts = {
      {{"p50_us", "P50"},
       {"p95_us", "P95"},
       {"p99_us", "P99"},
       {"any_moment_p99_us", "P99 at any moment"},
       {"p999_us", "P99.9"}}};
  for (const auto& [key, text] : kTexts) {
    if (percentile == key) return text;
  }
  return percentile;
}

std::string operation_text(const std::string& operation) {
  std::string text = operation;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::vector<std::string> operations_of(const std::vector<Run>& runs) {
  std::vector<std::string> found;
  for (const Run& run : runs) {
    for (const DatabaseResult& database : databases_of(run.result)) {
      const auto& operations = object_at(*database.document, "/total/operations");
      for (const auto& [operation, latency] : operations.items()) add_once(found, operation);
    }
  }
  // In the project's own order, reads first; JSON's is the alphabet's.
  const auto place = [](const std::string& name) {
    return std::find(scenario::kOperationNames.begin(), scenario::kOperationNames.end(), name);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return found;
}

std::vector<std::string> database_names(const std::vector<Run>& runs) {
  std::vector<std::string> all;
  for (const Run& run : runs) {
    for (const DatabaseResult& database : databases_of(run.result)) add_once(all, database.name);
  }
  return all;
}

}  // namespace rocktune::bench::report
