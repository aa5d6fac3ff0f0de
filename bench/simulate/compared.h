// A directory of `rocktune-bench compare` as the simulator takes it: what ran, and the laws of the
// database and its machine, learnt from the trace that one policy's daemon left.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/finished_run.h"
#include "model/engine_config.h"
#include "model/result.h"
#include "scenario/scenario.h"
#include "sim/ensemble.h"

namespace rocktune::bench {

struct Compared {
  std::string directory;
  scenario::Scenario scenario;                // as it ran
  std::vector<FinishedRun> runs;              // complete ones
  double cpus = 1;                            // of the machine that it ran on...
  std::optional<double> memory_bytes;         // ...whose memory is not known of older ones
  std::vector<std::string> policies;          // that it has, as first met
  std::map<std::string, std::string> traces;  // of the first run of each that left one
};

// The scenario is loaded by its name or path: an Error where it is no longer the one that ran.
Result<Compared> read_compared(const std::string& directory);

// Each database's engine, in the scenario's order, as that policy's daemon has it. An Error where
// the policy cannot be simulated.
Result<std::vector<EngineConfig>> engines_of(const Compared& compared, const std::string& policy);

// Instead of a policy: nothing but the scenario's text.
inline constexpr const char* kFromScenario = "scenario";

// The databases of the scenario, calibrated on the whole trace of that policy's run, asked for what
// the scenario asks for, on its device.
Result<std::vector<sim::SimulationInput>> inputs_from(const Compared& compared,
                                                      const std::string& source);

// What a policy sets at open, as far as the plant has it: RocksDB's own limiter in place of the
// agent's.
void set_up(const scenario::Scenario& scenario, const std::string& policy,
            std::vector<sim::SimulationInput>& inputs);

}  // namespace rocktune::bench
