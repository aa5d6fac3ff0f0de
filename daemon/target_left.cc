// What a target tells of its knobs when it is left: by a daemon that stops, or that only advises
// now.
#include <algorithm>
#include <vector>

#include "daemon/knob_words.h"
#include "daemon/listed.h"
#include "daemon/target.h"
#include "model/text.h"

namespace rocktune::daemon {

// Whoever steps back to advice expects everything to return, which the lease's own terms may
// forbid.
void Target::note_kept() {
  if (!acts() || !lease_ || lease_->on_expiry != "keep") return;
  const bool changed = std::ranges::any_of(last_sample_.knobs, [](const KnobReading& knob) {
    return knob.owner == KnobOwner::kRocktune;
  });
  if (!changed) return;
  journal_.event(name_, trace_id_, "daemon", "kept",
                 "no longer tuned; what was changed stays, since lease.on_daemon_loss is keep: "
                 "`rocktune rollback --all` returns it");
}

// The stop waits for no answer. Returns what may stand changed all the same.
std::vector<std::string> Target::give_up() {
  std::vector<std::string> asked;
  for (const UnderWay::One& one : under_way_.take()) {
    const Proposal& change = one.decision.proposal;
    report({one.decision.id, one.sent ? "failed" : "not_sent",
            one.sent
                ? "rocktuned stopped before the agent answered: it may have been made all the same"
                : "rocktuned stopped before the agent was asked",
            change.from, change.from});
    if (!one.sent) continue;
    asked.push_back(called(change.knob, change.column_family) + " " +
                    shown(change.knob, change.from) + " -> " +
                    shown(change.knob, one.decision.verdict.value) + " (asked for, not answered)");
  }
  return asked;
}

bool Target::note_left() {
  std::vector<std::string> left = give_up();
  if (!live()) return false;
  if (!last_sample_.database || !held_elsewhere().empty()) return true;
  for (const KnobReading& knob : last_sample_.knobs) {
    if (knob.owner != KnobOwner::kRocktune || knob.value == knob.found) continue;
    left.push_back(standing(knob) + " (found " + shown(knob.name, knob.found) + ")");
  }
  if (left.empty()) return false;
  std::string fate =
      "stays (lease.on_daemon_loss: keep); `rocktune rollback --all` with rocktuned "
      "running returns it";
  if (!lease_) {
    fate = "its lease is over: it is being returned, or stays (keep)";
  } else if (lease_->on_expiry != "keep") {
    const double since = seconds_between(last_sample_.at.tick, journal_.now().tick);
    const double seconds = std::max(lease_->remaining_seconds.value_or(0) - since, 0.0);
    fate = "goes back in " + text::duration(seconds) + ", unless rocktuned is there again before";
  }
  journal_.event(name_, trace_id_, "daemon", "left", listed(left) + ": " + fate);
  return true;
}

}  // namespace rocktune::daemon
