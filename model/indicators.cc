#include "model/indicators.h"

#include <array>
#include <utility>

#include "model/alert_tracker.h"
#include "model/assessment.h"

namespace rocktune {

struct IndicatorModel::State {
  explicit State(const Objective& wanted) : objective(wanted), device(wanted.device_capacities) {}

  Objective objective;
  P99Assessor p99;
  BacklogAssessor backlog;
  DeviceAssessor device;
  std::array<AlertTracker, 3> trackers;  // in the order of IndicatorKind

  void clear() {
    p99.clear();
    backlog.clear();
    device.clear();
  }
};

IndicatorModel::IndicatorModel(Objective objective) : state_(std::make_unique<State>(objective)) {}
IndicatorModel::~IndicatorModel() = default;
IndicatorModel::IndicatorModel(IndicatorModel&&) noexcept = default;
IndicatorModel& IndicatorModel::operator=(IndicatorModel&&) noexcept = default;

IndicatorModel::Step IndicatorModel::update(const Features& features) {
  State& state = *state_;
  if (features.reset) state.clear();
  std::array<Assessment, 3> assessments{state.p99.assess(features, state.objective),
                                        state.backlog.assess(features, state.objective),
                                        state.device.assess(features, state.objective)};
  Step out;
  for (std::size_t i = 0; i < assessments.size(); ++i) {
    AlertTracker& tracker = state.trackers.at(i);
    if (features.reset) {
      Assessment gone = assessments.at(i);
      if (auto alert = tracker.end(gone, features.at, "the database was opened anew")) {
        out.alerts.push_back(*std::move(alert));
      }
    }
    if (auto alert = tracker.update(assessments.at(i), features.at, features.sequence)) {
      out.alerts.push_back(*std::move(alert));
    }
    out.indicators.push_back(std::move(assessments.at(i).indicator));
  }
  return out;
}

}  // namespace rocktune
