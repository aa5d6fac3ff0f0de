#include "policy/engine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/feature_stream.h"
#include "model/knobs.h"
#include "model/text.h"
#include "policy/guard.h"
#include "policy/journal_filter.h"
#include "policy/outcomes.h"
#include "policy/pins.h"
#include "policy/rollback.h"

namespace rocktune {
namespace {

// Decisions that were handed out and not reported yet; older ones are forgotten.
constexpr std::size_t kMostUnreported = 64;

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}

bool usable(const std::optional<DirectionCapacity>& capacity) {
  return !capacity || (positive(capacity->bytes_per_second) && positive(capacity->iops));
}

bool usable_drift(const Budget& budget) {
  auto usable_factor = [](const std::optional<double>& factor) {
    return !factor || (positive(*factor) && *factor >= 1);
  };
  return usable_factor(budget.drift_max) &&
         std::all_of(budget.drift_max_of.begin(), budget.drift_max_of.end(),
                     [&](const auto& own) { return usable_factor(own.second); });
}

Result<void> check(const EngineConfig& config) {
  const Objective& o = config.objective;
  std::string bad;
  auto require = [&bad](bool good, const char* what) {
    if (!good) bad += (bad.empty() ? "" : ", ") + std::string(what);
  };
  require(positive(o.read_p99_seconds), "objective read_p99_seconds");
  require(positive(o.write_p99_seconds), "objective write_p99_seconds");
  require(positive(o.horizon_seconds), "objective horizon_seconds");
  require(positive(o.device_queue_limit), "objective device_queue_limit");
  require(positive(o.device_await_limit_seconds), "objective device_await_limit_seconds");
  for (const double budget : o.false_alarms_per_day) {
    require(positive(budget), "objective false_alarms_per_day");
  }
  const DeviceCapacities& device = o.device_capacities;
  require(usable(device.read) && usable(device.write), "objective device_capacities");
  require(!device.read_await_seconds || positive(*device.read_await_seconds),
          "objective device_capacities read_await_seconds");
  require(positive(config.budget.rate_limit_min.value), "budget rate_limit_min");
  require(!config.budget.memory_max || config.budget.memory_max->value > 0, "budget memory_max");
  require(positive(config.budget.device_share), "budget device_share");
  require(
      !config.budget.write_amplification_max || positive(*config.budget.write_amplification_max),
      "budget write_amplification_max");
  require(!config.budget.jobs_max || *config.budget.jobs_max > 0, "budget jobs_max");
  require(config.budget.changes_per_hour >= 0, "budget changes_per_hour");
  require(usable_drift(config.budget), "budget drift_max (at least one)");
  if (!bad.empty()) {
    return fail(ErrorCode::kInvalidArgument, "engine: has to be above zero: " + bad);
  }
  const double loss = device.mixing_loss.value_or(0);
  if (loss >= kLeastMixingLoss && loss <= kMostMixingLoss) return check_pins(config.pins);
  return fail(ErrorCode::kInvalidArgument,
              "engine: objective device_capacities mixing_loss has to be -1 to 100");
}

// Puts these first, instead of what others want of the same knobs.
void prefer(std::vector<Proposal> preferred, std::vector<Proposal>& proposals) {
  for (const Proposal& one : preferred) {
    std::erase_if(proposals, [&](const Proposal& other) {
      return other.knob == one.knob && other.column_family == one.column_family;
    });
  }
  proposals.insert(proposals.begin(), std::make_move_iterator(preferred.begin()),
                   std::make_move_iterator(preferred.end()));
}

bool may_be_applied(const Verdict& verdict) {
  return verdict.kind == VerdictKind::kAllowed || verdict.kind == VerdictKind::kClamped;
}

}  // namespace

struct Engine::State {
  State(const EngineConfig& wanted, std::unique_ptr<Policy> made)
      : config(wanted),
        policy(std::move(made)),
        guard(wanted.budget, wanted.pins),
        indicators(wanted.objective, wanted.prior ? *wanted.prior : Learnt()),
        outcomes(wanted.objective) {}

  EngineConfig config;
  std::unique_ptr<Policy> policy;
  Guard guard;
  IndicatorModel indicators;
  Outcomes outcomes;
  JournalFilter filter;
  Rollbacks rollbacks;
  FeatureStream stream;
  Features features;  // of the last step
  std::map<std::string, Decision> unreported;

  void forget();
  void finish_outcomes(Step& step);
  void decide(Step& step);
  void judge(const Proposal& proposal, Step& step);
};

void Engine::State::forget() {
  policy->reset();
  guard.reset();
  filter.reset();
  rollbacks.reset();
  unreported.clear();
}

void Engine::State::finish_outcomes(Step& step) {
  auto finished = step.features.reset
                      ? outcomes.end_all("the database was opened anew before the window ended")
                      : outcomes.observe(step.features);
  for (Finished& one : finished) {
    guard.judged(one.outcome.decision_id);
    if (!step.features.reset) rollbacks.consider(one, step.features.at.tick);
    step.outcomes.push_back(std::move(one.outcome));
  }
}

void Engine::State::judge(const Proposal& proposal, Step& step) {
  Nanoseconds now = step.features.at.tick;
  if (!filter.wants(proposal, now)) return;
  Decision decision;
  decision.proposal = proposal;
  decision.verdict = guard.judge(proposal, step.features);
  if (!filter.admits(decision, now)) return;
  decision.id =
      std::to_string(step.features.sequence) + "-" + std::to_string(step.decisions.size() + 1);
  if (may_be_applied(decision.verdict)) {
    guard.decided(decision, now);
    if (unreported.size() >= kMostUnreported) unreported.clear();
    unreported.emplace(decision.id, decision);
  }
  step.decisions.push_back(std::move(decision));
}

void Engine::State::decide(Step& step) {
  PolicyInput input{step.features, step.indicators, config.objective, config.budget};
  std::vector<Proposal> proposals = policy->decide(input);
  // A rollback goes before whatever the policy wants of that knob, and a pin before both.
  prefer(rollbacks.propose(step.features, step.indicators), proposals);
  prefer(propose_pins(config.pins, step.features), proposals);
  for (const Proposal& proposal : proposals) judge(proposal, step);
  step.notes = guard.take_notes();
}

Result<Engine> Engine::create(const EngineConfig& config) {
  if (auto checked = check(config); !checked) return tl::unexpected(checked.error());
  auto policy = make_policy(config.policy, config.policy_params);
  if (!policy) return tl::unexpected(policy.error());
  return Engine(std::make_unique<State>(config, *std::move(policy)));
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;
Learnt Engine::learnt() const {
  return state_->indicators.learnt();
}

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Step Engine::step(const Sample& sample) {
  State& s = *state_;
  Step step;
  step.features = s.stream.next(sample);
  if (step.features.reset) s.forget();
  IndicatorModel::Step warned = s.indicators.update(step.features);
  step.indicators = std::move(warned.indicators);
  step.alerts = std::move(warned.alerts);
  s.guard.observe(step.features);
  s.finish_outcomes(step);
  s.decide(step);
  s.features = step.features;
  return step;
}

void Engine::report(const Actuation& actuation) {
  State& s = *state_;
  auto known = s.unreported.find(actuation.decision_id);
  if (known == s.unreported.end()) return;  // of a database that is gone, or reported before
  Decision decision = std::move(known->second);
  s.unreported.erase(known);
  Nanoseconds now = s.features.at.tick;
  if (actuation.status == "applied") {
    s.filter.succeeded(decision.proposal);
    s.guard.applied(decision, now);
    s.outcomes.begin(decision, actuation, s.features);
    if (auto culprit = s.rollbacks.done(decision.proposal)) {
      s.guard.blame(culprit->proposal, culprit->id, now);
    }
  } else if (actuation.status == "unchanged" || actuation.status == "advised") {
    s.guard.not_applied(decision);
  } else {
    s.guard.failed(decision);
    s.filter.failed(decision.proposal, now);
  }
}

}  // namespace rocktune
