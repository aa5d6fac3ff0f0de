#include "tools/simulated_log.h"

#include <algorithm>

#include "files/replace_file.h"
#include "trace/journal_json.h"

namespace rocktune::tools {

sim::LoopWatch SimulatedLog::watch(std::vector<std::string> targets) {
  return [this, targets = std::move(targets)](std::size_t database, const Step& step,
                                              std::span<const Actuation> actuations) {
    add(targets.at(database), step, actuations);
  };
}

void SimulatedLog::add(const std::string& target, const Step& step,
                       std::span<const Actuation> actuations) {
  const Nanoseconds wall = step.features.at.wall;
  for (const Actuation& one : step.late) {
    lines_.emplace_back(wall, trace::actuation_line(wall, target, one));
  }
  for (std::string& line : trace::step_lines(wall, target, step, "act")) {
    lines_.emplace_back(wall, std::move(line));
  }
  for (const GuardNote& note : step.notes) {
    lines_.emplace_back(wall, trace::guard_line(wall, target, note));
  }
  for (const Actuation& one : actuations) {
    lines_.emplace_back(wall, trace::actuation_line(wall, target, one));
  }
}

Result<void> SimulatedLog::write(const std::string& file) {
  const auto by_time = [](const auto& one, const auto& other) { return one.first < other.first; };
  std::stable_sort(lines_.begin(), lines_.end(), by_time);
  std::string text;
  for (const auto& [wall, line] : lines_) text += line + '\n';
  return replace_file(file, text, Sync::kNo);
}

}  // namespace rocktune::tools
