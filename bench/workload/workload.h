// A workload: how many records, and phases of operations on them. Read from YAML:
//
//   name: ycsb-a
//   records: 1000000
//   value_size: 1000
//   threads: 8
//   phases:
//     - name: steady
//       seconds: 30
//       workload: A              # YCSB A, B, C or F; or give proportions:
//     - name: burst
//       seconds: 20
//       proportions: {read: 0.2, update: 0.7, read_modify_write: 0.1}
//       ops_per_second: 5000     # paced; absent or 0: as fast as possible
//       distribution: uniform    # default zipfian
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::bench {

enum class Distribution { kZipfian, kUniform };

struct Mix {
  double read = 0;
  double update = 0;
  double read_modify_write = 0;
  bool operator==(const Mix&) const = default;
};

struct Phase {
  std::string name;
  double seconds = 0;
  Mix mix;
  double ops_per_second = 0;  // 0: as fast as possible
  Distribution distribution = Distribution::kZipfian;
};

struct Workload {
  std::string name;
  std::string description;
  std::int64_t records = 1'000'000;
  std::int64_t value_size = 1000;
  std::int64_t threads = 8;
  std::int64_t seed = 42;
  std::vector<Phase> phases;

  [[nodiscard]] double seconds() const;
};

// YCSB's core workloads (workloads/workloada and so on): A 50% reads 50% updates, B 95/5, C reads
// only, F 50% reads 50% read-modify-writes.
Result<Mix> ycsb_mix(const std::string& letter);

// All mistakes at once, as `file:line:col: key: message`. `file` only names the text.
Result<Workload> parse_workload(const std::string& text, const std::string& file);

// A built-in workload's name or the path of a YAML file.
Result<Workload> load_workload(const std::string& name_or_path);

}  // namespace rocktune::bench
