// One run of one policy, as whoever started it hands it to a report. Pure data.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rocktune::bench::report {

// Something the daemon did or said during the run.
struct Event {
  double seconds = 0;  // since the first phase began
  std::string text;    // "rate_limiter: 13.1 -> 26.2 MB/s (writes stall)"
};

struct Run {
  std::string policy;
  std::int64_t repeat = 1;  // runs of one number are a pair: same round, same seed
  bool partial = false;     // stopped early: shown in charts, left out of every figure
  nlohmann::json result;    // as `rocktune-bench run` writes it (docs/bench.md, schema 1 or 2)
  std::optional<double> daemon_cpu_seconds;  // absent: no daemon, or not read
  std::optional<std::int64_t> changes;       // absent: no daemon, or not counted
  std::vector<Event> events;
};

// Where it all ran. Absent: not known.
struct Machine {
  std::optional<std::string> cpu_model;
  std::optional<std::int64_t> cpus;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::string> kernel;
  std::optional<std::string> rocksdb_version;
  std::optional<bool> rocksdb_assertions;
};

// Of the machine that this process runs on: /proc/cpuinfo below `proc`, uname, and the RocksDB that
// is linked.
Machine this_machine(const std::string& proc = "/proc");

}  // namespace rocktune::bench::report
