#include "score/baselines.h"

#include <algorithm>
#include <cmath>

#include "model/compaction_pressure.h"
#include "score/alert_run.h"

namespace rocktune::score {
namespace {

// As model/ has them: a P99 of fewer operations, or an await of fewer requests, is an accident.
constexpr double kFewestTimed = 20;
constexpr double kFewestReadIops = 10;

void keep_larger(std::optional<double>& into, const Value& value, double limit) {
  if (!value || !(limit > 0) || !std::isfinite(*value)) return;
  into = std::max(into.value_or(0), *value / limit);
}

bool enough(const Value& per_second, double interval_seconds) {
  return !per_second || *per_second * interval_seconds >= kFewestTimed;
}

std::size_t place(IndicatorKind kind) {
  return static_cast<std::size_t>(kind);
}

std::optional<double> of_backlog(IndicatorKind kind, const std::optional<double>& score) {
  return kind == IndicatorKind::kCompactionBacklog ? score : std::nullopt;
}

}  // namespace

Uses uses_now(const Features& f, const Objective& objective) {
  Uses uses;
  auto& p99 = uses[place(IndicatorKind::kP99)];
  if (enough(f.reads_per_second, f.interval_seconds)) {
    keep_larger(p99, f.read_p99_us, objective.read_p99_seconds * 1e6);
  }
  if (enough(f.writes_per_second, f.interval_seconds)) {
    keep_larger(p99, f.write_p99_us, objective.write_p99_seconds * 1e6);
  }
  uses[place(IndicatorKind::kCompactionBacklog)] = f.l0_ratio;
  auto& device = uses[place(IndicatorKind::kDeviceSaturation)];
  keep_larger(device, f.device_queue, objective.device_queue_limit);
  if (f.device_read_iops.value_or(0) >= kFewestReadIops) {
    keep_larger(device, f.device_read_await_ms, objective.device_await_limit_seconds * 1e3);
  }
  return uses;
}

void NeverDetector::update(const Features& /*features*/, const Sample& /*sample*/) {}

std::optional<double> NeverDetector::score(IndicatorKind /*kind*/, std::size_t /*horizon*/) const {
  return 0;
}

void StaticDetector::update(const Features& features, const Sample& /*sample*/) {
  uses_ = uses_now(features, objective_);
}

void RecentEventDetector::update(const Features& features, const Sample& /*sample*/) {
  const Nanoseconds now = features.at.tick;
  for (const Indicator& indicator : events_.update(features).indicators) {
    const std::size_t i = place(indicator.kind);
    std::optional<Nanoseconds>& last = last_.at(i);
    if (indicator.event) last = now;
    if (last && *last > now) last.reset();  // the clock stepped back
    const bool ended = last && !indicator.event;
    scores_.at(i) = ended && seconds_between(*last, now) < kRecentSeconds ? 1 : 0;
  }
}

std::optional<double> RecentEventDetector::score(IndicatorKind kind,
                                                 std::size_t /*horizon*/) const {
  return scores_.at(place(kind));
}

std::optional<double> StaticDetector::score(IndicatorKind kind, std::size_t /*horizon*/) const {
  return uses_.at(place(kind));
}

void PendingDetector::update(const Features& features, const Sample& /*sample*/) {
  use_ = features.pending_ratio;
}

std::optional<double> PendingDetector::score(IndicatorKind kind, std::size_t /*horizon*/) const {
  return of_backlog(kind, use_);
}

void MemtableDetector::update(const Features& features, const Sample& /*sample*/) {
  use_ = features.memtable_ratio;
}

std::optional<double> MemtableDetector::score(IndicatorKind kind, std::size_t /*horizon*/) const {
  return of_backlog(kind, use_);
}

std::optional<double> compaction_pressure(const ColumnFamilyReading& family) {
  std::optional<double> pressure;
  const auto number = [](const Counter& counter) {
    return counter ? static_cast<double>(*counter) : -1;
  };
  const double trigger = number(family.level0_compaction_trigger);
  const double slowdown = number(family.level0_slowdown_trigger);
  if (!family.levels.empty() && trigger > 0 && slowdown > 0) {
    const double speedup = speedup_l0_files(trigger, slowdown);
    keep_larger(pressure, static_cast<double>(family.levels[0].files), speedup);
  }
  const double soft = number(family.soft_pending_limit_bytes);
  const double base = number(family.max_bytes_for_level_base_bytes);
  if (family.pending_compaction_bytes && soft > 0) {
    const auto bottom = std::find_if(family.levels.rbegin(), family.levels.rend(),
                                     [](const LevelReading& level) { return level.bytes > 0; });
    const double bytes = bottom == family.levels.rend() ? 0 : static_cast<double>(bottom->bytes);
    const double speedup = speedup_debt_bytes(soft, base, bytes);
    keep_larger(pressure, number(family.pending_compaction_bytes), speedup);
  }
  return pressure;
}

void PressureDetector::update(const Features& features, const Sample& sample) {
  pressure_.reset();
  if (!features.fresh || !sample.database) return;
  for (const ColumnFamilyReading& family : sample.database->column_families) {
    if (const auto one = compaction_pressure(family)) {
      pressure_ = std::max(pressure_.value_or(0), *one);
    }
  }
}

std::optional<double> PressureDetector::score(IndicatorKind kind, std::size_t /*horizon*/) const {
  return of_backlog(kind, pressure_);
}

IndicatorDetector::IndicatorDetector(const Objective& objective,
                                     const std::vector<std::size_t>& horizons, bool alerts,
                                     const Learnt& prior)
    : alerts_(alerts) {
  for (const std::size_t horizon : horizons) {
    Objective asked = objective;
    asked.horizon_seconds = static_cast<double>(horizon);
    models_.emplace(horizon, Model{IndicatorModel(asked, prior), {}, {}});
  }
}

void IndicatorDetector::update(const Features& features, const Sample& /*sample*/) {
  for (auto& [horizon, model] : models_) {
    const IndicatorModel::Step step = model.model.update(features);
    for (const Indicator& indicator : step.indicators) {
      auto& score = model.scores.at(place(indicator.kind));
      auto& probability = model.probabilities.at(place(indicator.kind));
      score.reset();
      probability.reset();
      if (!indicator.valid) continue;
      probability = step.head_probabilities.at(place(indicator.kind));
      score = alerts_ ? alert_score(indicator) : indicator.near_probability;
    }
  }
}

std::optional<double> IndicatorDetector::score(IndicatorKind kind, std::size_t horizon) const {
  const auto found = models_.find(horizon);
  return found == models_.end() ? std::nullopt : found->second.scores.at(place(kind));
}

std::optional<double> IndicatorDetector::probability(IndicatorKind kind,
                                                     std::size_t horizon) const {
  const auto found = models_.find(horizon);
  return found == models_.end() ? std::nullopt : found->second.probabilities.at(place(kind));
}

}  // namespace rocktune::score
