// GuardScope: how much of the guard a policy is under.
#pragma once

namespace rocktune {

enum class GuardScope {
  kAll,  // every rule
  // What protects the database and the operator: stale, known, manual, believed, pin, range, drift,
  // relation. Not what paces a policy (step, dwell, canary, blamed, budget, oscillation), nor its
  // slice of a shared device's writing, and nothing of it is rolled back: for policies that have a
  // published pace of their own, and are compared by it.
  kHardLimits,
};

}  // namespace rocktune
