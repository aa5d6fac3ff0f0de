// ForecastNotes: when it is worth a line that a forecast is not known any more, and when it is
// again. One that was never known (no Statistics, no device found) is told of where that is seen,
// and so is an agent that is not read; who waits for no reads or writes needs no forecast of
// theirs.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/features.h"
#include "model/indicators.h"

namespace rocktune::daemon {

class ForecastNotes {
 public:
  // Call it with each sample. What to say now.
  std::optional<std::string> note(const Indicator& indicator, const Features& features);
  void reset() { forecasts_.clear(); }

 private:
  struct State {
    bool known = false;                // once
    bool said = false;                 // that it is not, and not yet that it is again
    std::optional<Nanoseconds> since;  // it is so, without a break
    bool valid = false;                // then
  };
  std::map<IndicatorKind, State> forecasts_;
};

}  // namespace rocktune::daemon
