// Comparisons made by hand: runs of one database or several, with the figures that a test needs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/comparison.h"
#include "bench/report/summary.h"
#include "tests/support/catch.h"

namespace rocktune::bench::report::test {

using nlohmann::json;

inline json second(int i, double ops, std::optional<double> read_p99_us) {
  json out = {{"start_seconds", i},
              {"seconds", 1.0},
              {"operations_done", ops},
              {"ops_per_second", ops},
              {"l0_files", 3},
              {"knobs", {{"max_background_jobs", 2}, {"rate_limiter_bytes_per_second", 2097152}}}};
  if (read_p99_us) out["operations"]["read"]["p99_us"] = *read_p99_us;
  return out;
}

// One database of two phases of two seconds.
inline json database(const std::string& name, double ops, double p99_us) {
  const auto phase = [&](const std::string& phase_name, int start) {
    return json{{"name", phase_name},
                {"proportions", {{"read", 1.0}}},
                {"total", {{"start_seconds", start}, {"seconds", 2.0}, {"ops_per_second", ops}}},
                {"per_second", {second(start, ops, p99_us), second(start + 1, ops, p99_us / 2)}}};
  };
  return {{"name", name},
          {"workload", {{"seed", 42}}},
          {"phases", {phase("calm", 0), phase("burst", 2)}},
          {"total",
           {{"ops_per_second", ops},
            {"operations", {{"read", {{"p50_us", 100}, {"p99_us", p99_us}, {"p999_us", 9000}}}}},
            {"stall_seconds", 1.5},
            {"user_bytes_written", 100},
            {"flush_bytes_written", 150},
            {"compaction_bytes_written", 450}}}};
}

inline json result_with(json databases) {
  return {{"schema", "rocktune-bench/2"},
          {"rocksdb_version", "7.8.3"},
          {"scenario", {{"name", "burst"}, {"scale", 16}}},
          {"objective",
           {{"limits",
             {{{"metric", "read_p99"},
               {"operation", "read"},
               {"percentile", "p99_us"},
               {"limit_us", 5000}}}},
            {"first", "read_p99"}}},
          {"device",
           {{"label", "emulated device"},
            {"name", "nvme-p41"},
            {"total", {{"read_bytes", 1000}, {"write_bytes", 2000}}}}},
          {"databases", std::move(databases)}};
}

inline json result_of(double ops, double p99_us = 4000) {
  return result_with(json::array({database("db", ops, p99_us)}));
}

inline Run run_of(const std::string& policy, std::int64_t repeat, json from) {
  Run run;
  run.policy = policy;
  run.repeat = repeat;
  run.result = std::move(from);
  return run;
}

inline Comparison comparison_of(const std::string& policy, const std::vector<double>& static_ops,
                                const std::vector<double>& policy_ops) {
  Comparison comparison;
  comparison.title = "Test";
  std::int64_t repeat = 0;
  for (const double ops : static_ops)
    comparison.runs.push_back(run_of("static", ++repeat, result_of(ops)));
  repeat = 0;
  for (const double ops : policy_ops)
    comparison.runs.push_back(run_of(policy, ++repeat, result_of(ops)));
  return comparison;
}

inline Verdict throughput_verdict(const std::vector<double>& static_ops,
                                  const std::vector<double>& policy_ops) {
  const Summary summary = summarize(comparison_of("tuned", static_ops, policy_ops));
  return summary.policies.at(1).figure("ops_per_second")->verdict;
}

inline const Figure* figure_of(const Summary& summary, const std::string& key) {
  for (const Figure& figure : summary.figures) {
    if (figure.key == key) return &figure;
  }
  return nullptr;
}

inline double median(const Summary& summary, const std::string& key) {
  const FigureSummary* figure = summary.policies.at(0).figure(key);
  REQUIRE(figure != nullptr);
  REQUIRE(figure->range);
  return figure->range->median;
}

}  // namespace rocktune::bench::report::test
