#include "policy/peers/auto_tuned.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/text.h"
#include "policy/peers/common.h"
#include "policy/situation.h"

namespace rocktune::peers {
namespace {

// util/rate_limiter.cc: kRefillsPerTune x the default refill period of 100 ms
constexpr double kAutoTuneSeconds = 100 * 0.1;
constexpr double kLowWatermarkPercent = 50, kHighWatermarkPercent = 90;
constexpr double kAdjustFactor = 1.05;      // kAdjustFactorPct 5
constexpr double kAllowedRangeFactor = 20;  // the least is the largest rate over this
constexpr double kAutoTunedStart = 0.5;     // of the largest rate

class AutoTuned : public Policy {
 public:
  explicit AutoTuned(const AutoTunedParams& params) : params_(params) {}

  [[nodiscard]] GuardScope guard_scope() const override { return GuardScope::kHardLimits; }

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    const Features& f = input.features;
    if (f.reset) reset();
    const KnobReading* limiter = changeable_knob(f, knob::kRateLimit);
    if (!f.fresh || limiter == nullptr) return {};
    const double most =
        largest_rate(params_.rate_limit_max_bytes_per_second, *limiter, input.objective);
    if (limiter->value == asked_) reached_ = asked_;
    std::optional<Proposal> start, change;
    if (untouched(*limiter) && limiter->value != reached_) {
      start = turn(f, limiter, std::floor(most * kAutoTunedStart),
                   {"auto_tuned.start", "it starts at half of " + text::rate(most),
                    "limiter_use_ratio", false});
    }
    if (!start) change = tune(f, *limiter, most);
    if (change) asked_ = change->to;
    std::vector<Proposal> settings, out;
    if (start) settings.push_back(*std::move(start));
    if (change) out.push_back(*std::move(change));
    serve_as(f, {true, 1, "auto_tuned.alike"}, settings);
    settings_.ask(std::move(settings), f.at.tick, out);
    return out;
  }

 private:
  void reset() {
    tick_.reset();
    settings_.reset();
    use_.reset();
    asked_.reset();
    reached_.reset();
  }

  std::optional<Proposal> tune(const Features& f, const KnobReading& limiter, double most) {
    use_.add(f, f.limiter_use_ratio);
    if (tick_.due(f.at.tick) == 0) return std::nullopt;
    const Value use = use_.take(kAutoTuneSeconds / 2);
    if (!use) return std::nullopt;
    const double drained = std::floor(std::min(*use, 1.0) * 100);
    const double least = std::floor(most / kAllowedRangeFactor);
    const auto rate = static_cast<double>(limiter.value);
    double to = rate;
    if (drained == 0) {
      to = least;
    } else if (drained < kLowWatermarkPercent) {
      to = std::max(least, std::floor(rate / kAdjustFactor));
    } else if (drained > kHighWatermarkPercent) {
      to = std::min(most, std::floor(rate * kAdjustFactor));
    }
    const bool up = to > rate;
    return turn(f, &limiter, to,
                {"auto_tuned.demand",
                 "background writes used " + text::number(drained, 0) + "% of the rate in " +
                     text::duration(kAutoTuneSeconds),
                 "limiter_use_ratio", up});
  }

  AutoTunedParams params_;
  Tick tick_{kAutoTuneSeconds};
  Settings settings_{kAutoTuneSeconds};
  MeanRate use_;
  // Of it last: the limit as found may be where it went by itself, which is no new start.
  std::optional<std::int64_t> asked_, reached_;
};

}  // namespace

std::unique_ptr<Policy> make_auto_tuned(const AutoTunedParams& params) {
  return std::make_unique<AutoTuned>(params);
}

}  // namespace rocktune::peers
