#include "model/heads/observer.h"

#include <algorithm>
#include <cmath>

#include "model/heads/linear_head.h"

namespace rocktune {
namespace {

constexpr double kMillion = 1e6;
// How far off the roll-out may be about when a compaction begins: seconds, and a share of the wait.
constexpr double kBeginError = 1;
constexpr double kBeginShare = 0.05;
// The 99th percentile of fewer operations than this is their maximum and says little.
constexpr double kFewestOperations = 20;

std::optional<double> log_of(const Value& value, double unit) {
  if (!value || !(*value >= 0) || !(unit > 0)) return std::nullopt;
  return std::log1p(*value / unit);
}

// ln(value / limit), of nothing as of a thousandth.
std::optional<double> log_use(const Value& value, double limit) {
  if (!value || !(limit > 0)) return std::nullopt;
  return std::log(std::max(*value / limit, 1e-3));
}

std::optional<double> sum(const Value& a, const Value& b) {
  if (!a && !b) return std::nullopt;
  return a.value_or(0) + b.value_or(0);
}

}  // namespace

std::optional<double> log_p99_use(const Value& p99_us, const Value& ops_per_second,
                                  double interval_seconds, double slo_seconds) {
  if (!p99_us || !(*p99_us > 0) || !(slo_seconds > 0)) return std::nullopt;
  if (ops_per_second && *ops_per_second * interval_seconds < kFewestOperations) return std::nullopt;
  return std::log(*p99_us / (slo_seconds * kMillion));
}

void HeadObserver::clear() {
  *this = HeadObserver();
}

void HeadObserver::update(const Features& features, const Objective& objective,
                          const std::optional<L0Forecast>& forecast, const DeviceLoad& load) {
  inputs_ = HeadInputs();
  look_at_l0(features, forecast);
  look_at_jobs(features);
  look_at_device(features, objective, load);
  look_at_foreground(features, objective);
}

void HeadObserver::add_physical(const std::array<double, 3>& probabilities) {
  inputs_.set(HeadInput::kP99Physical, log_odds(probabilities[0]));
  inputs_.set(HeadInput::kBacklogPhysical, log_odds(probabilities[1]));
  inputs_.set(HeadInput::kDevicePhysical, log_odds(probabilities[2]));
}

void HeadObserver::look_at_l0(const Features& features, const std::optional<L0Forecast>& forecast) {
  l0_.add(features.at.tick, features.l0_ratio);
  if (features.l0_ratio) {
    inputs_.set(HeadInput::kL0Use, *features.l0_ratio);
    inputs_.set(HeadInput::kL0Above04, std::max(0.0, *features.l0_ratio - 0.4));
    inputs_.set(HeadInput::kL0Above07, std::max(0.0, *features.l0_ratio - 0.7));
  }
  inputs_.set(HeadInput::kL0Slope15, l0_.slope_15());
  inputs_.set(HeadInput::kL0Slope60, l0_.slope_60());
  inputs_.set(HeadInput::kPendingUse, features.pending_ratio);
  inputs_.set(HeadInput::kMemtableUse, features.memtable_ratio);
  inputs_.set(HeadInput::kStalled, features.stalled_ratio);
  if (!forecast || !(forecast->slowdown_files > 0)) return;
  const auto share = [&](double files) { return files / forecast->slowdown_files; };
  inputs_.set(HeadInput::kL0Peak10, share(forecast->peaks[0]));
  inputs_.set(HeadInput::kL0Peak30, share(forecast->peaks[1]));
  inputs_.set(HeadInput::kL0Peak60, share(forecast->peaks[2]));
  const auto& begins = forecast->l0_compaction_begins_seconds;
  // A compaction of a large L0 fills the device: that one comes is foreseen as a stall is.
  const auto begins_within = [&](double seconds) {
    if (!begins) return 0.0;
    const double error = kBeginError + kBeginShare * *begins;
    return 1 / (1 + std::exp((*begins - seconds) / error));
  };
  inputs_.set(HeadInput::kL0CompactionBegins10, begins_within(10));
  inputs_.set(HeadInput::kL0CompactionBegins30, begins_within(30));
  inputs_.set(HeadInput::kL0CompactionBegins60, begins_within(60));
  inputs_.set(HeadInput::kCompactionsBusy, forecast->busy_ratio);
}

void HeadObserver::look_at_jobs(const Features& features) {
  double age_ms = 0, input_bytes = 0;
  bool known = false, from_l0 = false;
  for (const ColumnFamilyReading& family : features.column_families) {
    if (!family.l0_compaction_age_ms) continue;
    known = true;
    from_l0 = from_l0 || family.l0_compaction_input_files.value_or(0) > 0;
    age_ms = std::max({age_ms, static_cast<double>(*family.l0_compaction_age_ms),
                       static_cast<double>(family.deep_compaction_age_ms.value_or(0))});
    input_bytes =
        std::max(input_bytes, static_cast<double>(family.l0_compaction_input_bytes.value_or(0)));
  }
  if (known) {
    inputs_.set(HeadInput::kL0CompactionRuns, from_l0 ? 1.0 : 0.0);
    inputs_.set(HeadInput::kJobAge, std::log1p(age_ms / 1000));
    inputs_.set(HeadInput::kJobInput, std::log1p(input_bytes / kMillion));
  }
  inputs_.set(HeadInput::kFlushRate, log_of(features.flush_bytes_per_second, kMillion));
  inputs_.set(HeadInput::kCompactionRate, log_of(sum(features.compaction_read_bytes_per_second,
                                                     features.compaction_write_bytes_per_second),
                                                 kMillion));
}

void HeadObserver::look_at_device(const Features& features, const Objective& objective,
                                  const DeviceLoad& load) {
  const auto queue = log_use(features.device_queue, objective.device_queue_limit);
  queue_.add(features.at.tick, queue);
  inputs_.set(HeadInput::kDeviceLoad, load.rho());
  inputs_.set(HeadInput::kDeviceAwaitRatio, log_of(load.await_ratio(), 1));
  inputs_.set(HeadInput::kDeviceQueue, queue_.now());
  const Value& await = features.device_read_await_ms ? features.device_read_await_ms
                                                     : features.device_write_await_ms;
  inputs_.set(HeadInput::kDeviceAwait, log_use(await, objective.device_await_limit_seconds * 1000));
  inputs_.set(HeadInput::kDeviceSlope15, queue_.slope_15());
  inputs_.set(HeadInput::kDeviceSlope60, queue_.slope_60());
  inputs_.set(HeadInput::kIoPressure, features.io_pressure_ratio);
}

void HeadObserver::look_at_foreground(const Features& features, const Objective& objective) {
  const Nanoseconds tick = features.at.tick;
  const auto use = [&](const Value& p99_us, const Value& ops, double slo_seconds) {
    return log_p99_use(p99_us, ops, features.interval_seconds, slo_seconds);
  };
  read_.add(tick, use(features.read_p99_us, features.reads_per_second, objective.read_p99_seconds));
  write_.add(tick,
             use(features.write_p99_us, features.writes_per_second, objective.write_p99_seconds));
  inputs_.set(HeadInput::kReadUse, read_.now());
  inputs_.set(HeadInput::kReadSlope15, read_.slope_15());
  inputs_.set(HeadInput::kReadSlope60, read_.slope_60());
  inputs_.set(HeadInput::kWriteUse, write_.now());
  inputs_.set(HeadInput::kWriteSlope15, write_.slope_15());
  inputs_.set(HeadInput::kWriteSlope60, write_.slope_60());
  const auto operations =
      sum(sum(features.reads_per_second, features.writes_per_second), features.seeks_per_second);
  demand_.add(tick, log_of(operations, 1));
  inputs_.set(HeadInput::kDemand, demand_.against_60());
  inputs_.set(HeadInput::kDemandSlope60, demand_.slope_60());
  misses_.add(tick, log_of(features.cache_misses_per_second, 1));
  inputs_.set(HeadInput::kCacheMisses, misses_.against_60());
}

void set_episode_inputs(HeadInputs& inputs, const Episodes& episodes) {
  const auto since = episodes.seconds_since_event();
  inputs.set(HeadInput::kQuiet, since ? std::min(*since / 60, 2.0) : 2.0);
  inputs.set(HeadInput::kJustOver,
             since ? std::max(0.0, 1 - *since / Episodes::kQuietSeconds) : 0.0);
  const auto onset = episodes.seconds_since_onset();
  const auto interval = episodes.mean_interval();
  if (onset && interval && *interval > 0) {
    inputs.set(HeadInput::kDue, std::min(*onset / *interval, 2.0));
  }
}

}  // namespace rocktune
