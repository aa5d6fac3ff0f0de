// What `rocktune-bench overhead` found, as a table for people and as JSON. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/overhead/host_run.h"
#include "bench/overhead/paired.h"

namespace rocktune::bench {

// One arm against the same host without the agent, round by round.
struct OverheadRow {
  std::string workload;
  bool host_statistics = false;  // the host has its own; otherwise the agent adds them
  std::int64_t poll_milliseconds = 0;
  std::vector<HostRun> without;  // by round, as `with`
  std::vector<HostRun> with;
  std::uint64_t polls = 0;

  // Throughput: 1% where the host has statistics, 3% where the agent adds them.
  [[nodiscard]] double target() const { return host_statistics ? 0.99 : 0.97; }
  [[nodiscard]] std::vector<double> ratios(double HostRun::* figure) const;
  // What each operation took more of CPU time, of all threads, in ns.
  [[nodiscard]] std::vector<double> cpu_ns_more() const;
  [[nodiscard]] std::vector<double> recording_ns() const;
};

// One database with many column families that does nothing else.
struct PollCost {
  std::int64_t families = 0;
  std::uint64_t polls = 0;
  double agent_cpu_us_per_poll = 0;
  double bytes_per_poll = 0;
  std::vector<double> resident_bytes;   // with the agent less without it, pair by pair
  std::vector<double> anonymous_bytes;  // of these, what no file backs
};

struct OverheadReport {
  std::string started;  // RFC 3339, UTC
  std::string rocksdb_version;
  std::int64_t cpus = 0;
  double seconds = 0;       // of each run
  std::int64_t rounds = 0;  // asked for
  std::int64_t rounds_finished = 0;
  bool partial = false;   // stopped: a row may have a pair more than another one, or none
  bool op_trace = false;  // the rows are of recordings of operations, against the agent alone
  std::vector<OverheadRow> rows;
  std::optional<PollCost> poll;
};

inline constexpr double kPollTargetUs = 1000;
inline constexpr double kMemoryTargetBytes = 8 << 20;

bool has_pairs(const OverheadReport& report);  // any of the rows
std::string overhead_table(const OverheadReport& report);
nlohmann::json overhead_json(const OverheadReport& report);

}  // namespace rocktune::bench
