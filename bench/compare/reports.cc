#include "bench/compare/reports.h"

#include <algorithm>

#include "bench/compare/policies.h"
#include "bench/report/comparison.h"
#include "bench/report/summary.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

// The order in which the runs were made, for compare.json.
json order_json(const std::vector<FinishedRun>& runs) {
  json order = json::array();
  for (const FinishedRun& run : runs) {
    order.push_back({{"sequence", run.sequence},
                     {"policy", run.run.policy},
                     {"repeat", run.run.repeat},
                     {"partial", run.run.partial}});
  }
  return order;
}

}  // namespace

Result<void> write_reports(const ReportHead& head, const CompareDirectory& directory,
                           Screen& screen) {
  auto runs = directory.runs();
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty()) return {};
  const json order = order_json(*runs);
  report::Comparison comparison;
  comparison.title = head.title;
  comparison.reference = kStatic;
  comparison.command = head.command;
  comparison.policies = head.policies;
  for (const FinishedRun& run : *runs) {
    auto& known = comparison.yardsticks;
    if (!is_static_at(run.run.policy)) continue;
    if (std::find(known.begin(), known.end(), run.run.policy) == known.end()) {
      known.push_back(run.run.policy);
    }
  }
  comparison.machine = report::this_machine();
  comparison.seed = head.seed;
  for (FinishedRun& run : *runs) comparison.runs.push_back(std::move(run.run));
  const report::Summary summary = report::summarize(comparison);
  json document = report::summary_json(summary);
  document["order"] = order;
  document.update(head.facts);
  if (auto done = directory.write("compare.json", document.dump(2) + "\n"); !done) return done;
  if (auto done = directory.write("compare.md", report::comparison_markdown(summary)); !done) {
    return done;
  }
  const std::string page = page::html(report::comparison_page(comparison, summary));
  if (auto done = directory.write("compare.html", page); !done) return done;
  screen.say("");
  screen.say(report::comparison_text(summary));
  screen.say("reports  " + directory.path() + "/compare.html, compare.md, compare.json");
  return {};
}

}  // namespace rocktune::bench
