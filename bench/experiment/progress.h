// What an experiment shows while it runs, on stderr: a line for each run, and on a terminal the
// run's last second below it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/watch.h"

namespace rocktune::bench::experiment {

class ExperimentProgress {
 public:
  explicit ExperimentProgress(bool shown);
  void begin(const std::string& part, const std::string& name, std::int64_t round,
             std::size_t number, std::size_t of);
  // The first of `metrics` that the run has; nothing when it did not finish.
  void end(const std::optional<nlohmann::json>& result, const std::vector<std::string>& metrics);
  // Follows the run that has begun; valid as long as this.
  Watcher watcher();

 private:
  void show_event(const nlohmann::json& event);
  bool shown_;
  bool terminal_;
  std::string what_;
};

// "loading 120000 records", "12 s: 3012 ops/s"; empty for other events.
std::string event_text(const nlohmann::json& event);

}  // namespace rocktune::bench::experiment
