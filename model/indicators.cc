#include "model/indicators.h"

#include <array>
#include <functional>
#include <utility>

#include "model/alert_tracker.h"
#include "model/assessment.h"
#include "model/heads/indicator_heads.h"
#include "model/heads/observer.h"

namespace rocktune {

namespace {

constexpr std::size_t kPhysicalHorizon = 1;  // 30 s, of kHeadHorizons

}  // namespace

struct IndicatorModel::State {
  State(const Objective& wanted, const Learnt& prior)
      : objective(wanted),
        device(wanted.device_capacities),
        heads{IndicatorHeads(IndicatorKind::kP99, wanted, prior.indicators[0]),
              IndicatorHeads(IndicatorKind::kCompactionBacklog, wanted, prior.indicators[1]),
              IndicatorHeads(IndicatorKind::kDeviceSaturation, wanted, prior.indicators[2])} {}

  Objective objective;
  P99Assessor p99;
  BacklogAssessor backlog;
  DeviceAssessor device;
  HeadObserver observer;
  // In the order of IndicatorKind.
  std::array<IndicatorHeads, 3> heads;
  std::array<AlertTracker, 3> trackers;
  std::array<Words, 3> sentences;  // of the last update

  std::vector<Driver> drivers(IndicatorKind kind, const Features& features) const {
    return heads.at(static_cast<std::size_t>(kind))
        .drivers(candidates(kind, features), features, observer.inputs(), backlog.forecast());
  }

  std::vector<Candidate> candidates(IndicatorKind kind, const Features& features) const {
    switch (kind) {
      case IndicatorKind::kP99:
        return P99Assessor::candidates(features, objective);
      case IndicatorKind::kCompactionBacklog:
        return backlog.candidates(features);
      case IndicatorKind::kDeviceSaturation:
        return device.candidates(features, objective);
    }
    return {};
  }

  void clear() {
    p99.clear();
    backlog.clear();
    device.clear();
    observer.clear();
    for (IndicatorHeads& one : heads) one.clear();
  }
};

IndicatorModel::IndicatorModel(const Objective& objective, const Learnt& prior)
    : state_(std::make_unique<State>(objective, prior)) {}
IndicatorModel::~IndicatorModel() = default;
IndicatorModel::IndicatorModel(IndicatorModel&&) noexcept = default;
IndicatorModel& IndicatorModel::operator=(IndicatorModel&&) noexcept = default;

Learnt IndicatorModel::learnt() const {
  Learnt out;
  for (std::size_t i = 0; i < out.indicators.size(); ++i) {
    out.indicators.at(i) = state_->heads.at(i).learnt();
  }
  return out;
}

std::vector<Driver> IndicatorModel::drivers(IndicatorKind kind, const Features& features) const {
  return state_->drivers(kind, features);
}

std::string IndicatorModel::sentence(IndicatorKind kind) const {
  const Words& words = state_->sentences.at(static_cast<std::size_t>(kind));
  return words ? words() : std::string();
}

IndicatorModel::Step IndicatorModel::update(const Features& features) {
  State& state = *state_;
  if (features.reset) state.clear();
  std::array<Assessment, 3> assessments{state.p99.assess(features, state.objective),
                                        state.backlog.assess(features, state.objective),
                                        state.device.assess(features, state.objective)};
  state.observer.update(features, state.objective, state.backlog.forecast(), state.device.load());
  state.observer.add_physical({assessments[0].physical[kPhysicalHorizon],
                               assessments[1].physical[kPhysicalHorizon],
                               assessments[2].physical[kPhysicalHorizon]});
  Step out;
  out.indicators.reserve(assessments.size());
  for (std::size_t i = 0; i < assessments.size(); ++i) {
    state.heads.at(i).apply(assessments.at(i), features, state.observer.inputs());
    AlertTracker& tracker = state.trackers.at(i);
    // Passed by reference: a copy would be an allocation, and alerts hardly ever change.
    const auto drivers = [&, kind = static_cast<IndicatorKind>(i)] {
      return state.drivers(kind, features);
    };
    if (features.reset) {
      Assessment gone = assessments.at(i);
      if (auto alert =
              tracker.end(gone, features.at, "the database was opened anew", std::cref(drivers))) {
        out.alerts.push_back(*std::move(alert));
      }
    }
    if (auto alert = tracker.update(assessments.at(i), features.at, std::cref(drivers))) {
      out.alerts.push_back(*std::move(alert));
    }
    state.sentences.at(i) = std::move(assessments.at(i).sentence);
    out.head_probabilities.at(i) = assessments.at(i).head_probability;
    out.indicators.push_back(std::move(assessments.at(i).indicator));
  }
  return out;
}

}  // namespace rocktune
