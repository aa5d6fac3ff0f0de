// Decision, Verdict, Outcome: a proposed change with its reason, what the guard made of it, and
// what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/indicators.h"
#include "model/knob_readings.h"

namespace rocktune {

// What a change is expected to do: one feature, moved the right way by the end of the window.
struct Expectation {
  std::string feature;  // a name of Features::visit_values
  bool lower_is_better = true;
  std::optional<double> baseline = {};  // its value when decided; absent: it was not known
  double window_seconds = 0;
  bool operator==(const Expectation&) const = default;
};

struct Proposal {
  std::string knob;
  std::string column_family;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::string
      rule;  // which rule of the policy: "limiter.backlog"; stable, documented in docs/control.md
  std::string reason;  // one sentence for a person
  Expectation expected;
  std::vector<Driver> evidence;
  bool operator==(const Proposal&) const = default;
};

// Which knob, by its name and its column family: empty where it is of the whole database.
using KnobId = std::pair<std::string, std::string>;
inline KnobId knob_of(const Proposal& proposal) {
  return {proposal.knob, proposal.column_family};
}
inline bool same_knob(const Proposal& a, const Proposal& b) {
  return a.knob == b.knob && a.column_family == b.column_family;
}
inline bool same_knob(const Proposal& proposal, const KnobReading& reading) {
  return proposal.knob == reading.name && proposal.column_family == reading.column_family;
}

enum class VerdictKind { kAllowed, kClamped, kHeld, kRejected };
std::string_view to_string(VerdictKind kind);  // "allowed", "clamped", "held", "rejected"

struct Verdict {
  VerdictKind kind = VerdictKind::kRejected;
  std::int64_t value = 0;  // what may be applied; equals Proposal::from unless allowed or clamped
  std::string
      rule;  // the guard's rule that decided: "range", "dwell", "manual", ...; empty if allowed
  std::string reason;  // empty if allowed
  bool operator==(const Verdict&) const = default;
};

// Whether Verdict::value is what the knob may be set to.
inline bool may_be_applied(const Verdict& verdict) {
  return verdict.kind == VerdictKind::kAllowed || verdict.kind == VerdictKind::kClamped;
}

struct Decision {
  // Unique within a run of the engine, deterministic: "261128-085511.628-1" is the first of the
  // step whose sample is of that moment (a later one where the wall clock was set back).
  std::string id;
  Proposal proposal;
  Verdict verdict;
  bool operator==(const Decision&) const = default;
};

// Something the guard found about a knob, said once: it oscillates, it is left alone.
struct GuardNote {
  std::string knob;
  std::string column_family;
  std::string message;
  bool operator==(const GuardNote&) const = default;
};

// What the actuator did with an allowed decision. Recorded, and fed back on replay.
struct Actuation {
  std::string decision_id;
  std::string status;  // "applied", "unchanged", "advised" (mode is not act), "not_sent" (the agent
                       // was not asked: nothing is known of the change), or the wire's failures
  std::string reason;
  std::int64_t before = 0;
  std::int64_t after = 0;
  bool operator==(const Actuation&) const = default;
};

struct Outcome {
  std::string decision_id;
  std::string
      result;  // "better", "unchanged", "worse", "unknown" (window cut short, feature absent)
  std::optional<double> measured;  // mean of the expected feature over the window's second half
  std::string reason;
  bool operator==(const Outcome&) const = default;
};

}  // namespace rocktune
