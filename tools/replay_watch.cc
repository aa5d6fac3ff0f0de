#include "tools/replay_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "tools/text.h"
#include "trace/journal_json.h"

namespace rocktune::tools {
namespace {

std::string indicator_text(const Indicator& indicator) {
  std::string text(to_string(indicator.kind));
  if (!indicator.valid) return text + " -";
  text += " " + text::number(indicator.probability, 2);
  if (indicator.state != AlertState::kOk) text += " " + std::string(to_string(indicator.state));
  if (!indicator.cause.empty()) text += ", " + indicator.cause;
  if (indicator.event) return text + ", now";
  if (indicator.eta_seconds) text += ", in " + seconds_text(*indicator.eta_seconds);
  return text;
}

}  // namespace

void ReplayScorer::add(const replay::ReplayedSample& sample) {
  const auto run = runs_.try_emplace(sample.place, sample.target.engine.objective).first;
  run->second.add(sample.at.tick, sample.indicators);
}

std::vector<ScoredReplay> ReplayScorer::finish(std::vector<replay::ReplayResult> results) {
  std::vector<ScoredReplay> scored;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ScoredReplay& one = scored.emplace_back(ScoredReplay{std::move(results[i])});
    if (const auto run = runs_.find(i); run != runs_.end()) one.alarms = run->second.finish();
  }
  return scored;
}

void IndicatorPrinter::add(const replay::ReplayedSample& sample) {
  Progress& progress = progress_.try_emplace(sample.place, Progress{sample.at.tick}).first->second;
  if (every_seconds_ > 0) {
    const double passed =
        std::floor(seconds_between(progress.first, sample.at.tick) / every_seconds_);
    if (passed <= progress.told) return;
    progress.told = passed;
  }
  if (!json_) {
    print_(indicators_text(sample));
    return;
  }
  for (Indicator indicator : sample.indicators) {
    indicator.drivers = sample.drivers(indicator.kind);
    print_(trace::indicator_line(sample.at.wall, sample.called, sample.sequence, indicator));
  }
}

std::string indicators_text(const replay::ReplayedSample& sample) {
  std::string text = text::rfc3339(sample.at.wall);
  std::replace(text.begin(), text.end(), 'T', ' ');
  text += "  " + printable(sample.called);
  for (const Indicator& indicator : sample.indicators) text += "  " + indicator_text(indicator);
  return text;
}

}  // namespace rocktune::tools
