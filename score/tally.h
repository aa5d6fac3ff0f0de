// What a detector's alarms were worth in one run, or in several together: counts that add up, and
// the figures that follow from them. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "score/events.h"

namespace rocktune::score {

// The leads, in seconds, at which recall is told.
inline constexpr std::array<std::size_t, 5> kRecallLeads = {2, 5, 10, 20, 30};

using Leads = std::vector<std::uint32_t>;  // s; small, as each threshold of each run has them

struct Tally {
  std::size_t seconds = 0;  // whose condition is known
  std::size_t events = 0, fresh_events = 0;
  std::size_t alarms = 0, false_alarms = 0, unresolved = 0;
  Leads leads;                   // of the events that an alarm credits
  std::size_t fresh_caught = 0;  // the fresh ones among them

  Tally& operator+=(const Tally& other);
};

Tally tally_alarms(const std::vector<std::size_t>& alarms, const std::vector<Onset>& onsets,
                   const Conditions& conditions, std::size_t horizon);

// The share of events that were warned of at least `lead` seconds before; absent without events.
std::optional<double> recall(const Tally& tally, std::size_t lead);
// Of fresh events alone, with any lead that counts.
std::optional<double> fresh_recall(const Tally& tally);
// True alarms / alarms; absent without alarms.
std::optional<double> precision(const Tally& tally);
// Absent without a known second.
std::optional<double> false_alarms_per_hour(const Tally& tally);
// The p-quantile (0 <= p <= 1, interpolated) of the leads of the events that were caught; absent
// when none was.
std::optional<double> lead_quantile(const Tally& tally, double p);
// The share of events whose warning left time to act: lead >= kShortestLead + the time that an
// action needs to work.
std::optional<double> usable_recall(const Tally& tally, double actuation_seconds);

}  // namespace rocktune::score
