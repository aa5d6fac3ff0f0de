#include "advice/settled_knobs.h"

namespace rocktune::advice {

void SettledKnobs::begin_opening() {
  if (opened_seconds_ >= kSettledSeconds) before_.clear();
  for (const auto& [key, knob] : now_) {
    if (knob.seconds >= kSettledSeconds) before_[key] = knob;
  }
  now_.clear();
  opened_seconds_ = 0;
}

void SettledKnobs::add(const KnobReadings& knobs, double seconds, bool opens) {
  if (opens) begin_opening();
  // Of a column family that is gone, or whose knobs are not known yet.
  std::erase_if(now_, [&knobs](const auto& one) {
    return knobs.find(one.first.first, one.first.second) == nullptr;
  });
  const bool first = opened_seconds_ == 0;
  opened_seconds_ += seconds;
  for (const KnobReading& reading : knobs) {
    const Key key{reading.name, reading.column_family};
    const bool ours = reading.owner == KnobOwner::kRocktune && reading.value != reading.found;
    const auto known = before_.find(key);
    const bool other = known != before_.end() && known->second.found != reading.found;
    if (other || reading.owner == KnobOwner::kManual) before_.erase(key);
    if (!ours) {
      now_.erase(key);
      continue;
    }
    SettledKnob& knob = now_[key];
    if (knob.value != reading.value || knob.found != reading.found) {
      knob = {reading.found, reading.value, 0, {}};
      if (!first) knob.reached_seconds = opened_seconds_;
    } else {
      knob.seconds += seconds;
    }
  }
}

std::map<SettledKnobs::Key, SettledKnob> SettledKnobs::settled() const {
  std::map<Key, SettledKnob> out;
  if (opened_seconds_ < kSettledSeconds) out = before_;
  for (const auto& [key, knob] : now_) {
    if (knob.seconds >= kSettledSeconds) out[key] = knob;
  }
  return out;
}

}  // namespace rocktune::advice
