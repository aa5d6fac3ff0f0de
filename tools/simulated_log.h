// What one simulation would have left in rocktuned's alert log: for `rocktune alerts` and `rocktune
// explain --log`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/result.h"
#include "sim/loop.h"

namespace rocktune::tools {

class SimulatedLog {
 public:
  // For one simulation of these databases, by their names; the log has to outlive it.
  sim::LoopWatch watch(std::vector<std::string> targets);
  // All that was seen, in the order of time. Errors: those of replace_file().
  [[nodiscard]] Result<void> write(const std::string& file);

 private:
  void add(const std::string& target, const Step& step, std::span<const Actuation> actuations);

  std::vector<std::pair<Nanoseconds, std::string>> lines_;
};

}  // namespace rocktune::tools
