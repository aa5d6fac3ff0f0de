#include "policy/engine.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/feature_stream.h"
#include "model/text.h"
#include "policy/give_back.h"
#include "policy/guard.h"
#include "policy/in_common.h"
#include "policy/journal_filter.h"
#include "policy/late_changes.h"
#include "policy/outcomes.h"
#include "policy/over_budget.h"
#include "policy/peers/peers.h"
#include "policy/pins.h"
#include "policy/policy.h"
#include "policy/rollback.h"
#include "policy/sharing.h"
#include "policy/spared_jobs.h"
#include "policy/unreported.h"

namespace rocktune {
namespace {

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
    std::erase_if(proposals, [&](const Proposal& other) { return same_knob(other, one); });
  }
  proposals.insert(proposals.begin(), std::make_move_iterator(preferred.begin()),
                   std::make_move_iterator(preferred.end()));
}

// The same, but for those that others want lower still.
void prefer_lower(std::vector<Proposal> preferred, std::vector<Proposal>& proposals) {
  std::erase_if(preferred, [&](const Proposal& one) {
    return std::any_of(proposals.begin(), proposals.end(), [&](const Proposal& other) {
      return same_knob(other, one) && other.to < one.to;
    });
  });
  prefer(std::move(preferred), proposals);
}

}  // namespace

bool tunes(const EngineConfig& config) {
  return config.policy != "static";
}

bool gives_rate(const EngineConfig& config) {
  const auto peers = peers::names();
  return tunes(config) && std::find(peers.begin(), peers.end(), config.policy) == peers.end();
}

struct Engine::State {
  State(const EngineConfig& wanted, std::unique_ptr<Policy> made)
      : config(wanted),
        policy(std::move(made)),
        guard(wanted.budget, wanted.pins, policy->guard_scope(),
              wanted.objective.device_capacities),
        give_back(policy->guard_scope()),
        indicators(wanted.objective, wanted.prior ? *wanted.prior : Learnt()),
        outcomes(wanted.objective) {}

  EngineConfig config;
  std::unique_ptr<Policy> policy;
  Guard guard;
  GiveBack give_back;
  IndicatorModel indicators;
  Outcomes outcomes;
  JournalFilter filter;
  Rollbacks rollbacks;
  LateChanges late;
  DemandMeter demand;
  FeatureStream stream;
  Features features;  // of the last step with decisions that are not reported
  Unreported unreported;
  std::optional<Nanoseconds> last_tick;      // of the samples so far
  Nanoseconds id_wall = Nanoseconds::min();  // what decisions of this step are called after
  std::string incarnation;                   // the last that was told

  [[nodiscard]] bool is_newer(const Sample& sample) const;
  void forget();
  void name_step(Nanoseconds wall);
  void made(const Decision& decision, const Actuation& actuation, const Features& at);
  void taken_back(const std::optional<Culprit>& culprit, const Features& at);
  bool judge_again(const Culprit& culprit, const Features& at, Outcomes::After after);
  void not_made(const Decision& decision, const Actuation& actuation);
  void find_late(Step& step);
  void finish_outcomes(Step& step);
  void decide(Step& step);
  void judge(const Proposal& proposal, Step& step);
};

void Engine::State::forget() {
  guard.reset();
  filter.reset();
  rollbacks.reset();
  give_back.reset();
  late.reset();
  unreported.clear();
}

// One that comes twice, or after a younger one, says nothing new. Of another opening it does.
bool Engine::State::is_newer(const Sample& sample) const {
  const bool same = sample.incarnation.empty() || sample.incarnation == incarnation;
  return !last_tick || !same || sample.at.tick > *last_tick;
}

// The sample's time, and later than the last one's where the wall clock was set back: an id that
// comes again would be answered by the agent as the change that it knows.
void Engine::State::name_step(Nanoseconds wall) {
  constexpr Nanoseconds kNext = std::chrono::milliseconds(1);
  const bool last = id_wall > Nanoseconds::max() - kNext;
  id_wall = std::max(wall, last ? id_wall : id_wall + kNext);
}

void Engine::State::finish_outcomes(Step& step) {
  auto finished = step.features.reset
                      ? outcomes.end_all("the database was opened anew before the window ended")
                      : outcomes.observe(step.features, unreported);
  for (Finished& one : finished) {
    guard.judged(one.outcome.decision_id);
    const bool may_roll_back = policy->guard_scope() == GuardScope::kAll && !step.features.reset;
    if (may_roll_back) rollbacks.consider(one, step.features.at.tick);
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
  decision.id = text::moment(id_wall) + "-" + std::to_string(step.decisions.size() + 1);
  if (may_be_applied(decision.verdict)) {
    guard.decided(decision, now);
    unreported.add(decision);
  }
  step.decisions.push_back(std::move(decision));
}

void Engine::State::decide(Step& step) {
  const Budget budget = within_share(config.budget, step.features.shared);
  PolicyInput input{step.features, step.indicators, config.objective, budget};
  std::vector<Proposal> proposals = policy->decide(input);
  if (tunes(config)) {
    give_back.propose(input, proposals);
    prefer_lower(propose_within_budget(config, step.features), proposals);
  }
  // A pin is the operator's word about what others are due, too, and about what was found.
  std::erase_if(proposals, [&](const Proposal& one) {
    const bool returns = is_for_others(one) || one.rule == kWantedJobsRule;
    return returns && config.pins.contains(one.knob);
  });
  // A rollback goes before whatever the policy wants of that knob, a pin before both, and what
  // several databases have in common, which no pin is to turn, before all.
  prefer(rollbacks.propose(step.features, step.indicators, unreported), proposals);
  for (const Culprit& culprit : rollbacks.take_given_up()) {
    guard.blame(culprit.proposal, culprit.id, step.features.at.tick);
  }
  // Blamed at once: a further step of the same rule would end the second judgement.
  for (const Rollbacks::Thawed& thawed : rollbacks.take_thawed()) {
    const Culprit& culprit = thawed.culprit;
    guard.blame(culprit.proposal, culprit.id, step.features.at.tick);
    rollbacks.say_thawed(thawed, judge_again(culprit, step.features, Outcomes::After::kFreeze));
  }
  prefer(propose_pins(config.pins, step.features), proposals);
  if (tunes(config)) prefer(propose_in_common(step.features), proposals);
  unreported.begin_step();
  for (const Proposal& proposal : proposals) judge(proposal, step);
  for (auto notes : {guard.take_notes(), rollbacks.take_notes()}) {
    std::move(notes.begin(), notes.end(), std::back_inserter(step.notes));
  }
}

// An applied change, by a report or by what the sample shows.
void Engine::State::made(const Decision& decision, const Actuation& actuation, const Features& at) {
  filter.forget(decision.proposal);
  outcomes.begin(decision, actuation, at);
  taken_back(rollbacks.done(decision.proposal, actuation.after), at);
}

void Engine::State::taken_back(const std::optional<Culprit>& culprit, const Features& at) {
  if (!culprit) return;
  guard.blame(culprit->proposal, culprit->id, at.at.tick);
  judge_again(*culprit, at, Outcomes::After::kTakenBack);
}

// Whether there is anything left to judge.
bool Engine::State::judge_again(const Culprit& culprit, const Features& at, Outcomes::After after) {
  const std::vector<Decision> judged = outcomes.judge_again(culprit.id, at, after);
  for (const Decision& again : judged) guard.judged_again(again, at.at.tick);
  return !judged.empty();
}

void Engine::State::not_made(const Decision& decision, const Actuation& actuation) {
  const Nanoseconds now = features.at.tick;
  if (actuation.status == "mismatch" && actuation.after != actuation.before) {
    // It was changed, though to something else: that spends dwell and budget.
    guard.misread(decision);
    outcomes.misread(decision, actuation, features);
    taken_back(rollbacks.misread(decision.proposal), features);
  } else {
    guard.failed(decision);
    if (actuation.status == "failed") late.failed(decision);
  }
  if (policy->guard_scope() == GuardScope::kAll && actuation.status == "not_sent") {
    filter.not_sent(decision.proposal, now);
  } else if (policy->guard_scope() == GuardScope::kAll) {
    filter.failed(decision.proposal, now);
  } else {
    filter.forget(decision.proposal);  // tried again at the policy's own pace
  }
}

void Engine::State::find_late(Step& step) {
  for (const Decision& decision : late.found(step.features)) {
    const Proposal& proposal = decision.proposal;
    guard.made_late(decision, step.features.at.tick);
    step.late.push_back({decision.id, "applied", "it was reported failed; a sample shows it made",
                         proposal.from, decision.verdict.value});
    made(decision, step.late.back(), step.features);
    step.notes.push_back(
        {proposal.knob, proposal.column_family,
         "decision " + decision.id + " had failed, and was made all the same: " + proposal.knob +
             text::in_family(proposal.column_family) + " is " +
             std::to_string(decision.verdict.value) + ", which is judged from now"});
  }
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

std::vector<Driver> Engine::drivers(IndicatorKind kind, const Features& features) const {
  return state_->indicators.drivers(kind, features);
}

std::string Engine::sentence(IndicatorKind kind) const {
  return state_->indicators.sentence(kind);
}

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Step Engine::step(Sample sample, HistogramForm form) {
  State& s = *state_;
  Step step;
  if (s.is_newer(sample)) {
    s.last_tick = sample.at.tick;
    if (!sample.incarnation.empty()) s.incarnation = sample.incarnation;
    step.features = s.stream.next(std::move(sample), form);
  } else {
    step.features.at = {sample.at.wall, *s.last_tick};
    step.features.sequence = sample.sequence;  // as if nobody had been asked
  }
  if (step.features.reset) s.forget();
  s.name_step(step.features.at.wall);
  IndicatorModel::Step warned = s.indicators.update(step.features);
  step.indicators = std::move(warned.indicators);
  step.alerts = std::move(warned.alerts);
  s.guard.observe(step.features);
  s.find_late(step);
  s.finish_outcomes(step);
  s.decide(step);
  if (!s.unreported.empty()) s.features = step.features;
  return step;
}

Engine::Ended Engine::end(const std::string& why) {
  Ended out;
  for (Finished& one : state_->outcomes.end_all(why + " before the window ended")) {
    out.outcomes.push_back(std::move(one.outcome));
  }
  state_->rollbacks.end(why);
  out.notes = state_->rollbacks.take_notes();
  return out;
}

const Demand& Engine::demand(const Step& step) {
  const EngineConfig& config = state_->config;
  return state_->demand.update({step.features, step.indicators, config.objective, config.budget});
}

void Engine::report(const Actuation& actuation) {
  State& s = *state_;
  const auto known = s.unreported.take(actuation.decision_id);
  if (!known) return;  // of a database that is gone, or reported before
  const Decision& decision = *known;
  Nanoseconds now = s.features.at.tick;
  if (actuation.status == "applied") {
    s.guard.applied(decision, now);
    s.late.made(decision.proposal);
    s.made(decision, actuation, s.features);
  } else if (actuation.status == "advised") {
    s.guard.advised(decision);
  } else if (actuation.status == "unchanged") {
    s.guard.failed(decision);
  } else {
    s.not_made(decision, actuation);
  }
}

}  // namespace rocktune
