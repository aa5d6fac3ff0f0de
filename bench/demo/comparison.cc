#include "bench/demo/comparison.h"

#include <cstdio>
#include <utility>

namespace rocktune::bench {
namespace {

using nlohmann::json;
using Value = std::optional<double>;

// Follows a path of keys; nothing when one is missing or the end is no number.
Value number_at(const json& document, const std::string& path) {
  const json::json_pointer pointer(path);
  if (!document.contains(pointer)) return std::nullopt;
  const json& found = document.at(pointer);
  return found.is_number() ? Value(found.get<double>()) : std::nullopt;
}

std::string cell(const Value& value, const char* pattern, double divisor) {
  if (!value) return "-";
  char text[64];
  std::snprintf(text, sizeof text, pattern, *value / divisor);
  return text;
}

std::string ratio_cell(const Value& before, const Value& after) {
  if (!before || !after || *before == 0) return "-";
  return cell(*after / *before, "%.2fx", 1);
}

struct Row {
  std::string label;
  std::string path;
  const char* pattern;
  double divisor;
};

std::string line(const std::string& label, const std::string& a, const std::string& b,
                 const std::string& ratio) {
  char text[160];
  std::snprintf(text, sizeof text, "  %-34s %12s %12s %14s\n", label.c_str(), a.c_str(), b.c_str(),
                ratio.c_str());
  return text;
}

}  // namespace

std::string comparison_table(const json& static_run, const json& tuned_run) {
  std::vector<Row> rows = {{"throughput, ops/s", "/databases/0/total/ops_per_second", "%.0f", 1}};
  const json phases = static_run.value(json::json_pointer("/databases/0/phases"), json::array());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    rows.push_back({"  in phase " + phases[i].value("name", "?") + ", ops/s",
                    "/databases/0/phases/" + std::to_string(i) + "/total/ops_per_second", "%.0f",
                    1});
  }
  for (const std::string operation : {"read", "update"}) {
    const std::string at = "/databases/0/total/operations/" + operation;
    rows.push_back({operation + " mean, ms", at + "/mean_us", "%.3f", 1e3});
    rows.push_back({operation + " P99, ms", at + "/p99_us", "%.3f", 1e3});
  }
  rows.push_back({"time writers stalled, s", "/databases/0/total/stall_seconds", "%.2f", 1});
  rows.push_back({"pending compaction at the end, MiB",
                  "/databases/0/total/pending_compaction_bytes", "%.1f", 1048576});
  rows.push_back({"write amplification", "/databases/0/total/write_amplification", "%.2f", 1});
  rows.push_back({"block cache hit ratio", "/databases/0/total/cache_hit_ratio", "%.3f", 1});

  std::string table = line("", "static", "tuned", "tuned/static");
  for (const Row& row : rows) {
    const Value before = number_at(static_run, row.path);
    const Value after = number_at(tuned_run, row.path);
    table += line(row.label, cell(before, row.pattern, row.divisor),
                  cell(after, row.pattern, row.divisor), ratio_cell(before, after));
  }
  return table;
}

std::optional<double> throughput_ratio(const json& static_run, const json& tuned_run) {
  const Value before = number_at(static_run, "/databases/0/total/ops_per_second");
  const Value after = number_at(tuned_run, "/databases/0/total/ops_per_second");
  if (!before || !after || *before <= 0) return std::nullopt;
  return *after / *before;
}

std::string conclusion(const std::optional<double>& ratio) {
  if (!ratio) return "The two runs cannot be compared: one of them did nothing.";
  char text[160];
  if (*ratio >= 1.05) {
    std::snprintf(text, sizeof text, "Tuned did %.2f times the work of static in this run.",
                  *ratio);
  } else if (*ratio > 0.95) {
    std::snprintf(text, sizeof text,
                  "Tuning made no difference to throughput in this run (%.2f times static).",
                  *ratio);
  } else {
    std::snprintf(text, sizeof text, "Tuned was WORSE than static in this run: %.2f times.",
                  *ratio);
  }
  return text;
}

std::string price(const json& static_run, const json& tuned_run) {
  std::string slower;
  for (const auto& [operation, article] : {std::pair("read", "a "), std::pair("update", "an ")}) {
    std::string times;
    for (const auto& [measure, when] :
         {std::pair("/mean_us", " on average"), std::pair("/p99_us", " at P99")}) {
      const auto path = std::string("/databases/0/total/operations/") + operation + measure;
      const Value before = number_at(static_run, path);
      const Value after = number_at(tuned_run, path);
      if (!before || !after || *before <= 0 || *after < 1.1 * *before) continue;
      times += (times.empty() ? "" : " and ") + cell(*after / *before, "%.2f times", 1) +
               (times.empty() ? " as long" : "") + when;
    }
    if (times.empty()) continue;
    slower +=
        std::string(slower.empty() ? "In return " : ", ") + article + operation + " took " + times;
  }
  return slower.empty() ? "" : slower + ".";
}

}  // namespace rocktune::bench
