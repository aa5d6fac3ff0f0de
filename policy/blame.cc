#include "policy/blame.h"

#include <algorithm>

#include "model/text.h"

namespace rocktune {
namespace {

// Ten minutes is what the guard looks back for oscillation; four hours what the loops' own rests
// grow to (docs/control.md).
constexpr double kFirstRestSeconds = 600;
constexpr double kLongestRestSeconds = 4 * 3600;

}  // namespace

Blames::Key Blames::key_of(const Proposal& proposal) {
  return {proposal.knob, proposal.column_family, proposal.rule, proposal.to > proposal.from};
}

void Blames::blame(const Proposal& culprit, const std::string& id, Nanoseconds now) {
  Rest& rest = rests_[key_of(culprit)];
  const bool again =
      rest.seconds > 0 && seconds_between(rest.since, now) < rest.seconds + kLongestRestSeconds;
  rest.seconds = again ? std::min(2 * rest.seconds, kLongestRestSeconds) : kFirstRestSeconds;
  rest.since = now;
  rest.id = id;
}

void Blames::forget(const GoneKnobs& gone) {
  std::erase_if(rests_, [&](const auto& rest) {
    return gone.has({std::get<0>(rest.first), std::get<1>(rest.first)}, rest.second.since);
  });
}

std::optional<std::string> Blames::blocks(const Proposal& proposal, Nanoseconds now) const {
  auto known = rests_.find(key_of(proposal));
  if (known == rests_.end()) return std::nullopt;
  const Rest& rest = known->second;
  const double left = rest.seconds - seconds_between(rest.since, now);
  if (left <= 0) return std::nullopt;
  return "the same change, decision " + rest.id + ", had to be taken back; " + proposal.rule +
         " may ask for it again in " + text::duration(std::max(left, 1.0));
}

}  // namespace rocktune
