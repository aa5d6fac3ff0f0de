#include "daemon/under_way.h"

#include <algorithm>
#include <iterator>

#include "policy/late_changes.h"

namespace rocktune::daemon {

void UnderWay::sent(const std::vector<Decision>& decisions) {
  for (One& one : all_) {
    one.sent =
        one.sent || std::ranges::find(decisions, one.decision.id, &Decision::id) != decisions.end();
  }
}

std::optional<Decision> UnderWay::done(const std::string& id) {
  const auto found =
      std::ranges::find_if(all_, [&](const One& one) { return one.decision.id == id; });
  if (found == all_.end()) return std::nullopt;
  Decision decision = std::move(found->decision);
  all_.erase(found);
  return decision;
}

void UnderWay::doubt(const Decision& decision) {
  const auto [known, anew] =
      doubts_.try_emplace(knob_of(decision.proposal), Doubt{decision.verdict.value, {}});
  if (anew) return;
  known->second.value = std::max(known->second.value, decision.verdict.value);
  known->second.looked.reset();
}

void UnderWay::look(Nanoseconds now) {
  for (auto one = doubts_.begin(); one != doubts_.end();) {
    std::optional<Nanoseconds>& looked = one->second.looked;
    if (!looked) looked = now;
    const bool over = seconds_between(*looked, now) > LateChanges::kDoubtSeconds;
    one = over ? doubts_.erase(one) : std::next(one);
  }
}

std::optional<std::int64_t> UnderWay::largest(const KnobReading& knob) const {
  std::optional<std::int64_t> most;
  for (const One& one : all_) {
    if (!same_knob(one.decision.proposal, knob)) continue;
    most = std::max(most.value_or(one.decision.verdict.value), one.decision.verdict.value);
  }
  const auto doubt = doubts_.find({knob.name, knob.column_family});
  if (doubt != doubts_.end()) {
    most = std::max(most.value_or(doubt->second.value), doubt->second.value);
  }
  return most;
}

}  // namespace rocktune::daemon
