// What operators order of single knobs: a release, which hands them back, and a hold.
#include <algorithm>

#include "agent/control.h"

namespace rocktune::agent {

bool Control::will_return() const {
  const std::lock_guard lock(mutex_);
  return lease_ || !keep_;
}

bool Control::has(const std::string& knob) const {
  return std::ranges::any_of(groups(),
                             [&](const Group& group) { return group->find(knob) != nullptr; });
}

// Before what is there is released: what comes meanwhile is among that, or not held any more.
void Control::forget_hold(const wire::ReleaseRequest& request) {
  if (!request.column_family.empty()) return;  // one that is there
  if (!request.knob.empty() && !has(request.knob)) return;
  const std::lock_guard lock(mutex_);
  if (!request.knob.empty()) {
    if (hold_later_) released_.insert(request.knob);
    return;
  }
  hold_later_ = false;
  released_.clear();
}

bool Control::holds_later(const std::string& knob) const {
  const std::lock_guard lock(mutex_);
  return hold_later_ && !released_.contains(knob);
}

// On the host's thread, which waits for no write. What is not as it was found is somebody else's,
// or another database's, which returns it.
void Control::hold_what_comes(const KnobGroup& group) {
  for (const auto& knob : group.knobs()) {
    if (!holds_later(knob->name()) || !knob->why_not_changeable().empty()) continue;
    const auto reading = knob->read();
    const auto view = knob->state().observe(reading.value, reading.generation);
    if (view.owner == Owner::kFound) knob->state().hold_for_operator();
  }
}

Control::Answer<wire::ChangeResults> Control::release(const wire::ReleaseRequest& request) {
  forget_hold(request);
  wire::ChangeResults answer;
  bool found = request.knob.empty() && request.column_family.empty();
  bool ours_again = false;
  const bool returns = will_return();
  for (const auto& group : groups()) {
    const auto changing = group->lock();
    if (group->ended()) continue;
    const bool in =
        request.column_family.empty() || group->column_family() == request.column_family;
    if (in) group->refresh();  // what it has now, not a second ago, becomes the found value
    for (const auto& knob : group->knobs()) {
      if (!in || (!request.knob.empty() && knob->name() != request.knob)) continue;
      found = true;
      if (request.knob.empty() && !worth_telling(*group, *knob)) continue;
      const auto writes = knob->state().lock_writes();
      const auto reading = knob->read();
      const auto view = knob->state().observe(reading.value, reading.generation);
      // What rocktune has tuned and will return is not the operator's to hand back: as a found
      // value nobody would return it.
      if (returns && view.owner == Owner::kRocktune && knob->state().is_held()) continue;
      knob->state().release(reading.value, self_);
      ours_again = ours_again || knob->state().held_by(self_);
      Change change{knob.get(), reading.value, {}, {}, false};
      change.result = {"", "applied", "", view.found, reading.value, ""};
      if (view.owner == Owner::kFound) {
        change.result.status = "unchanged";
      } else {
        tell(*group, change, "release");
      }
      change.result.before = reading.value;
      answer.results.push_back(named(*group, change));
    }
  }
  if (!found) {
    return tl::unexpected(
        wire::Error{"not_found", why_unknown(request.knob, request.column_family)});
  }
  const std::lock_guard lock(mutex_);
  // A `restore` that still waits for the end of a write stop holds no longer what it returns, and
  // returns nothing that somebody has the lease of.
  if (request.knob.empty() && request.column_family.empty()) {
    hold_ = false;
    if (lease_) returning_ = nullptr;
  }
  // Where nobody has the lease nobody would return it.
  if (ours_again && !lease_ && !keep_) returning_ = "lease_expired";
  return answer;
}

Control::Answer<wire::ChangeResults> Control::hold(const wire::HoldRequest& request) {
  wire::ChangeResults answer;
  bool found = false;
  for (const auto& group : groups()) {
    const auto changing = group->lock();
    const bool in =
        request.column_family.empty() || group->column_family() == request.column_family;
    if (group->ended() || !in) continue;
    group->refresh();
    for (const auto& knob : group->knobs()) {
      if (knob->name() != request.knob) continue;
      found = true;
      const auto writes = knob->state().lock_writes();
      const auto reading = knob->read();
      const auto view = knob->state().observe(reading.value, reading.generation);
      Change change{knob.get(), reading.value, {}, {}, false};
      change.result = {"", "applied", "", reading.value, reading.value, ""};
      if (const auto why = knob->why_not_changeable(); !why.empty()) {
        change.result.status = "refused";
        change.result.reason = why;
      } else {
        knob->state().hold_for_operator();
        if (view.owner != Owner::kManual) tell(*group, change, "hold");
      }
      answer.results.push_back(named(*group, change));
    }
  }
  if (!found) {
    return tl::unexpected(
        wire::Error{"not_found", why_unknown(request.knob, request.column_family)});
  }
  return answer;
}

}  // namespace rocktune::agent
