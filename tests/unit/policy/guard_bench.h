// A guard and the features of a target, with time moved by hand.
#pragma once

#include <string_view>
#include <utility>

#include "policy/guard.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

inline constexpr std::int64_t kGuardMiB = std::int64_t{1} << 20;

// So that no budget is in the way.
inline Budget roomy() {
  Budget budget;
  budget.jobs_max = 64;
  budget.memory_max = Bytes{std::int64_t{1} << 40};
  return budget;
}

class GuardBench {
 public:
  explicit GuardBench(Budget budget = {}, Pins pins = {}, GuardScope scope = GuardScope::kAll,
                      const DeviceCapacities& device = {})
      : guard(std::move(budget), std::move(pins), scope, device) {
    f.fresh = true;
    f.cpus = 4;
    f.memory_available_bytes = 4e9;
    f.limiter_bytes_per_second = 50e6;
    f.knobs = {limiter_knob(100 * kGuardMiB, 100 * kGuardMiB), jobs_knob(4, 4),
               cache_knob(256 * kGuardMiB, 256 * kGuardMiB)};
    pass(0.5);
  }
  // The guard has been looking all the time, but only the last two samples matter.
  void pass(double seconds) {
    constexpr double kLast = 0.001;
    if (seconds > 10) {
      look_after(seconds - kLast);
      seconds = kLast;
    }
    look_after(seconds);
  }
  void look_after(double seconds) {
    f.at.tick += at_seconds(seconds);
    ++f.sequence;
    guard.observe(f);
  }
  // A sample in which the database was not read.
  void look_unread(double seconds) {
    f.fresh = false;
    look_after(seconds);
    f.fresh = true;
  }
  KnobReading& knob(std::string_view name) {
    for (KnobReading& reading : f.knobs.edit()) {
      if (reading.name == name) return reading;
    }
    FAIL("no such knob");
    return f.knobs.edit()[0];
  }
  Verdict ask(std::string_view name, std::int64_t to) {
    Proposal proposal;
    proposal.knob = name;
    proposal.from = knob(name).value;
    proposal.to = to;
    return guard.judge(proposal, f);
  }
  // The whole way of a change: judged, decided and applied.
  Verdict act(const Decision& wanted) {
    Decision decision = wanted;
    decision.verdict = guard.judge(decision.proposal, f);
    bool allowed = decision.verdict.kind == VerdictKind::kAllowed ||
                   decision.verdict.kind == VerdictKind::kClamped;
    if (!allowed) return decision.verdict;
    guard.decided(decision, f.at.tick);
    knob(decision.proposal.knob).value = decision.verdict.value;
    guard.applied(decision, f.at.tick);
    return decision.verdict;
  }
  Decision wants(const char* id, std::string_view rule, std::string_view name, std::int64_t to,
                 const char* feature = "cache_hit_ratio", double window = 30) {
    Decision decision;
    decision.id = id;
    decision.proposal.knob = name;
    decision.proposal.from = knob(name).value;
    decision.proposal.to = to;
    decision.proposal.rule = rule;
    decision.proposal.expected = {feature, true, 0, window};
    return decision;
  }
  // Asks, applies what was allowed, and lets time pass.
  Verdict change(std::string_view name, std::int64_t to, double seconds = 61) {
    Verdict verdict = ask(name, to);
    knob(name).value = verdict.value;
    pass(seconds);
    return verdict;
  }

  Guard guard;
  Features f;
};

inline bool is(const Verdict& verdict, VerdictKind kind, std::string_view rule) {
  INFO(to_string(verdict.kind) << " " << verdict.rule << ": " << verdict.reason);
  CHECK(verdict.kind == kind);
  CHECK(verdict.rule == rule);
  CHECK(verdict.reason.empty() == (kind == VerdictKind::kAllowed));
  return verdict.kind == kind && verdict.rule == rule;
}

}  // namespace rocktune::test
