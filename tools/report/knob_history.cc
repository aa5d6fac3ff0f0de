#include "tools/report/knob_history.h"

#include <algorithm>

#include "model/knobs.h"

namespace rocktune::tools {

std::string owner_text(KnobOwner owner) {
  switch (owner) {
    case KnobOwner::kRocktune:
      return "rocktune";
    case KnobOwner::kManual:
      return "the operator";
    case KnobOwner::kFound:
      break;
  }
  return "as found";
}

std::string KnobTrack::title() const {
  return column_family.empty() ? name : name + " of " + column_family;
}

// Knobs stand in the same order in nearly every sample, so the place is tried first.
KnobTrack& KnobHistory::track_of(const KnobReading& knob, std::size_t place, TimeBins& bins,
                                 bool& is_new) {
  const auto same = [&](const KnobTrack& track) {
    return track.name == knob.name && track.column_family == knob.column_family;
  };
  is_new = false;
  if (place < tracks_.size() && same(tracks_[place])) return tracks_[place];
  const auto found = std::find_if(tracks_.begin(), tracks_.end(), same);
  if (found != tracks_.end()) return *found;
  is_new = true;
  KnobTrack& track = tracks_.emplace_back();
  track.name = knob.name;
  track.column_family = knob.column_family;
  track.found = knob.found;
  track.first = track.last = knob.value;
  track.owner = knob.owner;
  track.series = bins.add(Keep::kLast);
  return track;
}

std::vector<KnobStep> KnobHistory::add(const Sample& sample, double seconds, TimeBins& bins) {
  std::vector<KnobStep> shown;
  for (std::size_t i = 0; i < sample.knobs.size(); ++i) {
    const KnobReading& knob = sample.knobs[i];
    bool is_new = false;
    KnobTrack& track = track_of(knob, i, bins, is_new);
    // No line where there is no limit: it would dwarf all others.
    const bool unlimited = knob.name == knob::kRateLimit && knob.value >= kUnlimitedBytesPerSecond;
    if (!unlimited) bins.put(track.series, static_cast<double>(knob.value));
    if (!is_new && knob.value != track.last) {
      ++track.steps;
      ++all_steps_;
      shown.push_back(
          {sample.at.wall, seconds, track.title(), track.name, track.last, knob.value, knob.owner});
      steps_.push_back(shown.back());
      if (steps_.size() > kMostSteps) steps_.pop_front();
    }
    track.last = knob.value;
    track.owner = knob.owner;
    track.found = knob.found;
  }
  return shown;
}

}  // namespace rocktune::tools
