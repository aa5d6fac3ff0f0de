// What `rocktune-bench replay-speed` found, as lines for people and as JSON. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rocktune::bench {

// One piece of work: of the times that it was done, the one in the middle.
struct SpeedCost {
  double seconds = 0, fastest_seconds = 0, slowest_seconds = 0;
  double cpu_seconds = 0;           // of all threads
  std::uint64_t memory_before = 0;  // resident bytes of the process when it began
  std::uint64_t memory_most = 0;    // the most while any of them went on
  int runs = 1;                     // how often it was done
};

struct OpenLoopSpeed {
  std::string policy;
  SpeedCost cost;
  bool as_recorded = false;             // with the policy that recorded it; then:
  std::uint64_t steps_that_differ = 0;  // in any of them
  void add_worst_of(const OpenLoopSpeed& other) {
    cost.memory_most = std::max(cost.memory_most, other.cost.memory_most);
    steps_that_differ = std::max(steps_that_differ, other.steps_that_differ);
  }
};

struct ClosedLoopSpeed {
  std::string policy;
  SpeedCost cost;
  double simulated_seconds = 0;
  [[nodiscard]] double times_real_time() const {
    return cost.seconds > 0 ? simulated_seconds / cost.seconds : 0;
  }
  void add_worst_of(const ClosedLoopSpeed& other) {
    cost.memory_most = std::max(cost.memory_most, other.cost.memory_most);
  }
};

struct ReplaySpeedReport {
  std::int64_t samples = 0, families = 0;
  int repeats = 0;       // asked for
  bool partial = false;  // stopped: of what is there some was done less often
  std::uint64_t trace_bytes = 0;
  double write_seconds = 0;  // to make it, its engine and its plant included
  std::vector<OpenLoopSpeed> open_loop;
  std::vector<ClosedLoopSpeed> closed_loop;
};

// Whether any of so many policies was timed less often than asked for, in either loop.
bool lacks_runs(const ReplaySpeedReport& report, std::size_t policies);

std::string replay_speed_text(const ReplaySpeedReport& report);
nlohmann::json replay_speed_json(const ReplaySpeedReport& report);

}  // namespace rocktune::bench
