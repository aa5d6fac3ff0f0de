// What one run consists of: one or more databases on one device, each with its workload and its
// configuration, and the objective that the run is judged by. Read from YAML:
//
//   name: neighbours
//   description: "A reader and a bulk writer share one device"
//   objective: {read_p99: 5ms, memory: 64MiB, jobs: 4, first: read_p99}   # see objective.h
//   device: nvme-p41             # none (default), a profile, FILE.yaml, or loop:PROFILE
//   scale: 16                    # divides the sizes and rates of configurations and device
//   seconds: 40                  # stretches all by one factor, the longest to this; optional
//   databases:
//     - name: front              # its directory is DIR/front
//       workload: ycsb-b         # a built-in, FILE.yaml, or written out here as in such a file
//       records: 200000          # instead of the workload's; so are threads, value_size, seed
//       configuration: ReadOpt-512MB   # a built-in, FILE.yaml:NAME, or written out here
//       options: {max_background_jobs: 4}   # never scaled; this file's keys or RocksDB's own
//     - name: back
//       workload:
//         records: 200000
//         phases: [{name: load, seconds: 40, proportions: {update: 1}, ops_per_second: 4000}]
//       configuration: {base: Mild-Pressure, block_cache: 128MiB}
//   full:                        # what --full changes: maps are merged key by key, lists of named
//     scale: 1                   # things (databases, phases) by name, all else is replaced
//     databases: [{name: front, records: 10000000}, {name: back, workload: {records: 10000000}}]
//
// All mistakes are reported at once, as file:line:col, those of written-out parts too. Pure but for
// the files that are named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"
#include "scenario/configuration.h"
#include "scenario/objective.h"
#include "scenario/workload/workload.h"

namespace rocktune::scenario {

struct ScenarioDatabase {
  std::string name;
  Workload workload;
  HostConfiguration configuration;  // as used: scaled, with its options set
};

struct Scenario {
  std::string name;
  std::string description;
  bool full = false;  // life size
  Objective objective;
  std::string device = "none";  // as parse_device_spec() reads it
  double scale = 1;
  std::vector<ScenarioDatabase> databases;  // at least one, names are unique
  std::vector<std::string> files;  // of workloads and configurations that it names; no built-ins

  // The longest of the databases' workloads.
  [[nodiscard]] double seconds() const;
  // Stretches or shortens all workloads by one factor, so that the longest takes so many seconds:
  // what one database does beside another stays beside it. The device is left as it is.
  void stretch_to(double seconds);
};

// `file` only names the text in messages.
Result<Scenario> parse_scenario(const std::string& text, const std::string& file, bool full);

// A built-in scenario's name or the path of a YAML file.
Result<Scenario> load_scenario(const std::string& name_or_path, bool full);

// The scenario with every database opened with this configuration (as load_configuration() takes
// it), at the scenario's scale, instead of its own and the options beside that.
Result<Scenario> with_configuration(Scenario scenario, const std::string& configuration);

// A workload and a configuration, each by its name or path, are a scenario with one database. It
// has the workload's name.
Result<Scenario> scenario_of(const std::string& workload, const std::string& configuration,
                             double scale);

}  // namespace rocktune::scenario
