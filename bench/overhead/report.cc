#include "bench/overhead/report.h"

#include <algorithm>
#include <cstdio>

namespace rocktune::bench {
namespace {

using nlohmann::json;

std::string ratio_text(const std::optional<Spread>& spread) {
  if (!spread) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.3f [%.3f-%.3f]", spread->median, spread->least, spread->most);
  return text;
}

std::string line_of(const OverheadRow& row) {
  const auto throughput = report::range_of(row.ratios(&HostRun::ops_per_second));
  char text[240];
  std::snprintf(text, sizeof text, "%-13s %-10s %4lld ms  %-21s %-21s %-21s %.2f: %s\n",
                row.workload.c_str(), row.host_statistics ? "host" : "agent",
                static_cast<long long>(row.poll_milliseconds), ratio_text(throughput).c_str(),
                ratio_text(report::range_of(row.ratios(&HostRun::p99_us))).c_str(),
                ratio_text(report::range_of(row.ratios(&HostRun::cpu_us_per_op))).c_str(),
                row.target(),
                throughput ? verdict(*throughput, row.target(), Better::kHigher).c_str() : "-");
  return text;
}

std::string ns_text(const std::optional<Spread>& spread) {
  if (!spread) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.0f [%.0f-%.0f]", spread->median, spread->least, spread->most);
  return text;
}

std::string recording_line_of(const OverheadRow& row) {
  char text[240];
  std::snprintf(text, sizeof text, "%-13s %-21s %-21s %-21s %-21s %s\n", row.workload.c_str(),
                ratio_text(report::range_of(row.ratios(&HostRun::ops_per_second))).c_str(),
                ratio_text(report::range_of(row.ratios(&HostRun::p99_us))).c_str(),
                ratio_text(report::range_of(row.ratios(&HostRun::cpu_us_per_op))).c_str(),
                ns_text(report::range_of(row.cpu_ns_more())).c_str(),
                ns_text(report::range_of(row.recording_ns())).c_str());
  return text;
}

// "7 rounds of 5 s"; "STOPPED: 2 of 7 rounds of 5 s".
std::string rounds_text(const OverheadReport& report) {
  char text[120];
  const auto rounds = static_cast<long long>(report.rounds);
  if (report.partial) {
    std::snprintf(text, sizeof text, "STOPPED: %lld of %lld rounds of %.3g s",
                  static_cast<long long>(report.rounds_finished), rounds, report.seconds);
  } else {
    std::snprintf(text, sizeof text, "%lld rounds of %.3g s", rounds, report.seconds);
  }
  return text;
}

std::string recording_table(const OverheadReport& report) {
  char text[500];
  std::snprintf(text, sizeof text,
                "With operations recorded over the same agent without that, RocksDB %s, %lld CPUs, "
                "%s; median [least-most] of the rounds:\n"
                "%-13s %-21s %-21s %-21s %-21s %s\n",
                report.rocksdb_version.c_str(), static_cast<long long>(report.cpus),
                rounds_text(report).c_str(), "workload", "throughput", "P99", "CPU per operation",
                "CPU, ns more", "of it the agent's, ns");
  std::string table = text;
  for (const auto& row : report.rows) table += recording_line_of(row);
  return table;
}

std::string poll_lines(const PollCost& poll) {
  char text[400];
  std::string lines;
  std::snprintf(text, sizeof text,
                "\nOne database with %lld column families, otherwise idle:\n"
                "  agent CPU per poll  %.0f us (%llu polls, %.0f bytes each); target 1000 us: %s\n",
                static_cast<long long>(poll.families), poll.agent_cpu_us_per_poll,
                static_cast<unsigned long long>(poll.polls), poll.bytes_per_poll,
                poll.agent_cpu_us_per_poll <= kPollTargetUs ? "met" : "missed");
  lines += text;
  const auto resident = report::range_of(poll.resident_bytes);
  const auto anonymous = report::range_of(poll.anonymous_bytes);
  if (!resident || !anonymous) return lines;
  constexpr double kMiB = 1 << 20;
  std::snprintf(text, sizeof text,
                "  agent memory        %.1f MiB [%.1f-%.1f], of it %.1f MiB no file's pages; "
                "target 8 MiB: %s\n",
                resident->median / kMiB, resident->least / kMiB, resident->most / kMiB,
                anonymous->median / kMiB,
                verdict(*resident, kMemoryTargetBytes, Better::kLower).c_str());
  return lines + text;
}

json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", spread->median},
          {"least", spread->least},
          {"most", spread->most},
          {"pairs", spread->count}};
}

json pairs_json(const OverheadRow& row) {
  json runs = json::array();
  for (std::size_t i = 0; i < row.with.size(); ++i) {
    runs.push_back(
        {{"without", host_run_json(row.without[i])}, {"with", host_run_json(row.with[i])}});
  }
  return runs;
}

json recording_json(const OverheadRow& row) {
  return {{"workload", row.workload},
          {"throughput_ratio", spread_json(report::range_of(row.ratios(&HostRun::ops_per_second)))},
          {"p99_ratio", spread_json(report::range_of(row.ratios(&HostRun::p99_us)))},
          {"cpu_per_op_ratio", spread_json(report::range_of(row.ratios(&HostRun::cpu_us_per_op)))},
          {"cpu_ns_more", spread_json(report::range_of(row.cpu_ns_more()))},
          {"agent_ns", spread_json(report::range_of(row.recording_ns()))},
          {"pairs", pairs_json(row)}};
}

json row_json(const OverheadRow& row) {
  const auto throughput = report::range_of(row.ratios(&HostRun::ops_per_second));
  return {
      {"workload", row.workload},
      {"statistics", row.host_statistics ? "host" : "agent"},
      {"poll_milliseconds", row.poll_milliseconds},
      {"polls", row.polls},
      {"throughput_ratio", spread_json(throughput)},
      {"p99_ratio", spread_json(report::range_of(row.ratios(&HostRun::p99_us)))},
      {"cpu_per_op_ratio", spread_json(report::range_of(row.ratios(&HostRun::cpu_us_per_op)))},
      {"throughput_target_ratio", row.target()},
      {"verdict", throughput ? json(verdict(*throughput, row.target(), Better::kHigher)) : json()},
      {"pairs", pairs_json(row)}};
}

json poll_json(const PollCost& poll) {
  return {{"column_families", poll.families},
          {"polls", poll.polls},
          {"agent_cpu_us", poll.agent_cpu_us_per_poll},
          {"agent_cpu_target_us", kPollTargetUs},
          {"bytes", poll.bytes_per_poll},
          {"agent_resident_bytes", spread_json(report::range_of(poll.resident_bytes))},
          {"agent_anonymous_bytes", spread_json(report::range_of(poll.anonymous_bytes))},
          {"agent_memory_target_bytes", kMemoryTargetBytes}};
}

}  // namespace

std::vector<double> OverheadRow::ratios(double HostRun::* figure) const {
  std::vector<double> all;
  for (std::size_t i = 0; i < with.size() && i < without.size(); ++i) {
    if (without[i].*figure > 0) all.push_back(with[i].*figure / (without[i].*figure));
  }
  return all;
}

std::vector<double> OverheadRow::cpu_ns_more() const {
  constexpr double kNsPerUs = 1000;
  std::vector<double> all;
  for (std::size_t i = 0; i < with.size() && i < without.size(); ++i) {
    all.push_back((with[i].cpu_us_per_op - without[i].cpu_us_per_op) * kNsPerUs);
  }
  return all;
}

std::vector<double> OverheadRow::recording_ns() const {
  std::vector<double> all;
  for (const auto& run : with) {
    if (run.recording_ns_per_op) all.push_back(*run.recording_ns_per_op);
  }
  return all;
}

bool has_pairs(const OverheadReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const OverheadRow& row) { return !row.with.empty(); });
}

std::string overhead_table(const OverheadReport& report) {
  if (report.op_trace) return recording_table(report);
  char text[400];
  std::snprintf(text, sizeof text,
                "With the agent over without it, RocksDB %s, %lld CPUs, %s; "
                "median [least-most] of the rounds:\n%-13s %-10s %7s  %-21s %-21s %-21s %s\n",
                report.rocksdb_version.c_str(), static_cast<long long>(report.cpus),
                rounds_text(report).c_str(), "workload", "statistics", "polled", "throughput",
                "P99", "CPU per operation", "target for throughput");
  std::string table = text;
  for (const auto& row : report.rows) table += line_of(row);
  if (report.poll) table += poll_lines(*report.poll);
  return table;
}

nlohmann::json overhead_json(const OverheadReport& report) {
  json rows = json::array();
  for (const auto& row : report.rows) {
    rows.push_back(report.op_trace ? recording_json(row) : row_json(row));
  }
  return {{"schema", "rocktune-overhead/1"},
          {"started", report.started},
          {"rocksdb_version", report.rocksdb_version},
          {"cpus", report.cpus},
          {"rounds", report.rounds},
          {"rounds_finished", report.rounds_finished},
          {"partial", report.partial},
          {"seconds", report.seconds},
          {"op_trace", report.op_trace},
          {"rows", std::move(rows)},
          {"poll", report.poll ? poll_json(*report.poll) : json()}};
}

}  // namespace rocktune::bench
