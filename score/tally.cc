#include "score/tally.h"

#include <algorithm>

#include "score/quantile.h"

namespace rocktune::score {
namespace {

std::optional<double> share(double part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return part / static_cast<double>(whole);
}

double count_from(const Leads& leads, double least) {
  return static_cast<double>(std::count_if(leads.begin(), leads.end(), [least](std::uint32_t lead) {
    return static_cast<double>(lead) >= least;
  }));
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  seconds += other.seconds;
  events += other.events;
  fresh_events += other.fresh_events;
  alarms += other.alarms;
  false_alarms += other.false_alarms;
  unresolved += other.unresolved;
  leads.insert(leads.end(), other.leads.begin(), other.leads.end());
  fresh_caught += other.fresh_caught;
  return *this;
}

Tally tally_alarms(const std::vector<std::size_t>& alarms, const std::vector<Onset>& onsets,
                   const Conditions& conditions, std::size_t horizon) {
  const Match match = match_alarms(alarms, onsets, conditions, horizon);
  Tally tally;
  tally.seconds = known_seconds(conditions);
  tally.events = onsets.size();
  tally.alarms = alarms.size();
  tally.false_alarms = match.false_alarms;
  tally.unresolved = match.unresolved;
  tally.leads.reserve(tally.alarms - tally.false_alarms);  // each of these credits an event
  for (std::size_t i = 0; i < onsets.size(); ++i) {
    if (onsets[i].fresh) ++tally.fresh_events;
    if (!match.leads[i]) continue;
    tally.leads.push_back(static_cast<std::uint32_t>(*match.leads[i]));
    if (onsets[i].fresh) ++tally.fresh_caught;
  }
  return tally;
}

std::optional<double> recall(const Tally& tally, std::size_t lead) {
  return share(count_from(tally.leads, static_cast<double>(lead)), tally.events);
}

std::optional<double> fresh_recall(const Tally& tally) {
  return share(static_cast<double>(tally.fresh_caught), tally.fresh_events);
}

std::optional<double> precision(const Tally& tally) {
  return share(static_cast<double>(tally.alarms - tally.false_alarms), tally.alarms);
}

std::optional<double> false_alarms_per_hour(const Tally& tally) {
  return share(static_cast<double>(tally.false_alarms) * 3600, tally.seconds);
}

std::optional<double> lead_quantile(const Tally& tally, double p) {
  return quantile({tally.leads.begin(), tally.leads.end()}, p);
}

std::optional<double> usable_recall(const Tally& tally, double actuation_seconds) {
  const double least = static_cast<double>(kShortestLead) + actuation_seconds;
  return share(count_from(tally.leads, least), tally.events);
}

}  // namespace rocktune::score
