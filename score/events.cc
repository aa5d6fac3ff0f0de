#include "score/events.h"

#include <algorithm>

namespace rocktune::score {
namespace {

bool ends_unknown(const Conditions& conditions, std::size_t from, std::size_t horizon) {
  if (from + horizon >= conditions.size()) return true;
  const auto begin = conditions.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = begin + static_cast<std::ptrdiff_t>(horizon) + 1;
  return std::find(begin, end, Condition::kUnknown) != end;
}

}  // namespace

std::vector<Onset> find_onsets(const Conditions& conditions) {
  std::vector<Onset> onsets;
  std::size_t quiet = 0;
  for (std::size_t second = 0; second < conditions.size(); ++second) {
    if (conditions[second] == Condition::kQuiet) {
      ++quiet;
      continue;
    }
    if (conditions[second] == Condition::kHolds && quiet >= kQuietBeforeOnset) {
      onsets.push_back({second, quiet >= kQuietBeforeFresh});
    }
    quiet = 0;
  }
  return onsets;
}

std::vector<std::size_t> raise_alarms(const Scores& scores, const Conditions& conditions,
                                      const std::vector<Onset>& onsets, double threshold,
                                      std::size_t refractory) {
  std::vector<std::size_t> alarms;
  bool below = false;  // the second before had a score below, or could not raise an alarm
  std::size_t open_until = 0;
  auto onset = onsets.begin();
  for (std::size_t second = 0; second < scores.size(); ++second) {
    if (onset != onsets.end() && onset->second == second) {
      open_until = second;
      ++onset;
    }
    const double score = scores[second];
    const bool edge = below && score >= threshold;
    below = conditions[second] == Condition::kHolds || (has_score(score) && score < threshold);
    if (!edge || conditions[second] != Condition::kQuiet) continue;
    if (second < open_until) continue;
    alarms.push_back(second);
    open_until = second + refractory;
  }
  return alarms;
}

Match match_alarms(const std::vector<std::size_t>& alarms, const std::vector<Onset>& onsets,
                   const Conditions& conditions, std::size_t horizon) {
  Match match;
  match.leads.resize(onsets.size());
  for (const std::size_t alarm : alarms) {
    bool credited = false;
    auto next = std::lower_bound(
        onsets.begin(), onsets.end(), alarm + kShortestLead,
        [](const Onset& onset, std::size_t second) { return onset.second < second; });
    for (; next != onsets.end() && next->second <= alarm + horizon && !credited; ++next) {
      std::optional<std::size_t>& lead =
          match.leads[static_cast<std::size_t>(next - onsets.begin())];
      if (lead) continue;
      lead = next->second - alarm;
      credited = true;
    }
    if (credited) continue;
    ++match.false_alarms;
    if (ends_unknown(conditions, alarm, horizon)) ++match.unresolved;
  }
  return match;
}

}  // namespace rocktune::score
