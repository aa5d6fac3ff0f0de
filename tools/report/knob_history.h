// KnobHistory: what became of every knob of one recorded database: its steps, and whose it was.
// Streams; of steps the last kMostSteps are kept, the others counted. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/sample.h"
#include "tools/report/time_bins.h"

namespace rocktune::tools {

struct KnobStep {
  Nanoseconds wall{0};  // of the sample that shows it first
  double seconds = 0;   // since the begin
  std::string knob;     // with its column family: "write_buffer_size of hot"
  std::string name;
  std::int64_t from = 0, to = 0;
  KnobOwner owner = KnobOwner::kFound;  // after it
};

struct KnobTrack {
  std::string name, column_family;
  std::int64_t found = 0, first = 0, last = 0;
  KnobOwner owner = KnobOwner::kFound;
  double first_seconds = 0;  // when it was seen first
  std::uint64_t steps = 0;
  std::optional<std::size_t> series;  // in the bins; absent: it never moved

  [[nodiscard]] std::string title() const;
};

class KnobHistory {
 public:
  static constexpr std::size_t kMostSteps = 500;

  // Of a sample at the moment that the bins are moved to. Returns the steps that it shows.
  std::vector<KnobStep> add(const Sample& sample, double seconds, TimeBins& bins);

  [[nodiscard]] const std::vector<KnobTrack>& tracks() const { return tracks_; }
  [[nodiscard]] const std::deque<KnobStep>& steps() const { return steps_; }
  [[nodiscard]] std::uint64_t all_steps() const { return all_steps_; }

 private:
  KnobTrack& track_of(const KnobReading& knob, std::size_t place, double seconds);
  void draw(KnobTrack& track, const KnobReading& knob, TimeBins& bins) const;

  std::vector<KnobTrack> tracks_;
  std::map<std::pair<std::string, std::string>, std::size_t> known_;  // by name and column family
  std::vector<std::size_t> places_;   // of the tracks, in the order of the last sample's knobs
  std::optional<std::size_t> polls_;  // in the bins: where knobs were read
  std::deque<KnobStep> steps_;
  std::uint64_t all_steps_ = 0;
};

// "rocktune", "the operator", "as found".
std::string owner_text(KnobOwner owner);

}  // namespace rocktune::tools
