// SettledKnobs: where rocktuned has brought knobs to and left them. What it sets is gone with the
// opening, so that the next one begins with what was found again. Memory is bounded by the number
// of knobs. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/knob_readings.h"

namespace rocktune::advice {

// For so long a knob has to stand at one value to have settled there.
inline constexpr double kSettledSeconds = 600;

struct SettledKnob {
  std::int64_t found = 0, value = 0;
  double seconds = 0;  // at this value, without a break, until the end of an opening
  // From the first sample of the opening until then; absent: it was there at that sample.
  std::optional<double> reached_seconds;
};

class SettledKnobs {
 public:
  using Key = std::pair<std::string, std::string>;  // name; column family, empty: the database

  // A sample, so many seconds after the one before (0: nothing is known of the time between).
  // `opens`: the first of an opening.
  void add(const KnobReadings& knobs, double seconds, bool opens);
  // Those of the last opening, or where that was too short to tell, of the one before it. None of
  // what somebody else set or took back.
  [[nodiscard]] std::map<Key, SettledKnob> settled() const;

 private:
  void begin_opening();

  std::map<Key, SettledKnob> now_, before_;
  double opened_seconds_ = 0;
};

}  // namespace rocktune::advice
