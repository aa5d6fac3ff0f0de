#include "policy/late_changes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rocktune {

void LateChanges::failed(const Decision& decision) {
  auto& doubts = doubts_[knob_of(decision.proposal)];
  // Tried again it is the same change, and made once.
  std::erase_if(doubts, [&](const Doubt& doubt) {
    return doubt.decision.verdict.value == decision.verdict.value;
  });
  if (doubts.size() == kMost) doubts.erase(doubts.begin());
  doubts.push_back({decision, std::nullopt});
}

std::vector<Decision> LateChanges::found(const Features& features) {
  std::vector<Decision> out;
  if (!features.fresh) return out;
  for (auto one = doubts_.begin(); one != doubts_.end();) {
    auto& [of, doubts] = *one;
    const KnobReading* reading = features.knobs.find(of.first, of.second);
    const bool ours = reading != nullptr && reading->owner != KnobOwner::kManual;
    const auto made = std::find_if(doubts.begin(), doubts.end(), [&](const Doubt& doubt) {
      return ours && reading->value == doubt.decision.verdict.value;
    });
    if (made != doubts.end()) {
      out.push_back(std::move(made->decision));
      // Those after it may come yet, and stand where it stands until then.
      doubts.erase(doubts.begin(), made + 1);
      for (Doubt& later : doubts) later.decision.proposal.from = reading->value;
    }
    std::erase_if(doubts, [&](Doubt& doubt) {
      if (!doubt.looked) doubt.looked = features.at.tick;
      const bool elsewhere = reading != nullptr && reading->value != doubt.decision.proposal.from;
      return elsewhere || seconds_between(*doubt.looked, features.at.tick) > kDoubtSeconds;
    });
    one = doubts.empty() ? doubts_.erase(one) : std::next(one);
  }
  return out;
}

}  // namespace rocktune
