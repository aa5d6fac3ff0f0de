#include "policy/pins.h"

#include "model/knobs.h"
#include "policy/guard_limits.h"
#include "policy/situation.h"

namespace rocktune {

std::vector<Proposal> propose_pins(const Pins& pins, const Features& features) {
  std::vector<Proposal> out;
  if (!features.fresh) return out;
  for (const KnobReading& reading : features.knobs) {
    const auto pin = pins.find(reading.name);
    if (pin == pins.end() || pin->second == reading.value) continue;
    Proposal proposal = propose(reading, pin->second, kPinRule);
    proposal.reason = "pinned to " + shown(reading.name, pin->second) + " in the configuration";
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
  const std::string wrong = disorder(pins);
  if (wrong.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, "pin: " + wrong);
}

std::string disorder(const Pins& pins) {
  const auto jobs = pins.find(std::string(knob::kBackgroundJobs));
  if (jobs != pins.end() && jobs->second < kLeastJobs) {
    return jobs->first + " (" + std::to_string(jobs->second) + ") has to be at least " +
           std::to_string(kLeastJobs) + ": " + std::string(kWhyLeastJobs);
  }
  for (const auto& [low, high] : kKnobOrders) {
    const auto lower = pins.find(std::string(low));
    const auto upper = pins.find(std::string(high));
    if (lower == pins.end() || upper == pins.end() || lower->second <= upper->second) continue;
    return std::string(low) + " (" + std::to_string(lower->second) + ") has to be at most " +
           std::string(high) + " (" + std::to_string(upper->second) + ")";
  }
  return {};
}

}  // namespace rocktune
