#include "agent/return_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

namespace rocktune::agent {
namespace {

// What a return to the found value relieves. A negative value means "without
// limit".
Relief relief_of(Knob& knob) {
  constexpr auto kWithoutLimit = std::numeric_limits<std::int64_t>::max();
  const auto amount = [](std::int64_t value) { return value < 0 ? kWithoutLimit : value; };
  const auto reading = knob.read();
  const auto found = knob.state().observe(reading.value, reading.generation).found;
  const auto& info = knob.info();
  return amount(found) < amount(reading.value) ? info.when_lowered : info.when_raised;
}

// The most urgent relief of each bundle that the holder has something in.
std::map<Bundle, Relief> held_bundles(const KnobGroup& group, KnobState::Holder holder,
                                      const std::set<const KnobState*>& but) {
  std::map<Bundle, Relief> bundles;
  for (const auto& knob : group.knobs()) {
    if (!knob->state().held_by(holder) || but.contains(&knob->state())) continue;
    auto& relief = bundles.try_emplace(knob->info().bundle, Relief::kNone).first->second;
    relief = std::min(relief, relief_of(*knob));
  }
  return bundles;
}

}  // namespace

ReturnStep next_return(const std::vector<std::shared_ptr<KnobGroup>>& groups,
                       KnobState::Holder holder, const std::set<const KnobState*>& but) {
  ReturnStep step;
  std::map<Bundle, Relief> bundles;
  Relief& first = step.relief;
  for (const auto& group : groups) {
    auto held = held_bundles(*group, holder, but);
    if (held.empty()) continue;
    const auto urgent = std::ranges::min(held | std::views::values);
    if (step.group && urgent > first) continue;
    const bool at_once = step.group && step.group->writes_options() && !group->writes_options();
    if (step.group && urgent == first && !at_once) continue;
    first = urgent;
    step.group = group;
    bundles = std::move(held);
  }
  if (!step.group) return step;
  for (const auto& knob : step.group->knobs()) {
    const auto bundle = bundles.find(knob->info().bundle);
    const bool now = bundle != bundles.end() && bundle->second == first;
    if (!now || but.contains(&knob->state())) continue;
    if (knob->state().held_by(holder)) step.knobs.push_back(knob.get());
  }
  return step;
}

}  // namespace rocktune::agent
