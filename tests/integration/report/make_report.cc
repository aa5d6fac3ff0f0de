// Writes the reports of runs that stand in a JSON file, so that a test can look at them as a
// browser and a reader do: make_report RUNS.json DIRECTORY makes compare.html, compare.md,
// compare.txt and compare.json there.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/report/comparison.h"

namespace {

using nlohmann::json;
namespace page = rocktune::page;
namespace report = rocktune::bench::report;

template <typename T>
std::optional<T> optional_at(const json& object, const char* key) {
  return object.contains(key) && !object.at(key).is_null() ? std::optional(object.at(key).get<T>())
                                                           : std::nullopt;
}

report::Run run_of(const json& from) {
  report::Run run;
  run.policy = from.at("policy");
  run.repeat = from.at("repeat");
  run.partial = from.value("partial", false);
  run.result = from.at("result");
  run.daemon_cpu_seconds = optional_at<double>(from, "daemon_cpu_seconds");
  run.changes = optional_at<std::int64_t>(from, "changes");
  for (const json& event : from.value("events", json::array())) {
    run.events.push_back({event.at("seconds"), event.at("text")});
  }
  return run;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: make_report RUNS.json DIRECTORY\n";
    return 2;
  }
  const json from = json::parse(std::ifstream(arguments[1]));
  report::Comparison comparison;
  comparison.title = from.at("title");
  comparison.reference = from.at("reference");
  comparison.command = from.value("command", "");
  comparison.machine = report::this_machine();
  for (const json& run : from.at("runs")) comparison.runs.push_back(run_of(run));

  const std::string directory = arguments[2];
  const report::Summary summary = report::summarize(comparison);
  std::ofstream(directory + "/compare.json") << report::summary_json(summary).dump(2) << "\n";
  std::ofstream(directory + "/compare.md") << report::comparison_markdown(summary);
  std::ofstream(directory + "/compare.txt") << report::comparison_text(summary);
  std::ofstream(directory + "/compare.html")
      << page::html(report::comparison_page(comparison, summary));
  return 0;
}
