#include "agent/stall_watch.h"

namespace rocktune::agent {

StallWatch::Change StallWatch::change(const std::string& family, Condition before,
                                      Condition condition, TimePoint now) {
  auto it = states_.find(family);
  if (it == states_.end()) {
    if (states_.size() == kMost) return {};
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
