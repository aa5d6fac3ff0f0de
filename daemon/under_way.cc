#include "daemon/under_way.h"

#include <algorithm>

namespace rocktune::daemon {

void UnderWay::sent(const std::vector<Decision>& decisions) {
  for (One& one : all_) {
    one.sent =
        one.sent || std::ranges::find(decisions, one.decision.id, &Decision::id) != decisions.end();
  }
}

std::optional<Decision> UnderWay::done(const std::string& id) {
  const auto found =
      std::ranges::find_if(all_, [&](const One& one) { return one.decision.id == id; });
  if (found == all_.end()) return std::nullopt;
  Decision decision = std::move(found->decision);
  all_.erase(found);
  return decision;
}

}  // namespace rocktune::daemon
