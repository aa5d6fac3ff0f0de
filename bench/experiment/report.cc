#include "bench/experiment/report.h"

#include <algorithm>
#include <functional>

#include "bench/experiment/metrics.h"
#include "page/table.h"

namespace rocktune::bench::experiment {
namespace {

using nlohmann::json;
using page::Align;
using page::Table;

int digits_of(const std::string& metric) {
  const auto known = find_metric(metric);
  return known ? known->digits : 2;
}

Table figure_table(const PartSummary& summary) {
  const Part& part = *summary.part;
  Table table;
  table.columns.push_back({"case", Align::kLeft});
  for (const std::string& metric : part.metrics) table.columns.push_back({heading_of(metric)});
  for (const Case& one : part.cases) {
    std::vector<std::string> row = {one.name};
    for (const std::string& metric : part.metrics) {
      row.push_back(range_text(figure(summary.figures, metric, one.name), digits_of(metric)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The document's ratios beside ours; only the metrics for which it gives any.
Table ratio_table(const PartSummary& summary) {
  const Part& part = *summary.part;
  Table table;
  table.columns.push_back({"case over " + part.reference, Align::kLeft});
  for (const auto& [metric, ratios] : part.document) {
    table.columns.push_back({heading_of(metric) + ": document"});
    table.columns.push_back({"here"});
  }
  for (const Case& one : part.cases) {
    if (one.name == part.reference) continue;
    std::vector<std::string> row = {one.name};
    for (const auto& [metric, ratios] : part.document) {
      const auto given = ratios.find(one.name);
      row.push_back(given == ratios.end() ? "-" : page::number_text(given->second, 2));
      row.push_back(range_text(ratio(summary.figures, metric, one.name, part.reference), 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table verdict_table(const PartSummary& summary) {
  Table table;
  table.columns = {{"the document's finding", Align::kLeft},
                   {"rule", Align::kLeft},
                   {"here", Align::kLeft},
                   {"verdict", Align::kLeft}};
  for (const Verdict& verdict : summary.verdicts) {
    table.rows.push_back({verdict.rule->says, rule_text(*verdict.rule),
                          verdict.seen.empty() ? "-" : verdict.seen, verdict_text(verdict)});
  }
  return table;
}

std::string machine_text(const report::Machine& machine) {
  std::string text = machine.cpus ? std::to_string(*machine.cpus) + " CPUs" : "CPUs unknown";
  if (machine.cpu_model) text += " (" + *machine.cpu_model + ")";
  text += ", RocksDB " + machine.rocksdb_version.value_or("of unknown version");
  if (machine.rocksdb_assertions) {
    text += *machine.rocksdb_assertions ? " built with assertions" : " built without assertions";
  }
  return text;
}

std::size_t runs_planned(const PartSummary& summary) {
  return static_cast<std::size_t>(summary.rounds) * summary.part->cases.size();
}

// Stopped, failed, or killed before all runs were made.
bool incomplete(const Summary& summary) {
  return summary.stopped ||
         std::any_of(summary.parts.begin(), summary.parts.end(),
                     [](const PartSummary& part) { return part.runs_done < runs_planned(part); });
}

std::string runs_text(const PartSummary& summary) {
  std::string text = std::to_string(summary.runs_done) + " of " +
                     std::to_string(runs_planned(summary)) + " runs finished";
  if (summary.runs_partial > 0) {
    text += ", " + std::to_string(summary.runs_partial) + " PARTIAL (stopped early, in no figure)";
  }
  return text + "; median and range over the rounds";
}

// One way to write headings, lists and tables.
struct Writer {
  std::function<std::string(int level, const std::string&)> heading;
  std::function<std::string(const Table&)> table;
};

std::string list(const std::string& title, const std::vector<std::string>& entries) {
  if (entries.empty()) return "";
  std::string text = title + "\n\n";
  for (const std::string& entry : entries) text += "- " + entry + "\n";
  return text + "\n";
}

std::string part_text(const PartSummary& summary, const Summary& whole, const Writer& writer) {
  const Part& part = *summary.part;
  auto says = part.size(whole.size).says;
  if (whole.seconds > 0) {
    says.push_back("each run " + seconds_text(whole.seconds) +
                   " s (--seconds), whatever length stands above");
  }
  std::string text = writer.heading(2, part.name);
  if (!part.question.empty()) text += part.question + "\n\n";
  const std::string label = summary.label.empty() ? "nothing was run" : summary.label;
  text += "On: " + label + ". " + runs_text(summary) + ".\n\n";
  text += list(whole.size == SizeName::kScaled ? "Scaled:" : "At the document's own size:", says);
  text += writer.table(figure_table(summary)) + "\n";
  if (!part.document.empty()) text += writer.table(ratio_table(summary)) + "\n";
  if (!summary.verdicts.empty()) text += writer.table(verdict_table(summary)) + "\n";
  return text + list("Where it differs from the document, and why:", part.differences);
}

std::string write(const Summary& summary, const Writer& writer) {
  const Experiment& experiment = *summary.experiment;
  std::string text = writer.heading(1, experiment.name + ": " + experiment.title);
  if (incomplete(summary)) text += "PARTIAL: not all runs were made.\n\n";
  text += "After " + experiment.source + ". Made by `" + summary.command + "` on " +
          machine_text(summary.machine) + ".\n\n";
  for (const PartSummary& part : summary.parts) text += part_text(part, summary, writer);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

json range_json(const std::optional<report::Range>& range) {
  if (!range) return nullptr;
  return {{"median", range->median},
          {"least", range->least},
          {"most", range->most},
          {"rounds", range->count}};
}

json case_json(const PartSummary& summary, const Case& one) {
  const Part& part = *summary.part;
  json metrics = json::object();
  for (const std::string& metric : metrics_of(part)) {
    json entry = {
        {"heading", heading_of(metric)},
        {"value", range_json(figure(summary.figures, metric, one.name))},
        {"over_reference", range_json(ratio(summary.figures, metric, one.name, part.reference))},
        {"document_over_reference", nullptr}};
    const auto document = part.document.find(metric);
    if (document != part.document.end() && document->second.contains(one.name)) {
      entry["document_over_reference"] = document->second.at(one.name);
    }
    metrics[metric] = std::move(entry);
  }
  return {{"name", one.name}, {"metrics", std::move(metrics)}};
}

const char* answer_name(Answer answer) {
  switch (answer) {
    case Answer::kReproduced:
      return "reproduced";
    case Answer::kNotReproduced:
      return "not reproduced";
    case Answer::kNotMeasured:
      break;
  }
  return "not measured";
}

json part_json(const PartSummary& summary, SizeName size) {
  const Part& part = *summary.part;
  json cases = json::array();
  for (const Case& one : part.cases) cases.push_back(case_json(summary, one));
  json verdicts = json::array();
  for (const Verdict& verdict : summary.verdicts) {
    verdicts.push_back({{"finding", verdict.rule->says},
                        {"rule", rule_text(*verdict.rule)},
                        {"seen", verdict.seen},
                        {"answer", answer_name(verdict.answer)},
                        {"rounds", verdict.rounds},
                        {"rounds_for", verdict.rounds_for}});
  }
  return {{"name", part.name},
          {"label", summary.label},
          {"reference", part.reference},
          {"rounds", summary.rounds},
          {"runs_done", summary.runs_done},
          {"runs_partial", summary.runs_partial},
          {"scaled", part.size(size).says},
          {"cases", std::move(cases)},
          {"verdicts", std::move(verdicts)},
          {"differences", part.differences}};
}

}  // namespace

std::string markdown(const Summary& summary) {
  const Writer writer{[](int level, const std::string& text) {
                        return std::string(static_cast<std::size_t>(level), '#') + " " + text +
                               "\n\n";
                      },
                      [](const Table& table) { return page::markdown(table); }};
  return write(summary, writer);
}

std::string plain_text(const Summary& summary) {
  const Writer writer{[](int level, const std::string& text) {
                        return text + "\n" + std::string(text.size(), level == 1 ? '=' : '-') +
                               "\n\n";
                      },
                      [](const Table& table) { return page::plain_text(table); }};
  return write(summary, writer);
}

json summary_json(const Summary& summary) {
  json parts = json::array();
  for (const PartSummary& part : summary.parts) parts.push_back(part_json(part, summary.size));
  const report::Machine& machine = summary.machine;
  const auto optional = [](const auto& value) { return value ? json(*value) : json(nullptr); };
  return {{"schema", "rocktune-experiment/1"},
          {"experiment", summary.experiment->name},
          {"title", summary.experiment->title},
          {"source", summary.experiment->source},
          {"size", summary.size == SizeName::kScaled ? "scaled" : "full"},
          {"command", summary.command},
          {"seconds", summary.seconds > 0 ? json(summary.seconds) : json(nullptr)},
          {"partial", incomplete(summary)},
          {"machine",
           {{"cpus", optional(machine.cpus)},
            {"cpu_model", optional(machine.cpu_model)},
            {"rocksdb_version", optional(machine.rocksdb_version)},
            {"rocksdb_assertions", optional(machine.rocksdb_assertions)}}},
          {"parts", std::move(parts)}};
}

}  // namespace rocktune::bench::experiment
