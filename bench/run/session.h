// One run of a scenario, from the device to the result: sets up the device, loads what is not yet
// loaded, opens every database, and runs their workloads at the same time, each with threads of its
// own, on the one device.
//
// Whenever `stop` is set - while loading, too - it comes to an end, closes and takes down what it
// opened, and returns what it has, marked partial.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/device/target_device.h"
#include "bench/run/result.h"
#include "model/result.h"
#include "scenario/scenario.h"

namespace rocktune::bench {

struct SessionPlan {
  scenario::Scenario scenario;
  scenario::DeviceSpec device;  // the scenario's, parsed
  // Where each database is kept, absolute. On a device with a directory of its own it is copied
  // there for the run.
  std::vector<std::string> paths;
  bool agent = true;
  bool load_only = false;  // on the plain disk, without the device
};

// What a session tells while it goes on. Called from one thread at a time.
class SessionWatcher {
 public:
  virtual ~SessionWatcher() = default;
  virtual void loading(const scenario::ScenarioDatabase& database, std::int64_t records,
                       bool settling) = 0;
  virtual void loaded() = 0;
  virtual void note(const std::string& text) = 0;
  virtual void second(const scenario::ScenarioDatabase& database, const scenario::Phase& phase,
                      const Interval& second) = 0;
};

Result<RunResult> run_session(const SessionPlan& plan, const std::atomic<bool>& stop,
                              SessionWatcher& watcher);

}  // namespace rocktune::bench
