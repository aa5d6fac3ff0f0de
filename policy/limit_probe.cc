#include "policy/limit_probe.h"

#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

constexpr double kLeastProbeGain = 0.05;
constexpr double kFutileOfferedSeconds = 30;
// What nobody could judge for so long would be judged by another load.
constexpr double kProbeLastsSeconds = 600;

}  // namespace

void LimitProbe::step(const Situation& situation, std::int64_t from, Side side, bool felt) {
  if (!probe_) probe_ = Probe{from, {}, {}, 0};
  Value& before = side == Side::kReads ? probe_->reads_us : probe_->writes_us;
  if (!before) before = situation.p99_us(side);
  if (!before) return probe_.reset();
  if (felt) ++probe_->steps;
  stepped_at_ = situation.now;
  side_ = side;
}

bool LimitProbe::gained(const Situation& situation) const {
  const auto less = [&](const Value& before, Side side) {
    const Value& now = situation.p99_us(side);
    return before && now && *now <= (1 - kLeastProbeGain) * *before;
  };
  return less(probe_->reads_us, Side::kReads) || less(probe_->writes_us, Side::kWrites);
}

std::optional<LimitProbe::Futile> LimitProbe::judge(const Situation& situation,
                                                    const KnobReading& reading, int least_steps) {
  if (probe_ && !within(stepped_at_, situation.now, kProbeLastsSeconds)) probe_.reset();
  const double shows = shows_seconds(probe_ && probe_->writes_us ? Side::kWrites : Side::kReads);
  const bool due = probe_ && !within(stepped_at_, situation.now, shows);
  if (!due || !situation.p99_us(side_)) return std::nullopt;
  if (gained(situation)) probe_.reset();
  if (!probe_ || probe_->steps < least_steps || reading.owner != KnobOwner::kRocktune) {
    return std::nullopt;
  }
  const bool fresh = !futile_at_ || *futile_at_ < *stepped_at_;
  if (fresh) futile_at_ = situation.now;
  if (!within(futile_at_, situation.now, kFutileOfferedSeconds)) {
    probe_.reset();
    return std::nullopt;
  }
  const Value& before = side_ == Side::kReads ? probe_->reads_us : probe_->writes_us;
  return Futile{probe_->from, side_, before.value_or(0), fresh};
}

}  // namespace rocktune
