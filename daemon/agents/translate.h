// From the wire's names to the model's fields. What the agent did not send stays absent; what it
// sent beyond them is ignored.
#pragma once

#include <vector>

#include "model/sample.h"
#include "wire/messages.h"

namespace rocktune::daemon {

DatabaseReading to_database_reading(const wire::Sample& sample);
// Those of the catalogue (model/knobs.h), and whatever somebody has changed: an agent offers many
// more, which nobody here turns.
std::vector<KnobReading> to_knob_readings(const wire::Sample& sample);

}  // namespace rocktune::daemon
