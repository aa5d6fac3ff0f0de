#include "bench/simulate/order_figures.h"

#include "bench/report/figures.h"

namespace rocktune::bench {
namespace {

using report::Run;
using sim::LoopFigures;
using Databases = std::vector<LoopFigures>;

std::optional<double> recorded_sum(const Run& run, const char* figure) {
  for (const report::FigureSource& source : report::figure_sources({run})) {
    if (source.figure.key == figure) return source.read(run);
  }
  return std::nullopt;
}

// Of the only database that has reads.
std::optional<double> recorded_p99(const Run& run) {
  std::optional<double> found;
  for (const auto& database : run.result.value("databases", nlohmann::json::array())) {
    const nlohmann::json::json_pointer pointer("/total/operations/read/p99_us");
    if (!database.contains(pointer)) continue;
    if (found) return std::nullopt;
    found = database.at(pointer).get<double>();
  }
  return found;
}

std::optional<double> simulated_p99(const Databases& databases) {
  std::optional<double> found;
  for (const LoopFigures& one : databases) {
    if (!(one.reads_p99_seconds > 0)) continue;
    if (found) return std::nullopt;
    found = one.reads_p99_seconds * 1e6;
  }
  return found;
}

std::optional<double> recorded_throughput(const Run& run) {
  return recorded_sum(run, report::kThroughput);
}

std::optional<double> simulated_throughput(const Databases& databases) {
  double sum = 0;
  for (const LoopFigures& one : databases) {
    if (one.seconds > 0) sum += one.operations / one.seconds;
  }
  return sum;
}

std::optional<double> recorded_stalls(const Run& run) {
  return recorded_sum(run, report::kStallSeconds);
}

std::optional<double> simulated_stalls(const Databases& databases) {
  double sum = 0;
  for (const LoopFigures& one : databases) sum += one.stalled_seconds;
  return sum;
}

}  // namespace

const std::vector<OrderFigure>& order_figures() {
  static const std::vector<OrderFigure> kFigures = {
      {"read_p99", "read P99, ms", 1e3, 1, 0, recorded_p99, simulated_p99},
      {"throughput", "throughput, ops/s", 1, 0, 0, recorded_throughput, simulated_throughput},
      // A sample is half a second.
      {"stall_seconds", "stalled, s", 1, 1, sim::kPollSeconds, recorded_stalls, simulated_stalls},
  };
  return kFigures;
}

}  // namespace rocktune::bench
