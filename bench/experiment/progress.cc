#include "bench/experiment/progress.h"

#include <unistd.h>

#include <cstdio>

#include "bench/cli/terminal.h"
#include "bench/experiment/metrics.h"
#include "bench/experiment/outcome.h"
#include "page/table.h"

namespace rocktune::bench::experiment {

ExperimentProgress::ExperimentProgress(bool shown)
    : shown_(shown), terminal_(isatty(STDERR_FILENO) != 0) {}

void ExperimentProgress::begin(const std::string& part, const std::string& name, std::int64_t round,
                               std::size_t number, std::size_t of) {
  what_ = "[" + std::to_string(number) + "/" + std::to_string(of) + "] " + part + ": " + name +
          ", round " + std::to_string(round);
  if (shown_ && terminal_) std::fprintf(stderr, "%s", fit_to_terminal(what_, 2).c_str());
}

void ExperimentProgress::end(const std::optional<nlohmann::json>& result,
                             const std::vector<std::string>& metrics) {
  if (!shown_) return;
  std::string text = what_ + ": ";
  if (!result) text += "not finished";
  for (std::size_t i = 0; result && i < metrics.size(); ++i) {
    const auto value = read_metric(*result, metrics[i]);
    if (!value) continue;
    text +=
        page::number_text(*value, find_metric(metrics[i])->digits) + " " + heading_of(metrics[i]);
    break;
  }
  std::fprintf(stderr, "%s%s\n", terminal_ ? "\r\033[K" : "", text.c_str());
}

Watcher ExperimentProgress::watcher() {
  if (!shown_ || !terminal_) return {};
  return {[this](const nlohmann::json& event) { show_event(event); }, {}};
}

void ExperimentProgress::show_event(const nlohmann::json& event) {
  const std::string text = event_text(event);
  if (text.empty()) return;
  const std::string line = what_ + ": " + text;
  std::fprintf(stderr, "\r\033[K%s", fit_to_terminal(line, STDERR_FILENO).c_str());
  std::fflush(stderr);
}

std::string event_text(const nlohmann::json& event) {
  const std::string kind = event.value("event", "");
  if (kind == "loading") {
    return "loading " + page::number_text(event.value("records", 0.0), 0) + " records" +
           (event.value("settling", false) ? ", settling" : "");
  }
  if (kind != "second") return "";
  return page::number_text(event.value("start_seconds", 0.0) + event.value("seconds", 0.0), 0) +
         " s: " + page::number_text(event.value("ops_per_second", 0.0), 0) + " ops/s";
}

}  // namespace rocktune::bench::experiment
