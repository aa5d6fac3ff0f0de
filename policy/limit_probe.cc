#include "policy/limit_probe.h"

#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

constexpr int kProbeSteps = 3;
constexpr double kLeastProbeGain = 0.05;
constexpr double kFutileOfferedSeconds = 30;

}  // namespace

double shows_seconds(Side side) {
  return side == Side::kReads ? kLimiterShowsSeconds : kSlowWritesSeconds;
}

void LimitProbe::step(const Situation& situation, std::int64_t from, Side side) {
  const Value& p99_us = situation.p99_us(side);
  if (probe_ && probe_->side != side) probe_.reset();
  if (!probe_ && p99_us) probe_ = Probe{from, side, *p99_us, 0};
  if (!probe_) return;
  ++probe_->steps;
  stepped_at_ = situation.now;
}

std::optional<LimitProbe::Futile> LimitProbe::judge(const Situation& situation,
                                                    const KnobReading& reading) {
  const bool due = probe_ && !within(stepped_at_, situation.now, shows_seconds(probe_->side));
  if (!due) return std::nullopt;
  const Value& p99_us = situation.p99_us(probe_->side);
  if (!p99_us) return std::nullopt;
  if (*p99_us <= (1 - kLeastProbeGain) * probe_->p99_us) probe_.reset();
  if (!probe_ || probe_->steps < kProbeSteps || reading.owner != KnobOwner::kRocktune) {
    return std::nullopt;
  }
  const bool fresh = !futile_at_ || *futile_at_ < *stepped_at_;
  if (fresh) futile_at_ = situation.now;
  if (!within(futile_at_, situation.now, kFutileOfferedSeconds)) {
    probe_.reset();
    return std::nullopt;
  }
  return Futile{probe_->from, probe_->side, probe_->p99_us, fresh};
}

}  // namespace rocktune
