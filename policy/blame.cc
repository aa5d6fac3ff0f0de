#include "policy/blame.h"

#include <algorithm>

#include "model/text.h"

namespace rocktune {

Blames::Key Blames::key_of(const Proposal& proposal) {
  return {proposal.knob, proposal.column_family, proposal.rule, proposal.to > proposal.from};
}

void Blames::blame(const Proposal& culprit, const std::string& id, Nanoseconds now) {
  Blamed& blamed = rests_[key_of(culprit)];
  if (blamed.id == id && blamed.rest.lasts(now)) return;
  blamed.rest.begin(now);
  blamed.id = id;
}

void Blames::forget(const GoneKnobs& gone) {
  std::erase_if(rests_, [&](const auto& rest) {
    return gone.has({std::get<0>(rest.first), std::get<1>(rest.first)}, *rest.second.rest.since());
  });
}

std::optional<std::string> Blames::blocks(const Proposal& proposal, Nanoseconds now) const {
  auto known = rests_.find(key_of(proposal));
  if (known == rests_.end()) return std::nullopt;
  const double left = known->second.rest.left_seconds(now);
  if (left <= 0) return std::nullopt;
  return "the same change, decision " + known->second.id + ", had to be taken back; " +
         proposal.rule + " may ask for it again in " + text::duration(std::max(left, 1.0));
}

}  // namespace rocktune
