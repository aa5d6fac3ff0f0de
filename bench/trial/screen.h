// What the demo and comparisons show: lines that stay, and on a terminal a last line that is
// rewritten.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rocktune::bench {

class Screen {
 public:
  // `silent`: shows nothing, where stdout is for a result.
  explicit Screen(bool silent = false);
  void say(const std::string& line);
  // On a terminal rewritten in place; elsewhere shown once per five calls.
  void progress(const std::string& line);
  void end_progress();

 private:
  bool silent_;
  bool terminal_;
  int skipped_ = 0;
  std::string open_;  // the line being rewritten
};

// One second of a run, from `rocktune-bench run --progress json`.
std::string second_text(const std::string& run, const nlohmann::json& event);

}  // namespace rocktune::bench
