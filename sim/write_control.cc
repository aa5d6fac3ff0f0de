#include "sim/write_control.h"

#include <algorithm>

namespace rocktune::sim {
namespace {

// db/column_family.cc: kMinWriteRate, kIncSlowdownRatio, kDecSlowdownRatio, kNearStopSlowdownRatio,
// kDelayRecoverSlowdownRatio.
constexpr std::uint64_t kLowestRate = 16u << 10;
constexpr double kSlowDown = 0.8;
constexpr double kSpeedUp = 1 / kSlowDown;
constexpr double kNearStop = 0.6;
constexpr double kRecover = 1.4;

std::uint64_t scaled(std::uint64_t rate, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(rate) * factor);
}

bool is_near_stop(const StallLimits& limits, const StallGauges& gauges, StallCause cause) {
  if (cause == StallCause::kL0) return gauges.l0_files >= limits.l0_stop_files - 2;
  if (cause != StallCause::kPendingBytes) return false;
  if (limits.hard_pending_bytes <= limits.soft_pending_bytes) return false;
  const std::uint64_t gap = limits.hard_pending_bytes - limits.soft_pending_bytes;
  return gauges.pending_bytes - limits.soft_pending_bytes > gap / 4 * 3;
}

}  // namespace

StallCondition stall_condition(const StallLimits& limits, const StallGauges& gauges) {
  const auto reaches = [&](std::uint64_t limit) {
    return limit > 0 && gauges.pending_bytes >= limit;
  };
  if (gauges.immutable_memtables >= limits.write_buffers) {
    return {WriteState::kStopped, StallCause::kMemtables};
  }
  if (gauges.l0_files >= limits.l0_stop_files) return {WriteState::kStopped, StallCause::kL0};
  if (reaches(limits.hard_pending_bytes)) {
    return {WriteState::kStopped, StallCause::kPendingBytes};
  }
  if (limits.write_buffers > 3 && gauges.immutable_memtables >= limits.write_buffers - 1) {
    return {WriteState::kDelayed, StallCause::kMemtables};
  }
  if (gauges.l0_files >= limits.l0_slowdown_files) return {WriteState::kDelayed, StallCause::kL0};
  if (reaches(limits.soft_pending_bytes)) {
    return {WriteState::kDelayed, StallCause::kPendingBytes};
  }
  return {};
}

WriteControl::WriteControl(std::size_t families, std::uint64_t max_delayed_rate)
    : families_(families), max_rate_(max_delayed_rate), rate_(max_delayed_rate) {}

void WriteControl::install(std::size_t family, const StallLimits& limits,
                           const StallGauges& gauges) {
  Family& own = families_.at(family);
  const bool was_stopped = state() == WriteState::kStopped;
  const bool needed_delay = std::any_of(families_.begin(), families_.end(), [](const Family& one) {
    return one.condition.state == WriteState::kDelayed;
  });
  const StallCondition condition = stall_condition(limits, gauges);
  if (condition.state == WriteState::kDelayed && needed_delay && max_rate_ > kLowestRate) {
    adjust(own, gauges, was_stopped || is_near_stop(limits, gauges, condition.cause));
  } else if (condition.state == WriteState::kNormal && needed_delay) {
    rate_ = std::min(scaled(rate_, kRecover), max_rate_);
  }
  own = {condition, gauges.pending_bytes};
}

void WriteControl::adjust(const Family& family, const StallGauges& gauges, bool penalize) {
  const std::uint64_t before = family.pending_before;
  if (penalize) {
    rate_ = std::max(scaled(rate_, kNearStop), kLowestRate);
  } else if (before > 0 && before <= gauges.pending_bytes) {
    rate_ = std::max(scaled(rate_, kSlowDown), kLowestRate);
  } else if (before > gauges.pending_bytes) {
    rate_ = std::min(scaled(rate_, kSpeedUp), max_rate_);
  }
}

void WriteControl::set_max_delayed_rate(std::uint64_t rate) {
  max_rate_ = rate_ = rate;
}

void WriteControl::restore(std::size_t family, const StallLimits& limits, const StallGauges& gauges,
                           std::uint64_t delayed_rate) {
  families_.at(family) = {stall_condition(limits, gauges), gauges.pending_bytes};
  if (delayed_rate > 0) rate_ = std::min(delayed_rate, max_rate_);
}

WriteState WriteControl::state() const {
  WriteState worst = WriteState::kNormal;
  for (const Family& family : families_) worst = std::max(worst, family.condition.state);
  return worst;
}

}  // namespace rocktune::sim
