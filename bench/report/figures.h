// The figures that a comparison reports of each run: which ones there are, where each comes from,
// how it is shown. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/result_reader.h"
#include "bench/report/run.h"
#include "bench/report/summary.h"

namespace rocktune::bench::report {

inline constexpr double kMillisecondUs = 1e3;
inline constexpr double kMiB = 1 << 20;

struct FigureSource {
  Figure figure;
  std::function<std::optional<double>(const Run&)> read;  // nothing when the run lacks it
};

// Every figure that any of the runs may have, in the order to show them: the databases' names,
// operations and limits are taken from the runs themselves.
std::vector<FigureSource> figure_sources(const std::vector<Run>& runs);
// Throughput and P99 of each phase, in runs of more than one.
std::vector<FigureSource> phase_figure_sources(const std::vector<Run>& runs);

// The key of the one that stands for all: operations a second of all databases together.
inline constexpr const char* kThroughput = "ops_per_second";
inline constexpr const char* kStallSeconds = "stall_seconds";
inline constexpr const char* kSecondsAboveSlo = "seconds_above_slo";

// The limits that the runs' objective states, each once.
std::vector<LatencyLimit> limits_of(const std::vector<Run>& runs);

// "read P99 above 5 ms" for {read_p99, 5000}.
std::string limit_text(const LatencyLimit& limit);
// "P99.9" for "p999_us", "read-modify-write" for "read_modify_write".
std::string percentile_text(const std::string& percentile);
std::string operation_text(const std::string& operation);

// The operations that occur in the runs, and the databases' names, as met.
std::vector<std::string> operations_of(const std::vector<Run>& runs);
std::vector<std::string> database_names(const std::vector<Run>& runs);

}  // namespace rocktune::bench::report
