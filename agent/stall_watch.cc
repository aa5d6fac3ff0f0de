#include "agent/stall_watch.h"

#include <algorithm>

namespace rocktune::agent {

StallWatch::Change StallWatch::change(const std::string& family, Condition before,
                                      Condition condition, TimePoint now) {
  auto it = states_.find(family);
  if (it == states_.end()) {
    if (states_.size() == kMost) {
      const auto idle = std::ranges::find_if(states_, [](const auto& one) {
        return one.second.condition == Condition::kNormal && !one.second.skipped;
      });
      if (idle == states_.end()) return {};
      states_.erase(idle);
    }
    it = states_.emplace(family, State{}).first;
  }
  auto& state = it->second;
  if (state.skipped == std::pair(before, condition)) {
    state.skipped.reset();
    return {.lasted = {}, .late = true};
  }
  Change change;
  if (state.condition == before) {
    if (state.since) change.lasted = now - *state.since;
    state.skipped.reset();
  } else {
    state.skipped = std::pair(state.condition, before);
  }
  state.condition = condition;
  state.since = now;
  return change;
}

}  // namespace rocktune::agent
