#include "tools/report/knob_history.h"

#include "tools/text.h"

namespace rocktune::tools {
namespace {

// No line where there is no limit: it would dwarf all others.
bool is_drawn(const std::string& knob, std::int64_t value) {
  return off_text(knob, value).empty();
}

}  // namespace

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

// Knobs stand in the same order from sample to sample, but for one that goes from hand to hand.
KnobTrack& KnobHistory::track_of(const KnobReading& knob, std::size_t place, double seconds) {
  if (place == places_.size()) places_.push_back(tracks_.size());
  std::size_t& at = places_[place];
  if (at < tracks_.size() && tracks_[at].name == knob.name &&
      tracks_[at].column_family == knob.column_family) {
    return tracks_[at];
  }
  const auto [found, is_new] =
      known_.emplace(std::make_pair(knob.name, knob.column_family), tracks_.size());
  at = found->second;
  if (!is_new) return tracks_[at];
  KnobTrack& track = tracks_.emplace_back();
  track.name = knob.name;
  track.column_family = knob.column_family;
  track.first = track.last = knob.value;
  track.first_seconds = seconds;
  return track;
}

// From its first step on: most knobs never move, and there may be thousands.
void KnobHistory::draw(KnobTrack& track, const KnobReading& knob, TimeBins& bins) const {
  if (track.steps == 0) return;
  if (!track.series) {
    track.series =
        is_drawn(track.name, track.first)
            ? bins.add_held(static_cast<double>(track.first), track.first_seconds, *polls_)
            : bins.add(Keep::kLast);
  }
  if (is_drawn(knob.name, knob.value)) bins.put(*track.series, static_cast<double>(knob.value));
}

std::vector<KnobStep> KnobHistory::add(const Sample& sample, double seconds, TimeBins& bins) {
  std::vector<KnobStep> shown;
  if (sample.knobs.empty()) return shown;
  if (!polls_) polls_ = bins.add(Keep::kLast);
  bins.put(*polls_, 0);
  for (std::size_t i = 0; i < sample.knobs.size(); ++i) {
    const KnobReading& knob = sample.knobs[i];
    KnobTrack& track = track_of(knob, i, seconds);
    if (knob.value != track.last) {
      ++track.steps;
      ++all_steps_;
      shown.push_back(
          {sample.at.wall, seconds, track.title(), track.name, track.last, knob.value, knob.owner});
      steps_.push_back(shown.back());
      if (steps_.size() > kMostSteps) steps_.pop_front();
    }
    draw(track, knob, bins);
    track.last = knob.value;
    track.owner = knob.owner;
    track.found = knob.found;
  }
  return shown;
}

}  // namespace rocktune::tools
