#include "daemon/agents/family_knobs.h"

#include <algorithm>
#include <set>

#include "model/knobs.h"

namespace rocktune::daemon {
namespace {

constexpr std::chrono::seconds kAskAgain(10);

}  // namespace

bool FamilyKnobs::wanted(const wire::Sample& sample, Nanoseconds now) const {
  if (asked_ && now - *asked_ < kAskAgain) return false;
  return std::any_of(sample.column_families.begin(), sample.column_families.end(),
                     [this](const wire::ColumnFamily& family) {
                       return !family.options.empty() && !families_.contains(family.name);
                     });
}

void FamilyKnobs::take(const wire::Knobs& answer) {
  families_.clear();
  for (const wire::Knobs::Entry& entry : answer.knobs) {
    const wire::Knob& knob = entry.knob;
    if (knob.column_family.empty()) continue;
    // A family without a knob of ours is known all the same.
    std::vector<KnobReading>& family = families_[knob.column_family];
    if (find_knob(knob.name) == nullptr) continue;
    family.push_back({knob.name, knob.column_family, knob.value, knob.found, KnobOwner::kFound,
                      knob.changeable, knob.reason, knob.min, knob.max});
  }
}

void FamilyKnobs::add_to(const wire::Sample& sample, std::vector<KnobReading>& knobs) const {
  std::set<std::pair<std::string, std::string>> told;
  for (const KnobReading& knob : knobs) told.emplace(knob.column_family, knob.name);
  for (const wire::ColumnFamily& family : sample.column_families) {
    const auto known = families_.find(family.name);
    if (known == families_.end()) continue;
    for (const KnobReading& reading : known->second) {
      const auto option = family.options.find(reading.name);
      if (option == family.options.end() || told.contains({family.name, reading.name})) continue;
      // Not told, hence as it was found.
      knobs.push_back(reading);
      knobs.back().value = knobs.back().found = option->second;
    }
  }
}

}  // namespace rocktune::daemon
