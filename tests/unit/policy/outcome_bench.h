// A lowering of the limiter that is judged: how it was decided, what the agent answered, and what
// came of it.
#pragma once

#include "policy/outcomes.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

inline Decision lowered_limiter(const char* feature = "read_p99_us", bool lower_is_better = true,
                                double baseline = 1000) {
  Decision out;
  out.id = "7-1";
  out.proposal.knob = knob::kRateLimit;
  out.proposal.from = 100;
  out.proposal.to = 80;
  out.proposal.rule = "limiter.reads";
  out.proposal.expected = {feature, lower_is_better, baseline, 10};
  out.verdict = {VerdictKind::kAllowed, 80, "", ""};
  return out;
}

inline Actuation applied_lowering() {
  return {"7-1", "applied", "", 100, 80};
}

// Runs the window with this P99 and says what came out.
inline Finished outcome_after(double p99_us, double load_factor = 1,
                              const Decision& made = lowered_limiter()) {
  Outcomes outcomes;
  Features f;
  f.fresh = true;
  f.reads_per_second = 1000;
  outcomes.begin(made, applied_lowering(), f);
  f.reads_per_second = 1000 * load_factor;
  for (int i = 0; i < 20; ++i) {
    f.at.tick += at_seconds(0.5);
    // The first half is the way there and does not count.
    f.read_p99_us = i < 8 ? 99999 : p99_us;
    auto finished = outcomes.observe(f);
    if (i < 19) CHECK(finished.empty());
    if (!finished.empty()) return finished[0];
  }
  FAIL("no outcome");
  return {};
}

}  // namespace rocktune::test
