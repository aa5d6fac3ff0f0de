// Engine: one target's path from sample to decisions, the same code live and in replay.
//
//   step(sample) -> features -> indicators -> policy -> guard -> decisions
//
// The caller applies what was allowed (or only advises) and reports what happened through report(),
// before the next step. Deterministic: the same samples and reports give the same steps. Not
// thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/engine_config.h"
#include "model/features.h"
#include "model/histogram_form.h"
#include "model/indicators.h"
#include "model/result.h"
#include "policy/demand.h"

namespace rocktune {

struct Step {
  Features features;
  std::vector<Indicator> indicators;
  std::vector<AlertChange> alerts;
  std::vector<Decision> decisions;
  std::vector<Outcome> outcomes;
  std::vector<GuardNote> notes;
  // Changes that had failed, and were made all the same, as the sample shows.
  std::vector<Actuation> late;
};

// Whether its engine ever changes anything; with the policy "static" none does.
bool tunes(const EngineConfig& config);
// Whether it keeps to its slice of a shared device's writing: not with "static", nor with a peer,
// which has its rate from its own rules alone.
bool gives_rate(const EngineConfig& config);

class Engine {
 public:
  static Result<Engine> create(const EngineConfig& config);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  Step step(Sample sample, HistogramForm form = HistogramForm::kSinceOpened);
  void report(const Actuation& actuation);
  // Another engine takes its place: what was being judged, or was to be taken back, ends here, for
  // this reason ("the settings changed").
  struct Ended {
    std::vector<Outcome> outcomes;
    std::vector<GuardNote> notes;
  };
  Ended end(const std::string& why);
  // Why an indicator stands as it does since the last step(), whose features are given: made when
  // somebody asks.
  [[nodiscard]] std::vector<Driver> drivers(IndicatorKind kind, const Features& features) const;
  // How things stand by it then, in a sentence without a full stop; empty: nothing to say.
  [[nodiscard]] std::string sentence(IndicatorKind kind) const;
  // What it wants of what is shared with other databases. Whoever shares asks after each step, with
  // what that gave.
  const Demand& demand(const Step& step);
  // What the forecasts have learnt by now; of use as another engine's EngineConfig::prior.
  [[nodiscard]] Learnt learnt() const;

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rocktune
