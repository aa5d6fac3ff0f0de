#include "policy/pins.h"

#include <string>

#include "model/knobs.h"

namespace rocktune {

std::vector<Proposal> propose_pins(const Pins& pins, const Features& features) {
  std::vector<Proposal> out;
  if (!features.fresh) return out;
  for (const KnobReading& reading : features.knobs) {
    const auto pin = pins.find(reading.name);
    if (pin == pins.end() || pin->second == reading.value) continue;
    Proposal proposal;
    proposal.knob = reading.name;
    proposal.column_family = reading.column_family;
    proposal.from = reading.value;
    proposal.to = pin->second;
    proposal.rule = kPinRule;
    proposal.reason = "pinned to " + std::to_string(pin->second) + " in the configuration";
    out.push_back(std::move(proposal));
  }
  return out;
}

Result<void> check_pins(const Pins& pins) {
  for (const auto& [name, value] : pins) {
    const KnobSpec* spec = find_knob(name);
    if (spec == nullptr) {
      return fail(ErrorCode::kInvalidArgument, "pin: there is no knob " + name);
    }
    if (value < spec->min || value > spec->max) {
      return fail(ErrorCode::kInvalidArgument, "pin: " + name + " has to be " +
                                                   std::to_string(spec->min) + " to " +
                                                   std::to_string(spec->max));
    }
  }
  return {};
}

}  // namespace rocktune
