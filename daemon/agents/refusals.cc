#include "daemon/agents/refusals.h"

#include <set>

namespace rocktune::daemon {

bool Refusals::stands(const std::string& id, const std::string& holder, Nanoseconds now) const {
  const auto known = refused_.find(id);
  if (known == refused_.end() || now >= known->second.until) return false;
  return known->second.holder.empty() || known->second.holder == holder;
}

bool Refusals::add(const std::string& id, const std::string& reason, const std::string& holder,
                   Nanoseconds now) {
  Refusal& refusal = refused_[id];
  const bool said = refusal.said && refusal.reason == reason;
  refusal = {reason, holder, now + kLookAgain, said};
  return said;
}

void Refusals::keep(const std::vector<wire::Database>& listed) {
  if (refused_.empty()) return;
  std::set<std::string_view> ids;
  for (const wire::Database& database : listed) ids.insert(database.id);
  std::erase_if(refused_, [&](const auto& refused) { return !ids.contains(refused.first); });
}

}  // namespace rocktune::daemon
