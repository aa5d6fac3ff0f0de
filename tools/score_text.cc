#include "tools/score_text.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "model/text.h"
#include "score/timeline.h"
#include "tools/claims.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using Lines = std::vector<std::string>;
using Cells = std::vector<std::string>;

std::string share_cell(const std::optional<double>& value) {
  return value ? text::number(*value, 2) : "-";
}

std::string interval_cell(const score::Estimate& estimate, int decimals) {
  if (!estimate.value) return "-";
  std::string out = text::number(*estimate.value, decimals);
  if (!estimate.interval) return out;
  return out + " (" + text::number(estimate.interval->low, decimals) + " to " +
         text::number(estimate.interval->high, decimals) + ")";
}

std::string threshold_cell(const score::Row& row) {
  const score::Scale scale = row.detector.spec->scale;
  if (scale == score::Scale::kSilent || scale == score::Scale::kState) return "-";
  if (!row.has_threshold) return "-";  // there was nothing to choose it on
  std::set<double> used;
  bool silent = false;
  for (const score::ScoredRun& run : row.runs) {
    if (run.threshold) used.insert(*run.threshold);
    silent = silent || !run.threshold;
  }
  if (used.empty()) return "none";
  std::string out = number_text(*used.begin());
  if (used.size() > 1) out += " to " + number_text(*used.rbegin());
  return silent ? out + " or none" : out;
}

std::string lead_cell(const score::Row& row) {
  if (!row.lead_p10 || !row.lead_p50) return "-";
  return text::number(*row.lead_p10, 0) + "/" + text::number(*row.lead_p50, 0) + " s";
}

std::string fresh_cell(const score::Tally& tally) {
  if (tally.fresh_events == 0) return "-";
  return std::to_string(tally.fresh_caught) + "/" + std::to_string(tally.fresh_events);
}

Cells head(std::size_t horizon) {
  Cells cells = {"detector", "threshold", "false alarms/h"};
  for (const std::size_t lead : score::kRecallLeads) {
    if (lead <= horizon) cells.push_back("recall@" + std::to_string(lead));
  }
  for (const char* cell : {"fresh", "lead p10/p50", "usable", "Brier", "skill", "log loss"}) {
    cells.emplace_back(cell);
  }
  return cells;
}

Cells cells(const score::Row& row, std::size_t horizon) {
  Cells out = {row.detector.label, threshold_cell(row),
               interval_cell(row.false_alarms_per_hour, 2)};
  for (std::size_t i = 0; i < score::kRecallLeads.size(); ++i) {
    const std::size_t lead = score::kRecallLeads.at(i);
    if (lead > horizon) continue;
    const score::Estimate& estimate = row.recall.at(i);
    out.push_back(lead == 10 ? interval_cell(estimate, 2) : share_cell(estimate.value));
  }
  const Cells rest = {row.has_threshold ? fresh_cell(row.tally) : "-",
                      lead_cell(row),
                      share_cell(row.usable_recall.value),
                      row.brier.value ? text::number(*row.brier.value, 3) : "-",
                      share_cell(row.brier_skill.value),
                      row.log_loss.value ? text::number(*row.log_loss.value, 3) : "-"};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::string hours(std::size_t seconds) {
  return text::number(static_cast<double>(seconds) / 3600, 2) + " h";
}

std::string date_of(Nanoseconds wall) {
  return text::rfc3339(wall).substr(0, 10);
}

// Runs that --train chose although they ended after a run that they choose thresholds for began.
std::size_t later_training(const std::vector<score::RunResult>& runs,
                           const score::Evaluation& evaluation) {
  std::set<std::size_t> later;
  for (const score::Split& split : evaluation.splits) {
    for (const std::size_t one : split.training) {
      if (runs[one].end_wall > runs[split.run].begin_wall) later.insert(one);
    }
  }
  return later.size();
}

// Of a run with samples further apart than holes are filled, hardly anything is known.
void add_barely_known(const std::vector<score::RunResult>& runs,
                      const score::Evaluation& evaluation, Lines& lines) {
  for (const score::Split& split : evaluation.splits) {
    const score::RunResult& run = runs[split.run];
    std::size_t known = 0;
    for (const auto& of_kind : run.of_kind) known = std::max(known, of_kind.seconds);
    const double span = std::chrono::duration<double>(run.end_wall - run.begin_wall).count();
    if (static_cast<double>(known) >= span / 2) continue;
    lines.push_back(
        run.name + ": only " + hours(known) + " of " + hours(static_cast<std::size_t>(span)) +
        " are known: its samples lie more than " + std::to_string(score::kLongestHoleSeconds) +
        " s apart, or the database could not be read");
  }
}

std::string training_line(const std::vector<score::RunResult>& runs,
                          const score::EvaluationRequest& request,
                          const score::Evaluation& evaluation) {
  if (!evaluation.trained) {
    return "No run ended before another began, so no threshold could be chosen: give traces of "
           "earlier runs, or fix thresholds (--detector static=0.7).";
  }
  const auto [least, most] = std::minmax_element(
      evaluation.splits.begin(), evaluation.splits.end(),
      [](const auto& a, const auto& b) { return a.training.size() < b.training.size(); });
  std::string number = std::to_string(least->training.size());
  if (most->training.size() != least->training.size()) {
    number += " to " + std::to_string(most->training.size());
  }
  const std::size_t later = later_training(runs, evaluation);
  return "Thresholds were chosen on " + number + (request.plan.train.empty() ? " earlier" : "") +
         " runs for at most " + number_text(request.false_alarms_per_hour) +
         " false alarms/h there" +
         (later == 0 ? "." : "; " + std::to_string(later) + " of them are later than runs scored.");
}

}  // namespace

ScoreRows score_rows(const score::Table& table) {
  ScoreRows out;
  out.title =
      std::string(to_string(table.kind)) + " within " + std::to_string(table.horizon) + " s: ";
  if (table.events == 0) {
    out.title +=
        "no event in " + hours(table.seconds) + ": nothing to recall, only false alarms to count";
  } else {
    out.title += std::to_string(table.events) + " events, " + std::to_string(table.fresh_events) +
                 " of them fresh, in " + hours(table.seconds);
  }
  out.rows = {head(table.horizon)};
  for (const score::Row& row : table.rows) out.rows.push_back(cells(row, table.horizon));
  return out;
}

Lines score_lines(const std::vector<score::RunResult>& runs,
                  const score::EvaluationRequest& request, const score::Evaluation& evaluation) {
  Nanoseconds first = runs[evaluation.splits.front().run].begin_wall, last = first;
  for (const score::Split& split : evaluation.splits) {
    first = std::min(first, runs[split.run].begin_wall);
    last = std::max(last, runs[split.run].end_wall);
  }
  Lines lines = {"scored " + std::to_string(evaluation.splits.size()) + " of " +
                     std::to_string(runs.size()) + " runs, " + date_of(first) + " to " +
                     date_of(last),
                 training_line(runs, request, evaluation)};
  add_barely_known(runs, evaluation, lines);
  std::set<IndicatorKind> unknown;
  for (const score::Table& one : evaluation.tables) {
    if (one.seconds > 0) {
      const ScoreRows content = score_rows(one);
      lines.emplace_back();
      lines.push_back(content.title);
      const Lines aligned = table(content.rows);
      lines.insert(lines.end(), aligned.begin(), aligned.end());
    } else if (unknown.insert(one.kind).second) {
      lines.emplace_back();
      lines.push_back(std::string(to_string(one.kind)) +
                      ": these traces do not have what it is judged by; not scored");
    }
  }
  lines.emplace_back();
  std::string note = "docs/score.md has the rules.";
  if (evaluation.has_intervals) {
    note = "In brackets: 95% of " + std::to_string(request.resamples) +
           " bootstrap draws of whole recordings. " + note;
  } else if (evaluation.splits.size() > 1) {
    note = "No intervals: databases of one recording are one witness. " + note;
  }
  lines.push_back(std::move(note));
  lines.emplace_back();
  for (std::string& line : wrapped(kScoreClaims)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace rocktune::tools
