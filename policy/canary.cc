#include "policy/canary.h"

#include <algorithm>

#include "model/text.h"
#include "policy/outcomes.h"
#include "policy/rollback.h"
#include "policy/urgent.h"

namespace rocktune {

std::string Canaries::loop_for(const Proposal& proposal) const {
  if (proposal.rule != kRollbackRule) return loop_of(proposal);
  auto known = loops_.find(knob_of(proposal));
  return known == loops_.end() ? loop_of(proposal) : known->second.name;
}

// As the windows themselves (Outcomes::put_off).
void Canaries::observe(Nanoseconds now, bool fresh) {
  const Looks::Passed passed = looks_.look(now, fresh);
  if (!passed.unseen) {
    absent_ = Nanoseconds{0};
    return;
  }
  absent_ += passed.time;
  for (auto& [knob, open] : applied_) open.since += passed.time;
  if (seconds_between({}, absent_) > kMostUnseenSeconds) applied_.clear();
}

void Canaries::decided(const Decision& decision, Nanoseconds now) {
  const Proposal& proposal = decision.proposal;
  const KnobId key = knob_of(proposal);
  decided_.erase(key);
  if (proposal.expected.feature.empty()) return;
  const std::string loop = loop_for(proposal);
  loops_[key] = {loop, now};
  decided_[key] = {decision.id, loop, now, proposal.expected.window_seconds};
}

void Canaries::applied(const Decision& decision, Nanoseconds now) {
  const KnobId key = knob_of(decision.proposal);
  applied_.erase(key);  // cut short by this change, whatever it expects
  auto decided = decided_.find(key);
  if (decided == decided_.end() || decided->second.id != decision.id) return;
  decided->second.since = now;
  applied_.insert(decided_.extract(decided));
}

void Canaries::not_applied(const Decision& decision) {
  auto decided = decided_.find(knob_of(decision.proposal));
  if (decided != decided_.end() && decided->second.id == decision.id) decided_.erase(decided);
}

void Canaries::judged(const std::string& decision_id) {
  std::erase_if(applied_, [&](const auto& open) { return open.second.id == decision_id; });
}

void Canaries::judged_again(const Decision& decision, Nanoseconds now) {
  const Proposal& proposal = decision.proposal;
  applied_[knob_of(proposal)] = {decision.id, loop_for(proposal), now,
                                 proposal.expected.window_seconds};
}

const Canaries::Changes::value_type* Canaries::other_of(const Changes& changes,
                                                        const std::string& loop,
                                                        const Proposal& proposal, Nanoseconds now) {
  for (const auto& change : changes) {
    const Open& open = change.second;
    if (open.loop != loop || change.first == knob_of(proposal)) continue;
    if (seconds_between(open.since, now) < open.window_seconds) return &change;
  }
  return nullptr;
}

std::optional<std::string> Canaries::blocks(const Proposal& proposal, Nanoseconds now) const {
  const std::string loop = loop_for(proposal);
  const auto* other = other_of(applied_, loop, proposal, now);
  if (other == nullptr) other = other_of(decided_, loop, proposal, now);
  if (other == nullptr) return std::nullopt;
  const auto& [key, open] = *other;
  const double left = open.window_seconds - seconds_between(open.since, now);
  return "decision " + open.id + " changed " + key.first + text::in_family(key.second) +
         " and is judged in " + text::duration(std::max(left, 1.0)) + ": one change of the " +
         loop + " loop at a time";
}

void Canaries::forget(const GoneKnobs& gone) {
  const auto is_gone = [&](const auto& knob) { return gone.has(knob.first, knob.second.since); };
  std::erase_if(decided_, is_gone);
  std::erase_if(applied_, is_gone);
  std::erase_if(loops_, is_gone);
}

void Canaries::reset() {
  decided_.clear();
  applied_.clear();
  loops_.clear();
  looks_.reset();
  absent_ = Nanoseconds{0};
}

}  // namespace rocktune
