// A workload: how many records, and phases of operations on them. Read from YAML:
//
//   name: ycsb-a
//   records: 1000000
//   value_size: 1000             # bytes, or a distribution of sizes: see sizes.h
//   threads: 8
//   seed: 42
//   wal: on                      # off, or sync: each write waits until the WAL is on the device
//   load_order: key              # or spread: see load_order.h
//   backlog: {level0_files: 0}   # what the load leaves to compactions: see backlog.h
//   families:                    # column families, by shares of the records in key order;
//     - {name: hot, share: 0.2}  # default: all in the one named default
//     - {name: cold, share: 0.8}
//   phases:
//     - name: steady
//       seconds: 30
//       workload: A              # YCSB A to F; or give proportions:
//     - name: burst
//       seconds: 20
//       proportions: {read: 0.2, update: 0.7, scan: 0.1}   # names: operation.h; adds up to 1
//       ops_per_second: 5000     # paced; absent or 0: as fast as possible; ramps: see rate.h
//       distribution: uniform    # default zipfian; YCSB D: latest; more: see keys.h
//       value_size: 4KiB         # of what this phase writes; default: the workload's
//       scan_length: {kind: uniform, min: 1, max: 100}     # the default, YCSB E's
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"
#include "scenario/workload/backlog.h"
#include "scenario/workload/families.h"
#include "scenario/workload/keys.h"
#include "scenario/workload/load_order.h"
#include "scenario/workload/mix.h"
#include "scenario/workload/rate.h"
#include "scenario/workload/sizes.h"

namespace rocktune::scenario {

enum class Wal { kOn, kOff, kSync };

struct Phase {
  std::string name;
  double seconds = 0;
  Mix mix;
  RatePlan rate;
  KeyPlan keys;
  Sizes value_size = 1000;
  Sizes scan_length = Sizes::uniform(1, 100);
};

struct Workload {
  std::string name;
  std::string description;
  std::int64_t records = 1'000'000;
  Sizes value_size = 1000;
  std::int64_t threads = 8;
  std::int64_t seed = 42;
  Wal wal = Wal::kOn;
  LoadOrder load_order = LoadOrder::kKey;
  Backlog backlog;
  std::vector<Family> families = {{"default", 1}};
  std::vector<Phase> phases;

  [[nodiscard]] double seconds() const;
  // Makes all phases, their ramps, sines and shifts included, so many times as long.
  void stretch(double factor);
  // Every phase that wrote the workload's values writes these from now on.
  void set_value_size(const Sizes& sizes);
  // Whether a read may come upon a record that is not there.
  [[nodiscard]] bool may_miss() const;
};

std::string wal_name(Wal wal);
std::string load_order_name(LoadOrder order);

// All mistakes at once, as `file:line:col: key: message`. `file` only names the text.
Result<Workload> parse_workload(const std::string& text, const std::string& file);
// The same of a map inside another file; what is wrong goes to `problems`.
Workload read_workload(const YAML::Node& node, Problems& problems, const std::string& prefix);

// A built-in workload's name or the path of a YAML file.
Result<Workload> load_workload(const std::string& name_or_path);

}  // namespace rocktune::scenario
