// Why an indicator warns where its own course would not: what the heads have learnt, and the value
// that speaks for the event the most. Pure.
#pragma once

#include <string>

#include "model/indicators.h"

namespace rocktune {

// The end of an alert's sentence: "; what was learnt makes it 77% probable within 30 s, above all
// that a write stall is 99% probable". From the indicator's probabilities and drivers.
std::string learnt_reason(const Indicator& indicator);

}  // namespace rocktune
