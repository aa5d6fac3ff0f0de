// What a target tells of itself to those that it shares a device or the host with.
#include "daemon/agents/translate.h"
#include "daemon/target.h"

namespace rocktune::daemon {

std::string Target::device_name() const {
  return machine_ ? machine_->device_name() : std::string();
}

// Read-only and secondary openings write nothing in the background, and are not tuned.
std::optional<ShareMember> Target::share_member() const {
  if (!live() || last_sample_.knobs.empty()) return std::nullopt;
  if (!is_writable(opening_->database)) return std::nullopt;
  ShareMember member;
  member.name = path_;
  member.device = machine_->device_key();
  member.weight = rule_.weight;
  member.tunes = tunes(rule_.engine);
  member.gives_rate = gives_rate(rule_.engine);
  member.acts = acts();
  member.pins = rule_.engine.pins;
  member.budget = rule_.engine.budget;
  const auto& write = rule_.engine.objective.device_capacities.write;
  if (write) member.device_at_most = rule_.engine.budget.device_share * write->bytes_per_second;
  member.cpus = cpus_;
  member.knobs = last_sample_.knobs;
  member.in_common = in_common_;
  member.memory = memory_;
  member.demand = demand_;
  return member;
}

}  // namespace rocktune::daemon
