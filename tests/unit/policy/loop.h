// The closed loop of an engine and a toy plant, as the daemon closes it in act mode.
#pragma once

#include <string>
#include <vector>

#include "policy/engine.h"
#include "tests/unit/policy/toy_plant.h"

namespace rocktune::test {

class Loop {
 public:
  explicit Loop(const EngineConfig& config = {}) : engine(*Engine::create(config)) {}

  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) tick();
  }
  Step tick() {
    Sample sample = plant.poll();
    Step step = engine.step(sample);
    for (const Decision& decision : step.decisions) {
      decisions.push_back(decision);
      bool allowed = decision.verdict.kind == VerdictKind::kAllowed ||
                     decision.verdict.kind == VerdictKind::kClamped;
      if (!allowed) continue;
      ++changes;
      if (act) apply(decision);
      engine.report({decision.id, act ? "applied" : "advised", "", decision.proposal.from,
                     act ? decision.verdict.value : decision.proposal.from});
    }
    outcomes.insert(outcomes.end(), step.outcomes.begin(), step.outcomes.end());
    return step;
  }
  void apply(const Decision& decision) {
    if (decision.proposal.knob == knob::kRateLimit) plant.limit = decision.verdict.value;
    if (decision.proposal.knob == knob::kBackgroundJobs) plant.jobs = decision.verdict.value;
    if (decision.proposal.knob == knob::kCacheCapacity) plant.cache = decision.verdict.value;
  }

  Engine engine;
  ToyPlant plant;
  bool act = true;
  int changes = 0;
  std::vector<Decision> decisions;
  std::vector<Outcome> outcomes;
};

}  // namespace rocktune::test
