#include "agent/stall_watch.h"

namespace rocktune::agent {

std::optional<StallWatch::TimePoint::duration> StallWatch::change(
    const std::string& family, rocksdb::WriteStallCondition before,
    rocksdb::WriteStallCondition condition, TimePoint now) {
  std::optional<TimePoint::duration> lasted;
  auto it = states_.find(family);
  if (it == states_.end()) {
    if (states_.size() == kMost) return lasted;
    it = states_.emplace(family, State{}).first;
  } else if (it->second.condition == before) {
    lasted = now - it->second.since;
  }
  it->second = {condition, now};
  return lasted;
}

}  // namespace rocktune::agent
